// SPDX-License-Identifier: Apache-2.0
import { IncompleteBlockError } from '@chainwatch/chain-core';
import { computeBlockId } from './encode-header.ts';
import type { EvmBlock, EvmReceipt } from './evm-types.ts';
import type { Capabilities } from './session.ts';
import { verifyEvmBlock } from './read-evm-block.ts';

const root = 'ab'.repeat(32);
const witness = 'cd'.repeat(20);
const parentHash = `${'0'.repeat(15)}6${'ef'.repeat(24)}`;
const id = computeBlockId({
  timestamp: 1_750_000_000_000n,
  txTrieRoot: Buffer.from(root, 'hex'),
  parentHash: Buffer.from(parentHash, 'hex'),
  number: 7n,
  witnessId: 0n,
  witnessAddress: Buffer.from(`41${witness}`, 'hex'),
  version: 34n,
  accountStateRoot: Buffer.alloc(0),
});
const ref = { number: 7, hash: id };
const capabilities = (): Capabilities => ({
  hasGetBlock: true,
  solidified: 'none',
  hasBlockReceipts: true,
  hasWalletBeside: false,
  headerVersion: 0,
});

const hashes = ['0x01', '0x02', '0x03'];
const place = (index: number) => ({ blockHash: `0x${id}`, transactionIndex: `0x${index.toString(16)}` });
const block: EvmBlock = {
  number: '0x7',
  hash: `0x${id}`,
  parentHash: `0x${parentHash}`,
  transactionsRoot: `0x${root}`,
  stateRoot: '0x',
  miner: `0x${witness}`,
  timestamp: '0x684ee180',
  gasUsed: '0x1e',
  transactions: hashes.map((hash, index) => ({ ...place(index), hash, from: null })),
};
const receipts: EvmReceipt[] = hashes.map((hash, index) => ({
  ...place(index),
  transactionHash: hash,
  status: '0x1',
  gasUsed: '0xa',
  cumulativeGasUsed: `0x${((index + 1) * 10).toString(16)}`,
  logs: [{ address: '0x', topics: [], data: '0x', logIndex: `0x${index.toString(16)}` }],
}));

it('takes a block that adds up, and remembers the version of its header', () => {
  const known = capabilities();
  expect(verifyEvmBlock(ref, { block, receipts, capabilities: known })).toEqual({
    header: { number: 7, hash: id, parentHash, timestamp: 1_750_000_000 },
    unknowns: [],
  });
  expect(known.headerVersion).toBe(34);
});

it.each<[string, Partial<EvmBlock>, EvmReceipt[]]>([
  ['another parent', { parentHash: `0x${'11'.repeat(32)}` }, receipts],
  ['another root', { transactionsRoot: `0x${'11'.repeat(32)}` }, receipts],
  ['another number', { number: '0x0' }, receipts],
  ['another time', { timestamp: '0x684ee183' }, receipts],
  ['a transaction left out', { transactions: block.transactions.slice(1) }, receipts.slice(1)],
  ['the last transaction left out', { transactions: block.transactions.slice(0, 2) }, receipts.slice(0, 2)],
  ['a receipt left out', {}, receipts.slice(1)],
  ['two receipts in each other’s place', {}, [receipts[1]!, receipts[0]!, receipts[2]!]],
  [
    'a log left out',
    {},
    receipts.map((receipt, index) => (index === 0 ? { ...receipt, logs: [] } : receipt)),
  ],
  ['other energy', {}, receipts.map((receipt) => ({ ...receipt, gasUsed: '0xb' }))],
])('refuses %s', (_, change, told) => {
  expect(() =>
    verifyEvmBlock(ref, { block: { ...block, ...change }, receipts: told, capabilities: capabilities() }),
  ).toThrow(IncompleteBlockError);
});
