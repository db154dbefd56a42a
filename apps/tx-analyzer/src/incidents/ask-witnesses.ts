import type { Block, BlockRef, FailoverClient } from '@chainwatch/chain-core';
import { digestTransaction } from '../commit/digest-transaction.ts';
import type { Verdict } from './commit-verdicts.ts';

/** A block with transactions for which only one endpoint vouches. */
export interface UnprovedBlock extends BlockRef {
  readonly transactions: readonly {
    readonly hash: string;
    readonly endpoint: string /** Hex. */;
    readonly digest: string;
  }[];
}

type Witnesses = Pick<FailoverClient, 'clients' | 'readBlockElsewhere'>;

/**
 * Compares what an endpoint said about a block with the other endpoints. One that disagrees is a contradiction,
 * whoever else agrees. One that agrees is enough. Two are needed when the first endpoint is no longer configured:
 * one of those asked may be the same under another name. Without an opinion there is no verdict.
 */
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
    const digests = opinions.map((opinion) => ({ label: opinion.label, byHash: digestAll(opinion.block) }));
    for (const { hash, digest } of transactions) {
      const agreeing = digests.filter(({ byHash }) => byHash.get(hash) === digest);
      const isContradicted = agreeing.length < digests.length;
      if (
        !isContradicted &&
        new Set(agreeing.map(({ label }) => label)).size < (labels.has(endpoint) ? 1 : 2)
      )
        continue;
      verdicts.push({
        blockHash: block.hash,
        hash,
        digest: Buffer.from(digest, 'hex'),
        verdict: isContradicted ? 'contradicted' : 'agreed',
      });
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

function digestAll(block: Block): Map<string, string> {
  return new Map(
    block.transactions.map((transaction) => [
      transaction.hash,
      digestTransaction(transaction).toString('hex'),
    ]),
  );
}
