import {
  FOREVER,
  moving,
  untilNextBlock,
  type CacheQuestion,
  type CacheRule,
  type Lifetime,
} from './lifetime.ts';

type Block = number | 'moving' | 'hash' | 'never';

/** A block parameter: a number, a tag, or an object of EIP-1898. An absent one means latest. */
export function readBlock(value: unknown): Block {
  if (
    value === undefined ||
    value === null ||
    value === 'latest' ||
    value === 'safe' ||
    value === 'finalized'
  )
    return 'moving';
  if (value === 'earliest') return 0;
  if (typeof value === 'object')
    return readBlockObject(value as { blockHash?: unknown; blockNumber?: unknown });
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]+$/.test(value)) return 'never';
  if (value.length === 66) return 'hash';
  return value.length <= 15 ? Number(value) : 'never';
}

function readBlockObject({ blockHash, blockNumber }: { blockHash?: unknown; blockNumber?: unknown }): Block {
  if (typeof blockHash === 'string') return 'hash';
  return blockNumber === undefined ? 'never' : readBlock(blockNumber);
}

export function byBlock(question: CacheQuestion, block: Block): Lifetime | undefined {
  if (block === 'never') return undefined;
  if (block === 'moving') return moving(question);
  // The height behind a hash is not known here.
  if (block === 'hash') return untilNextBlock(question);
  return block <= question.finalNumber ? FOREVER : untilNextBlock(question);
}

const atParam =
  (index: number): CacheRule =>
  (question) =>
    byBlock(question, readBlock(question.params[index]));

/** What tells its own block: kept for good when that one was final. */
const byReply =
  (expression: RegExp): CacheRule =>
  (question) => {
    const number = findNumber(expression, question.result);
    if (number === undefined) return undefined;
    return number <= question.finalNumber ? FOREVER : untilNextBlock(question);
  };

const BLOCK_NUMBER = /"blockNumber"\s*:\s*"0x([0-9a-fA-F]{1,13})"/;
const NUMBER = /"number"\s*:\s*"0x([0-9a-fA-F]{1,13})"/;

/** Of traces, which write it in decimal. */
const TRACED_NUMBER = /"blockNumber"\s*:\s*(\d{1,13})\b/;

function findNumber(expression: RegExp, result: Buffer): number | undefined {
  const found = expression.exec(result.toString('latin1', 0, result.length));
  return found === null ? undefined : Number.parseInt(found[1]!, expression === TRACED_NUMBER ? 10 : 16);
}

const logs: CacheRule = (question) => {
  const filter = question.params[0];
  if (typeof filter !== 'object' || filter === null) return undefined;
  const { fromBlock, toBlock, blockHash } = filter as Record<string, unknown>;
  if (blockHash !== undefined) return byReply(BLOCK_NUMBER)(question);
  const [from, to] = [readBlock(fromBlock), readBlock(toBlock)];
  if (from === 'never' || to === 'never') return undefined;
  return typeof from === 'number' ? byBlock(question, to) : moving(question);
};

const blockOf: CacheRule = (question) =>
  readBlock(question.params[0]) === 'hash' ? byReply(BLOCK_NUMBER)(question) : atParam(0)(question);

export const evmRules: Readonly<Record<string, CacheRule>> = {
  eth_chainId: () => FOREVER,
  net_version: () => FOREVER,
  eth_getBlockByNumber: atParam(0),
  eth_getBlockReceipts: blockOf,
  eth_getBlockTransactionCountByNumber: atParam(0),
  eth_getUncleCountByBlockNumber: atParam(0),
  eth_getUncleByBlockNumberAndIndex: atParam(0),
  eth_getTransactionByBlockNumberAndIndex: atParam(0),
  debug_traceBlockByNumber: atParam(0),
  debug_getRawBlock: atParam(0),
  debug_getRawHeader: atParam(0),
  debug_getRawReceipts: atParam(0),
  trace_block: atParam(0),
  eth_call: atParam(1),
  eth_getBalance: atParam(1),
  eth_getCode: atParam(1),
  eth_getTransactionCount: atParam(1),
  eth_getStorageAt: atParam(2),
  eth_getProof: atParam(2),
  eth_getBlockByHash: byReply(NUMBER),
  eth_getTransactionByHash: byReply(BLOCK_NUMBER),
  eth_getTransactionByBlockHashAndIndex: byReply(BLOCK_NUMBER),
  eth_getTransactionReceipt: byReply(BLOCK_NUMBER),
  trace_transaction: byReply(TRACED_NUMBER),
  eth_getLogs: logs,
  eth_blockNumber: moving,
  eth_gasPrice: moving,
  eth_maxPriorityFeePerGas: moving,
  eth_blobBaseFee: moving,
  eth_baseFee: moving,
  eth_feeHistory: moving,
};
