// SPDX-License-Identifier: Apache-2.0
import type { ProbeFinding } from '@chainwatch/chain-core';
import type { RawTransaction } from '../raw-block.ts';
import type { SampleBlock } from './read-sample.ts';

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
/** Payments of the sample whose logs are looked at. */
const PAYMENTS_MAX = 1_000;

/**
 * Contracts that log a payment of the native coin as a transfer (EIP-7708, Polygon, Celo, Arc). Told as it was seen: which kind
 * of log it is, and whether it says the same as the transaction, is for a person to judge.
 */
export function findNativeLogs(sample: readonly SampleBlock[]): Pick<ProbeFinding, 'answer' | 'found'> {
  const counts = new Map<string, number>();
  let payments = 0;
  for (const { json, receipts } of sample) {
    const { transactions } = JSON.parse(json) as { transactions: RawTransaction[] };
    for (const [index, { value, from, to }] of transactions.entries()) {
      if (payments >= PAYMENTS_MAX || typeof value !== 'string' || !/[1-9a-f]/i.test(value.slice(2)))
        continue;
      if (typeof to !== 'string') continue;
      payments += 1;
      const ends = [from, to].map((address) => `0x${'0'.repeat(24)}${address.slice(2)}`.toLowerCase());
      const loggers = (receipts[index]?.logs ?? [])
        .filter(
          ({ topics: [topic, ...indexed] }) =>
            topic === TRANSFER && ends.every((end, place) => indexed[place]?.toLowerCase() === end),
        )
        .map(({ address }) => address);
      for (const address of new Set(loggers)) counts.set(address, (counts.get(address) ?? 0) + 1);
    }
  }
  if (payments === 0) return { answer: 'no', found: 'no payment in these blocks' };
  const seen = [...counts].sort(([, one], [, other]) => other - one).slice(0, 3);
  if (seen.length === 0) return { answer: 'no', found: `none of ${payments} payments` };
  return {
    answer: seen[0]![1] === payments ? 'yes' : 'some',
    found: seen.map(([address, count]) => `${address} logs ${count} of ${payments} payments`).join('; '),
  };
}
