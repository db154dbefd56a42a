// SPDX-License-Identifier: Apache-2.0
import { BlockNotFoundError, ChainError, type BlockRef } from '@chainwatch/chain-core';
import { moveRound, readPosition, startRound, type Sql } from '@chainwatch/data/db';
import { counter, withSpan } from '@chainwatch/platform/telemetry';
import { setAsidePoison, setAsideUnanswered, type Settle } from '../chain/set-aside-poison.ts';
import { readChainState } from '../plan/chain-state.ts';
import { WAITING_BLOCKS } from '../plan/plan-changes.ts';
import type { BalanceReader } from '../read/balance-reader.ts';
import { readTargets } from '../read/read-targets.ts';
import type { BalanceStore } from '../store/balance-store.ts';
import type { BalanceEvent } from '../store/insert-events.ts';
import { planRound, type RoundPlan } from './plan-round.ts';
import { readDoubted, readPage, type Doubt, type Page, type RoundTarget } from './read-page.ts';
import { deleteDoubts, insertDoubts } from '../store/store-doubts.ts';
import { storeChanges } from '../store/store-changes.ts';

export interface RoundDeps {
  readonly store: BalanceStore;
  readonly client: BalanceReader;
  readonly clock: () => Date;
  readonly signal: AbortSignal;
  /** An address is read again at the earliest after this. */
  readonly intervalMs: number;
  /** Requests to the node that the piece may make; a single balance may need more. */
  readonly requestsMax: number;
  /** The last piece was of second readings: the round is next, so that balances which always differ do not stop it. */
  readonly isRoundsTurn: boolean;
  /** Balances of the next address that earlier pieces have read (`pairOf`): it is too large for one. */
  readonly done?: ReadonlySet<string> | undefined;
  /** A piece failed before: a single address is read, and its balances set aside if they are at fault. */
  readonly isSuspect: boolean;
}

/** `waiting`: the analyzer has to move first. `resting`: everything was read, and not long ago. */
export type RoundPiece =
  | { readonly type: 'waiting' }
  | { readonly type: 'resting'; readonly restMs: number }
  | {
      readonly type: 'done';
      readonly events: readonly BalanceEvent[];
      readonly requests: number;
      readonly isSecond: boolean;
      /** Those of an address that is not read as a whole yet, with `done`; empty where the round moved on. */
      readonly part: ReadonlySet<string>;
    };

/** Of one piece. */
export const ADDRESSES_MAX = 100;
/** Balances of one piece of which the chain is asked a second time. */
const DOUBTED_MAX = 100;
/** How often coins that the analyzer has corrected are looked for. */
const CORRECTED_EVERY_MS = 1_000;
const readingsTotal = counter('chainwatch_balance_round_readings_total', {
  description: 'Balances that rounds have read again.',
});
const differencesTotal = counter('chainwatch_balance_differences_total', {
  description:
    'Differences that no transfer explains: seen by a first reading, told after a second, dropped by it.',
});

/**
 * One piece of a chain's balance round: second readings that are due, or the balances of the next addresses.
 * @throws ChainError when the node is at fault: the round stays where it is
 */
export async function runRoundPiece(deps: RoundDeps): Promise<RoundPiece> {
  const { store, client, intervalMs } = deps;
  const { network } = client;
  const { cursor, confirmedNumber, isHeld, isCursorOrphaned } = await readChainState(store.sql, network.gid);
  if (cursor === undefined || isHeld || isCursorOrphaned) return { type: 'waiting' };
  const isOfCoins = client.verification === 'proved';
  const until = isOfCoins
    ? cursor.number
    : cursor.number - (client.tellsHeadOnly === true ? WAITING_BLOCKS : 1);
  const doubted = await readDoubted(store.sql, network, {
    until,
    cursor: cursor.number,
    pairsMax: DOUBTED_MAX,
  });
  if (doubted.dropped.length > 0) await store.write((sql) => deleteDoubts(sql, doubted.dropped));
  const position = isOfCoins ? undefined : await readPosition(store.sql, network.gid);
  const restMs = isOfCoins ? CORRECTED_EVERY_MS : position?.isEnded ? intervalMs - position.ageMs : 0;
  if (doubted.targets.length > 0 && (restMs > 0 || !deps.isRoundsTurn)) {
    const targets = fit(deps, doubted.targets);
    return finish(deps, { cursor, targets, isSecond: true });
  }
  if (restMs > 0) return { type: 'resting', restMs };
  if (position === undefined || position.isEnded) {
    const final = await findBlock(store, network.gid, confirmedNumber);
    await store.write((sql) => startRound(sql, network.gid, final));
  }
  const after = position?.isEnded === false ? position.after : undefined;
  const page = await readPage(store.sql, network, {
    after,
    addressesMax: deps.isSuspect ? 1 : ADDRESSES_MAX,
  });
  const left = { ...page, targets: page.targets.filter((target) => deps.done?.has(pairOf(target)) !== true) };
  const targets = fit(deps, left.targets);
  const rest = left.targets[targets.length];
  if (rest !== undefined && rest.addressId === targets.at(-1)!.addressId)
    return finish(deps, { cursor, targets, isPart: true });
  return finish(deps, { cursor, ...cut(left, targets) });
}

type Piece = {
  readonly cursor: BlockRef;
  readonly targets: readonly (RoundTarget & { readonly doubt?: Doubt })[];
} & (
  | (Pick<Page, 'after' | 'isLast'> & { readonly isSecond?: undefined; readonly isPart?: undefined })
  | { readonly isSecond: true; readonly isPart?: undefined }
  | { readonly isSecond?: undefined; readonly isPart: true }
);

