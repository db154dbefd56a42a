// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import {
  BlockNotFoundError,
  type BlockRef,
  type CoinScan,
  type FailoverClient,
} from '@chainwatch/chain-core';
import {
  forgetRound,
  moveRound,
  readPosition,
  startRound,
  type Sql,
  type RoundPosition,
} from '@chainwatch/data/db';
import { counter } from '@chainwatch/platform/telemetry';
import type { WriterQueue } from '../commit/writer-queue.ts';
import type { ChainContext } from '../model/chain-context.ts';
import { commitCorrection } from './commit-correction.ts';
import { compareCoins } from './compare-coins.ts';
import { differenceKey, type CoinDifference, type CoinDoubt } from './coin-difference.ts';
import { deleteDoubts, hasDoubts, insertDoubts, readDoubts } from './store-doubts.ts';
import type { CoinOwner } from '../backfill/find-passed.ts';

export interface CoinPieceDeps {
  readonly sql: Sql;
  readonly chain: Pick<ChainContext, 'gid' | 'family' | 'network' | 'share'>;
  readonly client: Pick<FailoverClient, 'coins' | 'scanCoinsElsewhere'>;
  readonly writerQueue: Pick<WriterQueue, 'enqueue'>;
  readonly signal: AbortSignal;
  /** A round begins at the earliest this long after the one before. */
  readonly intervalMs: number;
  /** Of one scan. */
  readonly addressesMax: number;
  /** How often the analyzer's cursor, and differences that wait for a block, are looked at. */
  readonly pollMs: number;
}

/** `scanned`: the node was asked. `resting`: everything was compared, and not long ago. `uncovered`: no node tells coins. */
export type CoinPiece =
  | { readonly type: 'scanned' }
  | { readonly type: 'resting'; readonly restMs: number }
  | { readonly type: 'uncovered' };

/** How long a scan waits for the analyzer to reach its block. */
const BLOCK_WAIT_MS = 60_000;

const readingsTotal = counter('chainwatch_balance_round_readings_total', {
  description: 'Balances that rounds have read again.',
});
const differencesTotal = counter('chainwatch_balance_differences_total', {
  description:
    'Differences that no transaction explains: seen by a first reading, told after a second, dropped by it.',
});

/**
 * One piece of a round over coins, with one scan at most: differences of earlier scans that are due, or the next addresses.
 * @throws ChainError when the node is at fault: the round stays where it is
 */
export async function runCoinPiece(deps: CoinPieceDeps): Promise<CoinPiece> {
  const { sql, chain, addressesMax, intervalMs, pollMs } = deps;
  const state = await readState(sql, chain.gid);
  if (state === undefined) return { type: 'resting', restMs: pollMs };
  const doubts = await readDoubts(sql, chain.gid, { below: state.cursorNumber, addressesMax });
  if (doubts.length > 0) return compareAgain(deps, doubts);
  const position = await readPosition(sql, chain.gid);
  if (position?.isEnded === true && position.ageMs < intervalMs) {
    const restMs = intervalMs - position.ageMs;
    return { type: 'resting', restMs: (await hasDoubts(sql, chain.gid)) ? Math.min(restMs, pollMs) : restMs };
  }
  const isBegun = position?.isEnded === false;
  const page = await readAddressPage(sql, chain, {
    after: isBegun ? position.after : undefined,
    addressesMax,
  });
  // Without an address to compare there is no round to show.
  if (!isBegun && page.addresses.length === 0 && page.isLast) return endWithout(deps);
  if (!isBegun) await chain.share.transaction((own) => startRound(own, chain.gid, state.final));
  return compareNext(deps, { page, floor: state.final?.number ?? 0 });
}

async function compareNext(
  deps: CoinPieceDeps,
  { page, floor }: { readonly page: AddressPage; readonly floor: number },
): Promise<CoinPiece> {
  const { chain } = deps;
  const { addresses } = page;
  let found: Comparison | undefined;
  if (addresses.length > 0) {
    found = await scanAndCompare(deps, { addresses, floor, isSecond: false });
    if (found === undefined) return endUncovered(deps);
  }
  const { differences = [], at } = found ?? {};
  await chain.share.transaction(async (own) => {
    if (at !== undefined) await insertDoubts(own, chain, { differences, at });
    await moveRound(own, chain.gid, page);
  });
  count(chain.gid, 'seen', differences);
  return { type: 'scanned' };
}

