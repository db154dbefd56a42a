import type { WholeReply } from './receiver.ts';

const HEX_RESULT = /"result"\s*:\s*"0x([0-9a-fA-F]{1,12})"/;
const DECIMAL_RESULT = /"result"\s*:\s*(\d{1,12})\b/;
const BLOCK_NUMBER = /"number"\s*:\s*"0x([0-9a-fA-F]{1,12})"/;

/** The head that a reply tells its client: such a reply must not be lower than the one before. */
export function readRevealedHead(
  method: string,
  params: string,
  { body, contentEncoding }: WholeReply,
): number | undefined {
  if (contentEncoding !== undefined) return undefined;
  switch (method) {
    case 'eth_blockNumber':
      return match(HEX_RESULT, body, 16);
    case 'getblockcount':
      return match(DECIMAL_RESULT, body, 10);
    case 'eth_getBlockByNumber':
      return params.includes('"latest"') ? match(BLOCK_NUMBER, body, 16) : undefined;
    default:
      return undefined;
  }
}

/** The first of many is enough. */
const TOLD_WITHIN = 4_096;
const BLOCK_OF_REPLY: ReadonlySet<string> = new Set([
  'eth_getTransactionReceipt',
  'eth_getTransactionByHash',
  'eth_getBlockReceipts',
  'eth_getLogs',
]);
const REPLY_BLOCK = /"blockNumber"\s*:\s*"0x([0-9a-fA-F]{1,12})"/;

/** A block that a reply tells of: the node has it, so its head is not lower, and what was kept for the head before is old. */
export function readToldBlock(method: string, { body, contentEncoding }: WholeReply): number | undefined {
  if (contentEncoding !== undefined || !BLOCK_OF_REPLY.has(method)) return undefined;
  return match(REPLY_BLOCK, body.subarray(0, TOLD_WITHIN), 16);
}

function match(expression: RegExp, body: Buffer, radix: number): number | undefined {
  const found = expression.exec(body.toString('latin1', 0, body.length));
  return found === null ? undefined : Number.parseInt(found[1]!, radix);
}