async function finish(deps: RoundDeps, piece: Piece): Promise<RoundPiece> {
  const { store, client } = deps;
  const { targets, cursor } = piece;
  const chainGid = client.network.gid;
  const settle = createSettle(deps, piece);
  let events: readonly BalanceEvent[] | undefined = [];
  try {
    if (targets.length > 0) events = await settle.store(await settle.read(targets), [], store.write);
  } catch (error) {
    if (!deps.isSuspect || error instanceof BlockNotFoundError) throw error;
    // What the node answers for no other reason than these balances is set aside, and named.
    const suspects = { chainGid, targets, cursor, settle };
    const isFound =
      error instanceof ChainError
        ? await setAsideUnanswered(store, client, { ...suspects, signal: deps.signal })
        : await setAsidePoison(store, suspects);
    if (!isFound) throw error;
  }
  if (events === undefined) return { type: 'waiting' };
  const isSecond = piece.isSecond === true;
  if (!isSecond && piece.isPart !== true) await store.write((sql) => moveRound(sql, chainGid, piece as Page));
  const part = new Set(
    piece.isPart === true ? [...(deps.done ?? []), ...targets.map(pairOf)] : isSecond ? deps.done : undefined,
  );
  return { type: 'done', events, requests: countRequests(client, targets), isSecond, part };
}

function createSettle({ store, client, clock, signal }: RoundDeps, piece: Piece): Settle {
  const { targets, cursor } = piece;
  const chainGid = client.network.gid;
  const { verification = 'attested', tellsHeadOnly = false, readBalancesElsewhere } = client;
  const asked =
    piece.isSecond && readBalancesElsewhere !== undefined
      ? { ...client, readBalances: readBalancesElsewhere }
      : client;
  const count = (outcome: string, differences: number): void =>
    differencesTotal.add(differences, { chain_gid: chainGid, outcome });
  return {
    async read(some) {
      const attributes = { chain_gid: chainGid, 'block.number': cursor.number, balances: some.length };
      const answers = await withSpan('read balances again', { kind: 'client', attributes }, () =>
        readTargets(asked, { targets: some, cursor, signal }),
      );
      readingsTotal.add(some.length, { chain_gid: chainGid });
      return answers;
    },
    async store(answers, _, write) {
      for (;;) {
        const plan = await store.snapshot((sql) =>
          planRound(sql, { chainGid, answers, targets, cursor, verification, tellsHeadOnly }),
        );
        if (plan === undefined) return undefined;
        const events = await write((sql) => storeRound(sql, { chainGid, plan, now: clock() }));
        if (events === undefined) continue;
        count('seen', plan.doubted.length);
        count('told', plan.told.changes.length);
        count('dropped', plan.settled.length - plan.told.changes.length);
        return events;
      }
    },
  };
}

const pairOf = ({ addressId, assetGid }: Pick<RoundTarget, 'addressId' | 'assetGid'>): string =>
  `${addressId} ${assetGid}`;

/** As many of the first targets as the requests suffice for: whole addresses, or a part of the first one, one balance at least. */
function fit<T extends RoundTarget>({ client, requestsMax }: RoundDeps, targets: readonly T[]): readonly T[] {
  let end = 0;
  while (end < targets.length) {
    let next = end + 1;
    while (targets[next]?.addressId === targets[end]!.addressId) next += 1;
    if (countRequests(client, targets.slice(0, next)) > requestsMax) {
      if (end > 0) break;
      while (next > 1 && countRequests(client, targets.slice(0, next)) > requestsMax)
        next = Math.ceil(next / 2);
      return targets.slice(0, next);
    }
    end = next;
  }
  return targets.slice(0, end);
}

/** The page up to the last address of which the targets are left. */
function cut(page: Page, targets: readonly RoundTarget[]): Page {
  if (targets.length === page.targets.length) return page;
  const { address, addressId: id } = targets.at(-1)!;
  return { targets, after: { address, id }, isLast: false };
}

/** Of nodes that are asked for lists: as many are one request where the chain has no Multicall3. */
const QUERIES_OF_REQUEST = 100;

/** A list of calls is one request. Coins are in the database. */
function countRequests(
  { countBalanceRequests, verification }: BalanceReader,
  targets: readonly RoundTarget[],
): number {
  if (verification === 'proved') return 0;
  return countBalanceRequests === undefined
    ? Math.ceil(targets.length / QUERIES_OF_REQUEST)
    : countBalanceRequests(targets);
}

async function findBlock(
  store: BalanceStore,
  chainGid: string,
  number: number,
): Promise<BlockRef | undefined> {
  const { rows } = await store.sql.query<BlockRef>('SELECT number, hash FROM canonical_blocks($1, $2, $2)', [
    chainGid,
    number,
  ]);
  return rows[0];
}

/**
 * In an open transaction of the chain's owner, writes what a round has found. Returns the events of what is told.
 * Undefined: the plan's blocks have changed, and nothing is written.
 */
async function storeRound(
  sql: Sql,
  { chainGid, plan, now }: { readonly chainGid: string; readonly plan: RoundPlan; readonly now: Date },
): Promise<BalanceEvent[] | undefined> {
  const { told, doubted, settled } = plan;
  if (told.changes.length + doubted.length + settled.length === 0) return [];
  // Also where nothing is told: a difference counts only if its block still stands.
  const events = await storeChanges(sql, { chainGid, readIds: [], plan: told, now });
  if (events === undefined) return undefined;
  await deleteDoubts(sql, settled);
  await insertDoubts(sql, chainGid, doubted);
  return events;
}
