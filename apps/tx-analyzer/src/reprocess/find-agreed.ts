// SPDX-License-Identifier: Apache-2.0
import { lacksEvidence, type Block, type Verification } from '@chainwatch/chain-core';
import { describeAttested, judgeOpinions } from '../commit/judge-opinions.ts';
import { hasWord } from '../match/match-transactions.ts';
import type { WriterContext } from '../commit/writer-queue.ts';
import type { TransactionState } from '../model/transaction-state.ts';
import { agreedKey } from './plan-reprocess.ts';

/** A record of these may hold what a node alone told. */
const ASKED: ReadonlySet<Verification> = new Set(['attested', 'agreed']);

/**
 * Asks endpoints of other operators about what one attests of recorded transactions in blocks that are read again, one request a
 * block. Returns what they tell alike (`agreedKey`): it outweighs what one node attested before. An endpoint that does not answer
 * agrees on nothing.
 */
export async function findAgreed(
  { chain, client, signal }: Pick<WriterContext, 'chain' | 'client' | 'signal'>,
  { blocks, records }: { readonly blocks: readonly Block[]; readonly records: readonly TransactionState[] },
): Promise<ReadonlySet<string>> {
  const agreed = new Set<string>();
  if (!chain.hasOthers) return agreed;
  const labels = new Set(client.clients.map(({ label }) => label));
  for (const block of blocks) {
    const told = records.filter(({ blockHash }) => blockHash === block.hash);
    const attested = block.transactions.filter(
      (transaction) =>
        !lacksEvidence(transaction.verification) &&
        told.some(
          ({ hash, verification }) =>
            hash === transaction.hash && (hasWord(transaction) || ASKED.has(verification)),
        ),
    );
    const endpoint = chain.endpointOf(block);
    if (attested.length === 0 || endpoint === undefined) continue;
    const opinions = await client.readBlockElsewhere(block, endpoint, signal);
    for (const transaction of attested) {
      const own = describeAttested(transaction, block.leavesOut);
      if (judgeOpinions(own, { endpoint, labels, opinions }) === 'agreed')
        agreed.add(agreedKey(block.hash, transaction.hash));
    }
  }
  return agreed;
}
