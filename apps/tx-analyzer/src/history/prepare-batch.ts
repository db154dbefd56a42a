// SPDX-License-Identifier: Apache-2.0
import {
  IncompleteBlockError,
  type AddressFilter,
  type Block,
  type BlockRef,
  type FailoverClient,
} from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import { attestedDifferently, describeAttested, judgeOpinions } from '../commit/judge-opinions.ts';
import { awaitsOthers } from '../commit/write-attested.ts';
import { collectAddresses, findCandidates } from '../match/find-hits.ts';
import { matchTransactions } from '../match/match-transactions.ts';
import type { ChainContext } from '../model/chain-context.ts';
import type { MatchedTransaction, WatchedByAddress } from '../model/matched-transaction.ts';
import type { SetAsideLook } from '../model/set-asides.ts';
import { confirmAddresses } from '../watch/family-watch.ts';
import type { HistoryJob, HistoryTurn } from './history-turn.ts';

export interface BatchDeps {
  readonly sql: Sql;
  readonly chain: ChainContext;
  readonly client: FailoverClient;
  readonly watch: AddressFilter;
  /** Reads through the gate that holds back blocks with something unknown. */
  readonly readBlock: (ref: BlockRef, signal: AbortSignal) => Promise<Block>;
  readonly signal: AbortSignal;
}

/** Blocks that were read, and what in them is of the turn's jobs. */
export interface Batch {
  readonly blocks: readonly Block[];
  readonly matches: readonly MatchedTransaction[];
}

/** Reads blocks, finds what in them is of the turn's jobs, and proves it or asks others about it. */
export async function prepareBatch(
  { readBlock, sql, chain, client, watch, signal }: BatchDeps,
  { turn: { jobs }, refs }: { readonly turn: HistoryTurn; readonly refs: readonly BlockRef[] },
): Promise<Batch> {
  const blocks = await Promise.all(refs.map((ref) => readBlock(ref, signal)));
  // What is final has its evidence; a node without it is behind.
  const open = blocks.find(({ verification }) => verification === 'settling');
  if (open !== undefined)
    throw new IncompleteBlockError(`evidence for block ${open.number} ${open.hash} is missing`);
  const matches = await matchHistory(
    { sql, chainGid: chain.gid, family: chain.family, watch, setAsides: chain.setAsides.stored },
    jobs,
    blocks,
  );
  for (const block of blocks) {
    const own = matches.filter((match) => match.block.hash === block.hash);
    if (own.length > 0)
      await client.proveSenders?.(block, [...new Set(own.map(({ transaction }) => transaction))], signal);
  }
  return hearOthers({ chain, client, signal }, { blocks, matches });
}

interface MatchDeps {
  readonly sql: Sql;
  readonly chainGid: string;
  readonly family: string;
  readonly watch: AddressFilter;
  readonly setAsides: SetAsideLook;
}

/**
 * What in blocks concerns the jobs' addresses, in block order, as the head would have found it. Other addresses of the
 * same project that count there, or whose history covers it, take part, so that a record does not depend on whose turn
 * comes first.
 */
async function matchHistory(
  { sql, chainGid, family, watch, setAsides }: MatchDeps,
  jobs: readonly HistoryJob[],
  blocks: readonly Block[],
): Promise<MatchedTransaction[]> {
  const own = new Set(jobs.map(({ address }) => address));
  const candidates = blocks
    .map((block) => findCandidates(block, own, setAsides))
    .filter((found) => found !== undefined && found.transactions.length > 0);
  if (candidates.length === 0) return [];
  const addresses = new Set<string>();
  const either: AddressFilter = { has: (address) => own.has(address) || watch.has(address) };
  for (const found of candidates) collectAddresses(found!, either, addresses);
  const watched = await withHistories(
    sql,
    chainGid,
    await confirmAddresses({ sql, family, chainGid }, addresses),
  );
  const last = new Map(jobs.map(({ addressId, toBlock }) => [addressId, toBlock]));
  return candidates.flatMap((found) => {
    const { block, transactions } = found!;
    return matchTransactions({ block, transactions, watched }).filter(
      (match) =>
        !setAsides.hasMatch(match) &&
        match.participants.some(({ id }) => block.number <= (last.get(id) ?? -1)),
    );
  });
}

/** Addresses count from the first block of their history on. */
async function withHistories(
  sql: Sql,
  chainGid: string,
  watched: WatchedByAddress,
): Promise<WatchedByAddress> {
  const ids = [...watched.values()].flatMap((entries) => entries.map(({ id }) => id));
  if (ids.length === 0) return watched;
  const { rows } = await sql.query<{ address_id: string; from_block: number }>(
    'SELECT address_id, from_block FROM address_histories WHERE chain_gid = $1 AND address_id = ANY($2::uuid[])',
    [chainGid, ids],
  );
  const firsts = new Map(rows.map((row) => [row.address_id, row.from_block]));
  return new Map(
    [...watched].map(([address, entries]) => [
      address,
      entries.map((entry) => ({
        ...entry,
        fromBlock: Math.min(entry.fromBlock, firsts.get(entry.id) ?? entry.fromBlock),
      })),
    ]),
  );
}

interface HearDeps {
  readonly chain: Pick<ChainContext, 'hasOthers' | 'endpointOf'>;
  readonly client: Pick<FailoverClient, 'clients' | 'readBlockElsewhere'>;
  readonly signal: AbortSignal;
}

/**
 * Asks endpoints of other operators about what one node attests, before history confirms it: the same is `agreed`, a
 * contradiction leaves it `unproved` with an incident of its block, and without an answer it is confirmed as ever.
 */
async function hearOthers(deps: HearDeps, { blocks, matches }: Batch): Promise<Batch> {
  const heard = await Promise.all(
    blocks.map((block) =>
      hearOf(
        deps,
        block,
        matches.filter((match) => match.block.hash === block.hash),
      ),
    ),
  );
  return { blocks: heard.map(({ block }) => block), matches: heard.flatMap((one) => one.matches) };
}

async function hearOf(
  { chain, client, signal }: HearDeps,
  block: Block,
  matches: readonly MatchedTransaction[],
): Promise<{ readonly block: Block; readonly matches: readonly MatchedTransaction[] }> {
  const isAsked = ({ transaction }: MatchedTransaction): boolean =>
    awaitsOthers(chain, transaction.verification);
  if (!matches.some(isAsked)) return { block, matches };
  const endpoint = chain.endpointOf(block) ?? '';
  const opinions = await client.readBlockElsewhere(block, endpoint, signal);
  const labels = new Set(client.clients.map(({ label }) => label));
  const judged = matches.map((match) => {
    const told = describeAttested(match.transaction, block.leavesOut);
    return {
      match,
      verdict: isAsked(match) ? judgeOpinions(told, { endpoint, labels, opinions }) : undefined,
    };
  });
  const disputed = judged.find(({ verdict }) => verdict === 'contradicted');
  const told: Block =
    disputed === undefined
      ? block
      : {
          ...block,
          unknowns: [...(block.unknowns ?? []), attestedDifferently([disputed.match.transaction.hash])],
        };
  return {
    block: told,
    matches: judged.map(({ match, verdict }) => ({
      ...match,
      block: told,
      transaction:
        verdict === undefined
          ? match.transaction
          : { ...match.transaction, verification: verdict === 'agreed' ? 'agreed' : 'unproved' },
    })),
  };
}
