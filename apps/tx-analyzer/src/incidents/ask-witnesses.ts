// SPDX-License-Identifier: Apache-2.0
import type { BlockRef, FailoverClient } from '@chainwatch/chain-core';
import { judgeOpinions, type ToldTransaction } from '../commit/judge-opinions.ts';
import type { Verdict } from './commit-verdicts.ts';

/** A block with transactions for which only one endpoint vouches. */
export interface UnprovedBlock extends BlockRef {
  readonly transactions: readonly (ToldTransaction & { readonly endpoint: string })[];
}

type Witnesses = Pick<FailoverClient, 'clients' | 'readBlockElsewhere'>;

/** Compares what an endpoint said about a block with the other endpoints (`judgeOpinions`). Without an opinion there is no verdict. */
export async function askWitnesses(
  client: Witnesses,
  block: UnprovedBlock,
  signal: AbortSignal,
): Promise<Verdict[]> {
  const labels = new Set(client.clients.map(({ label }) => label));
  const verdicts: Verdict[] = [];
  for (const [endpoint, transactions] of groupByEndpoint(block)) {
    if (labels.size < 2 && labels.has(endpoint)) continue;
    const opinions = await client.readBlockElsewhere(
      { number: block.number, hash: block.hash },
      endpoint,
      signal,
    );
    for (const told of transactions) {
      const verdict = judgeOpinions(told, { endpoint, labels, opinions });
      if (verdict === undefined) continue;
      const { hash, digest } = told;
      verdicts.push({ blockHash: block.hash, hash, digest: Buffer.from(digest, 'hex'), verdict });
    }
  }
  return verdicts;
}

function groupByEndpoint({
  transactions,
}: UnprovedBlock): Map<string, UnprovedBlock['transactions'][number][]> {
  const groups = new Map<string, UnprovedBlock['transactions'][number][]>();
  for (const transaction of transactions) {
    const group = groups.get(transaction.endpoint);
    if (group === undefined) groups.set(transaction.endpoint, [transaction]);
    else group.push(transaction);
  }
  return groups;
}
