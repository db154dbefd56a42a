// SPDX-License-Identifier: Apache-2.0
import { readNumber, type BlockReader } from '@chainwatch/chain-core';

const BLOCK_NUMBER = /"blockNumber"\s*:\s*(?:"0x([0-9a-fA-F]{1,12})"|(\d{1,12})\b)/;
const TAG = /"(latest|safe|finalized|pending|earliest)"/;
const ASKED = /^\s*\[\s*"0x([0-9a-fA-F]{1,12})"/;
/** Of many the first is enough; of logs the last one is the highest. */
const BYTES_MAX = 4_096;

const toldFirst: BlockReader = {
  tells: 'block',
  read: (body) => match(body.subarray(0, BYTES_MAX)),
};

const toldLast: BlockReader = {
  tells: 'block',
  read: (body) => {
    const last = body.lastIndexOf('"blockNumber"');
    return last === -1 ? undefined : match(body.subarray(last, last + BYTES_MAX));
  },
};

/** A block by its number or tag. */
const byNumber: BlockReader = {
  tells: 'head',
  needsParams: true,
  kindOf: (params) => {
    const tag = TAG.exec(params)?.[1];
    return tag === 'latest' ? 'head' : tag === undefined || tag === 'earliest' ? 'block' : tag;
  },
  askedOf: (params) => toNumber(ASKED.exec(params)?.[1], 16),
  read: (body) => readNumber(body, ['result', 'number']),
};

const byHash: BlockReader = { tells: 'block', read: (body) => readNumber(body, ['result', 'number']) };

const feeHistory: BlockReader = {
  ...byNumber,
  askedOf: () => undefined,
  read: (body) => {
    const oldest = readNumber(body, ['result', 'oldestBlock']);
    const ratios = /"gasUsedRatio"\s*:\s*\[([^\]]*)\]/.exec(body.toString('latin1', 0, 16_384))?.[1];
    return oldest === undefined || !ratios ? undefined : oldest + ratios.split(',').length - 1;
  },
};

export const ethereumBlockReaders: ReadonlyMap<string, BlockReader> = new Map<string, BlockReader>([
  ['eth_blockNumber', { tells: 'head', read: (body) => readNumber(body, ['result']) }],
  ['eth_getBlockByNumber', byNumber],
  ['eth_getHeaderByNumber', byNumber],
  ['erigon_getHeaderByNumber', byNumber],
  ['eth_feeHistory', feeHistory],
  ['eth_getBlockByHash', byHash],
  ['eth_getHeaderByHash', byHash],
  ['erigon_getHeaderByHash', byHash],
  ['eth_getTransactionReceipt', toldFirst],
  ['eth_getTransactionByHash', toldFirst],
  ['eth_getTransactionByBlockHashAndIndex', toldFirst],
  ['eth_getTransactionByBlockNumberAndIndex', toldFirst],
  ['eth_getBlockReceipts', { ...toldFirst, needsParams: true, askedOf: byNumber.askedOf }],
  ['trace_transaction', toldFirst],
  ['trace_block', toldFirst],
  ['eth_getLogs', toldLast],
]);

function match(body: Buffer): number | undefined {
  const found = BLOCK_NUMBER.exec(body.toString('latin1', 0, body.length));
  return found === null ? undefined : (toNumber(found[1], 16) ?? toNumber(found[2], 10));
}

function toNumber(digits: string | undefined, radix: number): number | undefined {
  return digits === undefined ? undefined : Number.parseInt(digits, radix);
}
