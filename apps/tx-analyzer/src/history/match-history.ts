// SPDX-License-Identifier: Apache-2.0
import type { AddressFilter, Block } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import { collectAddresses, findCandidates } from '../match/find-hits.ts';
import { matchTransactions } from '../match/match-transactions.ts';
import type { MatchedTransaction, WatchedByAddress } from '../model/matched-transaction.ts';
import { confirmAddresses } from '../watch/family-watch.ts';
import type { SetAsideLook } from '../model/set-asides.ts';
import type { HistoryJob } from './history-turn.ts';

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
export async function matchHistory(
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
