import type { Block } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/db';
import type { AssetBook } from './asset-book.ts';
import { BalanceReads } from './balance-read.ts';
import type { LateAddress } from './chain-watch.ts';
import type { BlocksStep } from './commit-blocks.ts';
import { confirmAddresses } from './confirm-addresses.ts';
import { collectAddresses, findCandidates, type AddressFilter, type BlockCandidates } from './find-candidates.ts';
import type { MatchedTransaction } from './matched-transaction.ts';
import { matchTransactions, type WatchedByAddress } from './match-transactions.ts';
import { addDetectedReads } from './plan-writes.ts';

export interface BlockToAnalyse {
  readonly block: Block;
  readonly traceparent?: string;
}

interface PrepareDeps {
  readonly sql: Sql;
  readonly chainGid: string;
  readonly family: string;
  readonly nativeGid: string;
  readonly watch: AddressFilter;
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
  const candidates = blocks.map(({ block }) => findCandidates(block, deps.watch));
  const addresses = new Set<string>();
  for (const found of [...lateCandidates, ...candidates]) if (found !== undefined) collectAddresses(found, deps.watch, addresses);
  const watched = await confirmAddresses(deps.sql, deps.family, deps.chainGid, addresses);
  const reads = new BalanceReads();
  const matches: MatchedTransaction[] = [];
  const matchesOf = new Map<string, readonly MatchedTransaction[]>();
  for (const [position, { block, traceparent }] of blocks.entries()) {
    const found = candidates[position];
    if (found !== undefined && watched.size > 0) {
      const ofBlock = matchTransactions(block, found.transactions, watched, traceparent);
      addDetectedReads(reads, ofBlock, deps.nativeGid, true);
      addChanged(reads, found, watched, traceparent);
      matches.push(...ofBlock);
      matchesOf.set(block.hash, ofBlock);
    }
  }
  const lateMatches = matchLate(late, lateCandidates, watched);
  addDetectedReads(reads, lateMatches, deps.nativeGid, false);
  const moved = movedTokens([...lateMatches, ...matches], deps.nativeGid);
  const newAssets = await deps.assets.prepare(moved, signal);
  const movedBefore = movedTokens(lateMatches, deps.nativeGid);
  for (const analysed of blocks) {
    for (const gid of movedTokens(matchesOf.get(analysed.block.hash) ?? [], deps.nativeGid)) movedBefore.add(gid);
    addTouched(reads, analysed, (gid) => movedBefore.has(gid) || deps.assets.isHeld(gid));
  }
  const list = reads.list();
  const movedGids = [...new Set(list.map((read) => read.assetGid))].filter((gid) => moved.has(gid) || deps.assets.wasMoved(gid));
  return { blocks: blocks.map(({ block }) => block), matches, late: lateMatches, reads: list, movedGids, newAssets };
}

/** Tokens that moved to or from somebody watched. */
export function movedTokens(matches: readonly MatchedTransaction[], nativeGid: string): Set<string> {
  const gids = new Set<string>();
  for (const { transfers } of matches) for (const { assetGid } of transfers) if (assetGid !== nativeGid) gids.add(assetGid);
  return gids;
}

/** Only what concerns an address that is late; the others of the project are told of these blocks already. */
function matchLate(late: readonly LateAddress[], candidates: readonly BlockCandidates[], watched: WatchedByAddress): MatchedTransaction[] {
  if (candidates.length === 0) return [];
  const ids = new Set(late.map((entry) => entry.id));
  return candidates
    .flatMap(({ block, transactions }) => matchTransactions(block, transactions, watched))
    .filter(({ participants }) => participants.some((participant) => ids.has(participant.id)));
}

/** Withdrawals and rewards move no transaction: the balance is read all the same. */
function addChanged(reads: BalanceReads, { block, balanceChanges }: BlockCandidates, watched: WatchedByAddress, traceparent: string | undefined): void {
  for (const { address, assetGid } of balanceChanges) {
    for (const { id, fromBlock } of watched.get(address) ?? []) {
      if (fromBlock <= block.number) reads.add({ addressId: id, assetGid, block, reason: 'touched', ...(traceparent === undefined ? {} : { traceparent }) });
    }
  }
}

function addTouched(reads: BalanceReads, { block, traceparent }: BlockToAnalyse, isHeld: (assetGid: string) => boolean): void {
  for (const assetGid of block.touchedAssets) {
    if (isHeld(assetGid)) reads.add({ assetGid, block, reason: 'touched', ...(traceparent === undefined ? {} : { traceparent }) });
  }
}
