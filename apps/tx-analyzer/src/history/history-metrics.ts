// SPDX-License-Identifier: Apache-2.0
import { counter } from '@chainwatch/telemetry';

const blocks = counter('chainwatch_history_blocks_total', {
  description: 'Blocks read for the history of addresses.',
});
const transactions = counter('chainwatch_history_transactions_total', {
  description: 'Transactions that history found and stored.',
});

export function recordHistory(
  chainGid: string,
  counts: { readonly blocks: number; readonly transactions: number },
): void {
  const attributes = { chain_gid: chainGid };
  blocks.add(counts.blocks, attributes);
  transactions.add(counts.transactions, attributes);
}
