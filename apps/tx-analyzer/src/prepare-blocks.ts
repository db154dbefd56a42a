import type { Block, ChainClient } from '@chainwatch/chain-core';
import type { AssetBook } from './asset-book.ts';
import { BalanceReads } from './balance-read.ts';
import type { LateAddress } from './chain-watch.ts';
import type { BlocksStep } from './commit-blocks.ts';
import type { BlockCandidates } from './find-candidates.ts';
import { findHits, type HitDeps, type Hits } from './find-hits.ts';
import type { MatchedTransaction } from './matched-transaction.ts';
import { matchTransactions, type WatchedByAddress } from './match-transactions.ts';
import { addDetectedReads } from './plan-writes.ts';

export interface BlockToAnalyse {
  readonly block: Block;
  readonly traceparent?: string;
}

interface PrepareDeps extends HitDeps {
  readonly client?: Pick<ChainClient, 'proveSenders'>;
  readonly assets: AssetBook;
}

/** Finds out what blocks mean: watch set, the database's word on the hits, matches, token metadata, balances to read. */
export async function prepareBlocks(
  deps: PrepareDeps,
  blocks: readonly BlockToAnalyse[],
  late: readonly LateAddress[],
  lateCandidates: readonly BlockCandidates[],
  signal: AbortSignal,
): Promise<BlocksStep> {
  const hits = await findHits(
    deps,
    blocks.map(({ block }) => block),
    lateCandidates,
  );
  const { candidates, watched } = hits;
  const nativeGid = deps.network.native.gid;
  const reads = new BalanceReads();
  const matches: MatchedTransaction[] = [];
  const matchesOf = new Map<string, readonly MatchedTransaction[]>();
  for (const [position, { block, traceparent }] of blocks.entries()) {
    const found = candidates[position];
    if (found !== undefined && watched.size > 0) {
      const ofBlock = matchTransactions(block, found.transactions, watched, traceparent);
      await proveSenders(deps, block, ofBlock, signal);
      addDetectedReads(reads, ofBlock, nativeGid, true);
      addChanged(reads, found, watched, traceparent);
      matches.push(...ofBlock);
      matchesOf.set(block.hash, ofBlock);
    }
  }
  const lateMatches = matchLate(late, hits);
  for (const { block } of hits.late)
    await proveSenders(
      deps,
      block,
      lateMatches.filter((match) => match.block.hash === block.hash),
      signal,
    );
  addDetectedReads(reads, lateMatches, nativeGid, false);
  const moved = movedTokens([...lateMatches, ...matches], nativeGid);
  const newAssets = await deps.assets.prepare(moved, signal);
  const movedBefore = movedTokens(lateMatches, nativeGid);
  for (const analysed of blocks) {
    for (const gid of movedTokens(matchesOf.get(analysed.block.hash) ?? [], nativeGid)) movedBefore.add(gid);
    addTouched(reads, analysed, (gid) => movedBefore.has(gid) || deps.assets.isHeld(gid));
  }
  const usedIds = listUsed([...lateMatches, ...matches], watched);
  const { utxos } = hits;
  return {
    blocks: blocks.map(({ block }) => block),
    matches,
    late: lateMatches,
    reads: reads.list(),
    newAssets,
    usedIds,
    ...(utxos === undefined ? {} : { utxos }),
  };
}

/** Of the transactions that somebody watches: of all it would cost more than the rest of a block. */
async function proveSenders(
  { client }: PrepareDeps,
  block: Block,
  matches: readonly MatchedTransaction[],
  signal: AbortSignal,
): Promise<void> {
  if (client?.proveSenders === undefined || matches.length === 0) return;
  await client.proveSenders(block, [...new Set(matches.map(({ transaction }) => transaction))], signal);
}

/** Tokens that moved to or from somebody watched. */
export function movedTokens(matches: readonly MatchedTransaction[], nativeGid: string): Set<string> {
  const gids = new Set<string>();
  for (const { transfers } of matches)
    for (const { assetGid } of transfers) if (assetGid !== nativeGid) gids.add(assetGid);
  return gids;
}

/** Derived addresses that take part in a transaction for the first time. */
export function listUsed(matches: readonly MatchedTransaction[], watched: WatchedByAddress): string[] {
  const unused = new Set<string>();
  for (const entries of watched.values())
    for (const { id, isUnused } of entries) if (isUnused === true) unused.add(id);
  if (unused.size === 0) return [];
  return [...new Set(matches.flatMap(({ participants }) => participants.map(({ id }) => id)))].filter((id) =>
    unused.has(id),
  );
}

/**
 * Only what concerns an address that is late; the others of the project are told of these blocks already. A coin that
 * becomes known with it, though, is news to everybody who watches the same address.
 */
function matchLate(late: readonly LateAddress[], hits: Hits): MatchedTransaction[] {
  if (hits.late.length === 0) return [];
  const ids = new Set(late.map((entry) => entry.id));
  const addresses = new Set(hits.utxos === undefined ? [] : late.map((entry) => entry.address));
  return hits.late
    .flatMap(({ block, transactions }) => matchTransactions(block, transactions, hits.watched))
    .filter(({ participants }) =>
      participants.some(({ id, address }) => ids.has(id) || addresses.has(address)),
    );
}

/** Withdrawals and rewards move no transaction: the balance is read all the same. */
function addChanged(
  reads: BalanceReads,
  { block, balanceChanges }: BlockCandidates,
  watched: WatchedByAddress,
  traceparent: string | undefined,
): void {
  for (const { address, assetGid } of balanceChanges) {
    for (const { id, fromBlock } of watched.get(address) ?? []) {
      if (fromBlock <= block.number)
        reads.add({
          addressId: id,
          assetGid,
          block,
          reason: 'touched',
          ...(traceparent === undefined ? {} : { traceparent }),
        });
    }
  }
}

function addTouched(
  reads: BalanceReads,
  { block, traceparent }: BlockToAnalyse,
  isHeld: (assetGid: string) => boolean,
): void {
  for (const assetGid of block.touchedAssets) {
    if (isHeld(assetGid))
      reads.add({
        assetGid,
        block,
        reason: 'touched',
        ...(traceparent === undefined ? {} : { traceparent }),
      });
  }
}