/** A second scan, at a later block. What it shows too is corrected, the rest is dropped: the next round finds it again. */
async function compareAgain(deps: CoinPieceDeps, doubts: readonly CoinDoubt[]): Promise<CoinPiece> {
  const { sql, chain, writerQueue } = deps;
  const addresses = doubts.map(({ address }) => address);
  const floor = Math.max(...doubts.map(({ block }) => block.number)) + 1;
  const found = await scanAndCompare(deps, { addresses, floor, isSecond: true });
  if (found === undefined) return endUncovered(deps);
  const orphaned = await listOrphaned(sql, chain.gid, doubts);
  const doubted = new Map(doubts.map((doubt) => [doubt.address, doubt]));
  const shown = found.differences.filter((difference) => {
    const { block, coins } = doubted.get(difference.address)!;
    return !orphaned.has(block.hash) && coins.has(differenceKey(difference));
  });
  const { at } = found;
  const owners = await readOwners(sql, chain, {
    addresses: [...new Set(shown.map(({ address }) => address))],
    watchedFrom: at.number + 1,
  });
  if (owners.length > 0) {
    const work = commitCorrection({ chain, differences: shown, at }, owners);
    if (!(await writerQueue.enqueue(work)))
      throw new BlockNotFoundError(`block ${at.number} ${at.hash} was undone`);
  }
  // What was handed over is no doubt any more.
  await chain.share.transaction((own) => deleteDoubts(own, chain, addresses));
  const left = doubts.filter(({ address }) => !shown.some((difference) => difference.address === address));
  count(chain.gid, 'dropped', left);
  return { type: 'scanned' };
}

interface Comparison {
  readonly at: BlockRef;
  readonly differences: readonly CoinDifference[];
}

interface Scanning {
  readonly addresses: readonly string[];
  /** The scan's block is this one or a later one. */
  readonly floor: number;
  /** Another endpoint is asked, where one tells coins. */
  readonly isSecond: boolean;
}

/**
 * Undefined: no node tells coins. Where another endpoint stands still, or on another chain, a later scan of the first one is
 * the second.
 * @throws BlockNotFoundError while node and analyzer do not stand on the same chain
 */
async function scanAndCompare(deps: CoinPieceDeps, scanning: Scanning): Promise<Comparison | undefined> {
  const { client, signal } = deps;
  const { addresses, isSecond } = scanning;
  const elsewhere = isSecond ? await client.scanCoinsElsewhere?.(addresses, signal) : undefined;
  if (elsewhere !== undefined) {
    try {
      return await compareScan(deps, scanning, elsewhere);
    } catch (error) {
      if (!(error instanceof BlockNotFoundError)) throw error;
    }
  }
  const scan = await client.coins?.scanCoins(addresses, signal);
  return scan && compareScan(deps, scanning, scan);
}

async function compareScan(
  deps: CoinPieceDeps,
  { addresses, floor }: Scanning,
  scan: CoinScan,
): Promise<Comparison> {
  const { sql, chain } = deps;
  const { at } = scan;
  if (at.number < floor)
    throw new BlockNotFoundError(`the node scanned its coins at ${at.number}, expected ${floor} or above`);
  await untilAnalysed(deps, scan);
  const differences = await compareCoins(sql, chain, { addresses, scan });
  if (differences === undefined)
    throw new BlockNotFoundError(`the scan stands at ${at.number} ${at.hash}, which is not canonical here`);
  readingsTotal.add(addresses.length, { chain_gid: chain.gid });
  return { at, differences };
}

async function untilAnalysed({ sql, chain, signal, pollMs }: CoinPieceDeps, { at }: CoinScan): Promise<void> {
  const endMs = performance.now() + BLOCK_WAIT_MS;
  while (((await readState(sql, chain.gid))?.cursorNumber ?? -1) < at.number) {
    if (performance.now() > endMs) throw new BlockNotFoundError(`block ${at.number} is not analysed yet`);
    await delay(Math.min(pollMs, 100), undefined, { signal });
  }
}

/** Without scans the age of balances is unknown: no round is shown, and no difference waits for a second scan. */
async function endUncovered({ chain }: CoinPieceDeps): Promise<CoinPiece> {
  await chain.share.transaction(async (own) => {
    await forgetRound(own, chain.gid);
    await deleteDoubts(own, chain);
  });
  return { type: 'uncovered' };
}

async function endWithout(deps: CoinPieceDeps): Promise<CoinPiece> {
  await endUncovered(deps);
  return { type: 'resting', restMs: Math.min(deps.pollMs * 10, deps.intervalMs) };
}

