import type { BlockReader } from '@chainwatch/chain-core';

const RESULT = /"result"\s*:\s*"0x([0-9a-fA-F]{1,12})"/;
const NUMBER = /"number"\s*:\s*"0x([0-9a-fA-F]{1,12})"/;
const BLOCK_NUMBER = /"blockNumber"\s*:\s*"0x([0-9a-fA-F]{1,12})"/;
/** Of many the first is enough. */
const BYTES_MAX = 4_096;

const toldFirst: BlockReader = {
  tells: 'block',
  read: (body) => match(BLOCK_NUMBER, body.subarray(0, BYTES_MAX)),
};

export const ethereumBlockReaders: ReadonlyMap<string, BlockReader> = new Map<string, BlockReader>([
  ['eth_blockNumber', { tells: 'head', read: (body) => match(RESULT, body) }],
  [
    'eth_getBlockByNumber',
    {
      tells: 'head',
      needsParams: true,
      read: (body, params) => (params.includes('"latest"') ? match(NUMBER, body) : undefined),
    },
  ],
  ['eth_getTransactionReceipt', toldFirst],
  ['eth_getTransactionByHash', toldFirst],
  ['eth_getBlockReceipts', toldFirst],
  ['eth_getLogs', toldFirst],
]);

function match(expression: RegExp, body: Buffer): number | undefined {
  const found = expression.exec(body.toString('latin1', 0, body.length));
  return found === null ? undefined : Number.parseInt(found[1]!, 16);
}
