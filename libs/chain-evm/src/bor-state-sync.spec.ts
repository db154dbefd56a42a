// SPDX-License-Identifier: Apache-2.0
import { addStateSync } from './bor-state-sync.ts';
import type { RawBlock } from './raw-block.ts';
import type { Session } from './session.ts';

it.each([
  ['polygon before Madhugiri, at the start of a sprint', 'bor', 1_765_000_000, 1_600, 1],
  ['polygon before Madhugiri, within a sprint', 'bor', 1_765_000_000, 1_601, 0],
  ['polygon after Madhugiri', 'bor', 1_790_000_000, 1_600, 0],
  ['another chain', 'ethereum', 1_765_000_000, 1_600, 0],
])('%s: a state sync outside of the block is asked for where there may be one', async (...row) => {
  const [, stack, timestamp, number, expected] = row;
  const asked: unknown[] = [];
  const call = async (method: string): Promise<null> => {
    asked.push(method);
    return null;
  };
  const session = { traits: { stack }, transport: { call } } as unknown as Session;
  const block = {
    number: `0x${number.toString(16)}`,
    timestamp: `0x${timestamp.toString(16)}`,
    hash: `0x${'ab'.repeat(32)}`,
  } as unknown as RawBlock;
  expect(await addStateSync(session, { block, receipts: [] })).toEqual([]);
  expect(asked).toEqual(Array.from({ length: expected }, () => 'eth_getTransactionReceipt'));
});