function count(chainGid: string, outcome: string, of: readonly { readonly address: string }[]): void {
  const addresses = new Set(of.map(({ address }) => address)).size;
  if (addresses > 0) differencesTotal.add(addresses, { chain_gid: chainGid, outcome });
}

interface State {
  readonly cursorNumber: number;
  readonly final: BlockRef | undefined;
}

/** Undefined while nothing is analysed, or the chain recovers. */
async function readState(sql: Sql, chainGid: string): Promise<State | undefined> {
  const { rows } = await sql.query<{ cursor: number; number: number | null; hash: string | null }>({
    name: 'read_coin_round_state',
    text: `SELECT s.cursor_number AS cursor, b.number, b.hash FROM analyzer_states s
           LEFT JOIN LATERAL canonical_blocks(s.chain_gid, s.confirmed_number, s.confirmed_number) b ON true
           WHERE s.chain_gid = $1 AND s.cursor_number IS NOT NULL AND (s.hold_until_seq IS NULL OR s.cursor_seq >= s.hold_until_seq)`,
    values: [chainGid],
  });
  const [row] = rows;
  if (row === undefined) return undefined;
  const { cursor: cursorNumber, number, hash } = row;
  return { cursorNumber, final: number === null || hash === null ? undefined : { number, hash } };
}

/** Hashes of the blocks of differences that are not canonical any more. */
async function listOrphaned(
  sql: Sql,
  chainGid: string,
  doubts: readonly CoinDoubt[],
): Promise<ReadonlySet<string>> {
  const blocks = [...new Map(doubts.map(({ block }) => [block.hash, block])).values()];
  const { rows } = await sql.query<{ hash: string }>(
    `SELECT t.hash FROM unnest($2::bigint[], $3::text[]) AS t (number, hash)
     WHERE NOT EXISTS (SELECT FROM canonical_blocks($1, t.number, t.number) b WHERE b.hash = t.hash)`,
    [chainGid, blocks.map(({ number }) => number), blocks.map(({ hash }) => hash)],
  );
  return new Set(rows.map(({ hash }) => hash));
}

interface AddressRow {
  readonly id: string;
  readonly address: string;
  readonly is_compared: boolean;
}

/** The addresses of one scan. */
interface AddressPage {
  /** Those with a complete import: canonical, each once. */
  readonly addresses: readonly string[];
  /** The last row of the page, and whether more follow. */
  readonly after: RoundPosition['after'];
  readonly isLast: boolean;
}

const IS_COMPARED = `a.is_monitored AND EXISTS (SELECT FROM address_backfills f WHERE f.address_id = a.id AND f.chain_gid = $1 AND f.status = 'complete')`;
const NIL = '00000000-0000-0000-0000-000000000000';

/** The next addresses of a round. @param addressesMax at least 1 */
async function readAddressPage(
  sql: Sql,
  { gid, family }: Pick<ChainContext, 'gid' | 'family'>,
  { after, addressesMax }: { readonly after: RoundPosition['after']; readonly addressesMax: number },
): Promise<AddressPage> {
  const { rows } = await sql.query<AddressRow>({
    name: 'read_coin_round_addresses',
    text: `SELECT a.id, a.address, ${IS_COMPARED} AS is_compared FROM addresses a
           WHERE a.chain_family = $2 AND a.address >= $3 AND (a.address > $3 OR a.id > $4) ORDER BY a.address, a.id LIMIT $5`,
    values: [gid, family, after?.address ?? '', after?.id ?? NIL, addressesMax],
  });
  const last = rows.at(-1);
  return {
    addresses: [...new Set(rows.flatMap((row) => (row.is_compared ? [row.address] : [])))],
    after: last && { address: last.address, id: last.id },
    isLast: rows.length < addressesMax,
  };
}

/** Whoever watches `addresses` and has all of their coins, as if they counted from a block on. */
async function readOwners(
  sql: Sql,
  { gid, family }: Pick<ChainContext, 'gid' | 'family'>,
  { addresses, watchedFrom }: { readonly addresses: readonly string[]; readonly watchedFrom: number },
): Promise<CoinOwner[]> {
  const { rows } = await sql.query<Pick<AddressRow, 'id' | 'address'>>(
    `SELECT a.id, a.address FROM addresses a WHERE ${IS_COMPARED} AND a.chain_family = $2 AND a.address = ANY($3) ORDER BY a.id`,
    [gid, family, addresses],
  );
  return rows.map(({ id, address }) => ({ id, address, watchedFrom }));
}
