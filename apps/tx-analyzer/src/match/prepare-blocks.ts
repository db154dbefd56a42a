// SPDX-License-Identifier: Apache-2.0
import { lacksEvidence, type Block, type ChainClient } from '@chainwatch/chain-core';
import type { AssetRegistry } from './asset-registry.ts';
import type { RetroactiveAddress } from '../watch/chain-watch.ts';
import type { BalanceRead, BlockChange, BlockToAnalyse, BlocksStep, NewAsset } from '../model/blocks-step.ts';
import { type BlockCandidates, findHits, type HitDeps, type Hits } from './find-hits.ts';
import type { MatchedTransaction } from '../model/matched-transaction.ts';
import { listBlockChanges } from './list-block-changes.ts';
import { matchTransactions } from './match-transactions.ts';
import type { WatchedByAddress } from '../model/matched-transaction.ts';

interface PrepareDeps extends HitDeps {
  readonly client?: Pick<ChainClient, 'proveSenders'>;
  readonly assets: AssetRegistry;
}

interface Preparing {
  readonly blocks: readonly BlockToAnalyse[];
  readonly retroactive: readonly RetroactiveAddress[];
  /** Candidates for the retroactive addresses, in blocks already passed. */
  readonly candidates: readonly BlockCandidates[];
  readonly signal: AbortSignal;
}

/**
 * Finds out what blocks mean: hits in the watch set, confirmed by the database, matches, token metadata, balances
 * to read.
 */
export async function prepareBlocks(
  deps: PrepareDeps,
  { blocks, retroactive, candidates: passed, signal }: Preparing,
): Promise<BlocksStep> {
  const bodies = blocks.map(({ block }) => block);
  const hits = await findHits(deps, bodies, passed);
  const { candidates, watched } = hits;
  const nativeGid = deps.network.native?.gid;
  const reads = new BalanceReads();
  const matches: MatchedTransaction[] = [];
  const changes = changesBefore(retroactive, hits);
  reads.addChanged(changes);
  const matchesOf = new Map<string, readonly MatchedTransaction[]>();
  for (const [position, { block, traceparent }] of blocks.entries()) {
    const found = candidates[position];
    if (found !== undefined && watched.size > 0) {
      const ofBlock = matchTransactions({ block, transactions: found.transactions, watched, traceparent });
      await proveSenders(deps, { block, matches: ofBlock, signal });
      // A balance is the chain's, whatever is set aside.
      reads.addDetected(ofBlock, { nativeGid, atBlock: true });
      addChanged(reads, { candidates: found, watched, traceparent });
      changes.push(...listBlockChanges(found, watched));
      matches.push(...ofBlock.filter((match) => !deps.setAsides.hasMatch(match)));
      matchesOf.set(block.hash, ofBlock);
    }
  }
  const retroactiveMatches = matchRetroactive(retroactive, hits).filter(
    (match) => !deps.setAsides.hasMatch(match),
  );
  for (const { block } of hits.retroactive)
    await proveSenders(deps, {
      block,
      matches: retroactiveMatches.filter((match) => match.block.hash === block.hash),
      signal,
    });
  reads.addDetected(retroactiveMatches, { nativeGid, atBlock: false });
  const moved = movedTokens([...retroactiveMatches, ...matches], nativeGid);
  const newAssets = await prepareAssets(deps, {
    moved,
    mentioned: listMentioned(hits, blocks),
    reads,
    signal,
  });
  const movedBefore = new Set(movedTokens(retroactiveMatches, nativeGid).keys());
  for (const analysed of blocks) {
    const ofBlock = movedTokens(matchesOf.get(analysed.block.hash) ?? [], nativeGid);
    for (const gid of ofBlock.keys()) movedBefore.add(gid);
    addTouched(reads, analysed, (gid) => movedBefore.has(gid) || deps.assets.isHeld(gid));
  }
  const usedIds = listUsed([...retroactiveMatches, ...matches], watched);
  return {
    blocks: bodies,
    matches,
    retroactive: retroactiveMatches,
    changes,
    reads: reads.list(),
    newAssets,
    usedIds,
    utxos: hits.utxos,
  };
}

/** The new assets of a step. Of those and of known ones, what logs name is read. */
async function prepareAssets(
  { assets }: PrepareDeps,
  {
    moved,
    mentioned,
    reads,
    signal,
  }: {
    readonly moved: ReadonlyMap<string, bigint>;
    readonly mentioned: readonly BalanceRead[];
    readonly reads: BalanceReads;
    readonly signal: AbortSignal;
  },
): Promise<readonly NewAsset[]> {
  const named = new Set(mentioned.map(({ assetGid }) => assetGid));
  const newAssets = await assets.prepare(moved, signal, named);
  const fresh = new Set(newAssets.map(({ gid }) => gid));
  for (const read of mentioned)
    if (fresh.has(read.assetGid) || assets.isHeld(read.assetGid)) reads.addMentioned(read);
  return newAssets;
}

/** Proves the senders of watched transactions only: proving all would cost more than the rest of a block. */
async function proveSenders(
  { client }: PrepareDeps,
  {
    block,
    matches,
    signal,
  }: { readonly block: Block; readonly matches: readonly MatchedTransaction[]; readonly signal: AbortSignal },
): Promise<void> {
  if (client?.proveSenders === undefined || matches.length === 0) return;
  await client.proveSenders(block, [...new Set(matches.map(({ transaction }) => transaction))], signal);
}

/** Tokens that moved to or from a watched address, each with an amount that moved. */
export function movedTokens(
  matches: readonly MatchedTransaction[],
  nativeGid: string | undefined,
): Map<string, bigint> {
  const moved = new Map<string, bigint>();
  for (const { transfers } of matches)
    for (const { assetGid, amountRaw } of transfers)
      if (assetGid !== nativeGid) moved.set(assetGid, amountRaw);
  return moved;
}

/** Derived addresses that take part in a transaction for the first time. */
export function listUsed(matches: readonly MatchedTransaction[], watched: WatchedByAddress): string[] {
  const unused = new Set<string>();
  for (const entries of watched.values())
    for (const { id, isUnused } of entries) if (isUnused === true) unused.add(id);
  if (unused.size === 0) return [];
  // What lacks evidence uses nothing: a gap limit would move by one node's lie.
  const counted = matches.filter(({ transaction }) => !lacksEvidence(transaction.verification));
  return [...new Set(counted.flatMap(({ participants }) => participants.map(({ id }) => id)))].filter((id) =>
    unused.has(id),
  );
}

/**
 * Keeps only what concerns a retroactive address: the project was notified of the rest already. A coin that becomes
 * known through it, however, is new to everybody who watches the same address.
 */
function matchRetroactive(retroactive: readonly RetroactiveAddress[], hits: Hits): MatchedTransaction[] {
  if (hits.retroactive.length === 0) return [];
  const ids = new Set(retroactive.map((entry) => entry.id));
  const addresses = new Set(hits.utxos === undefined ? [] : retroactive.map((entry) => entry.address));
  return hits.retroactive
    .flatMap(({ block, transactions }) => matchTransactions({ block, transactions, watched: hits.watched }))
    .filter(({ participants }) =>
      participants.some(({ id, address }) => ids.has(id) || addresses.has(address)),
    );
}

/** What passed blocks changed without a transaction, of addresses registered meanwhile. */
function changesBefore(
  retroactive: readonly RetroactiveAddress[],
  { retroactive: passed, watched }: Hits,
): BlockChange[] {
  const ids = new Set(retroactive.map(({ id }) => id));
  return passed.flatMap((candidates) => listBlockChanges(candidates, watched, (id) => ids.has(id)));
}

/** Withdrawals and rewards have no transaction, but their balance must be read. */
function addChanged(
  reads: BalanceReads,
  {
    candidates: { block, balanceChanges },
    watched,
    traceparent,
  }: {
    readonly candidates: BlockCandidates;
    readonly watched: WatchedByAddress;
    readonly traceparent: string | undefined;
  },
): void {
  for (const { address, assetGid } of balanceChanges) {
    for (const { id, fromBlock } of watched.get(address) ?? []) {
      if (fromBlock <= block.number)
        reads.add({
          addressId: id,
          assetGid,
          block,
          reason: 'touched',
          traceparent,
        });
    }
  }
}

/** Addresses that a log names which may have moved their balance. What moved them is asked for beside, and says more. */
function listMentioned({ candidates, watched }: Hits, blocks: readonly BlockToAnalyse[]): BalanceRead[] {
  return candidates.flatMap((found, position) =>
    (found?.mentions ?? []).flatMap(({ address, assetGid }) =>
      (watched.get(address) ?? [])
        .filter(({ fromBlock }) => fromBlock <= found!.block.number)
        .map(
          ({ id: addressId }): BalanceRead => ({
            addressId,
            assetGid,
            block: found!.block,
            reason: 'mentioned',
            traceparent: blocks[position]!.traceparent,
          }),
        ),
    ),
  );
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
        traceparent,
      });
  }
}

/** Reads of a step, coalesced: one per address and asset, at the last block that asks for it. */
export class BalanceReads {
  readonly #reads = new Map<string, BalanceRead>();

  add(read: BalanceRead): void {
    this.#reads.set(keyOf(read), read);
  }

  /** What is read anyway is read no earlier than here. */
  addMentioned(read: BalanceRead): void {
    const asked = this.#reads.get(keyOf(read));
    const isBefore = asked?.block !== undefined && asked.block.number < read.block!.number;
    if (asked === undefined || isBefore) this.add(isBefore ? { ...asked, block: read.block } : read);
  }

  /** The native coin, where the chain has one, and every moved asset of every participating address: `atBlock` at their block, otherwise at the head. */
  addDetected(
    matches: readonly MatchedTransaction[],
    { nativeGid, atBlock }: { readonly nativeGid: string | undefined; readonly atBlock: boolean },
  ): void {
    for (const { block, transfers, participants, traceparent } of matches) {
      const common = { reason: 'detected', ...(atBlock ? { block } : {}), traceparent } as const;
      for (const { id: addressId, address } of participants) {
        if (nativeGid !== undefined) this.add({ addressId, assetGid: nativeGid, ...common });
        for (const { assetGid, monitored } of transfers)
          if (assetGid !== nativeGid && monitored.includes(address))
            this.add({ addressId, assetGid, ...common });
      }
    }
  }

  /** At the head, of changes in blocks that passed: they explain what may have been read already. */
  addChanged(changes: readonly Pick<BlockChange, 'addressId' | 'assetGid'>[]): void {
    for (const { addressId, assetGid } of changes) this.add({ addressId, assetGid, reason: 'detected' });
  }

  /** In the order of the blocks, those at the head last. */
  list(): BalanceRead[] {
    const heightOf = (read: BalanceRead): number => read.block?.number ?? Number.MAX_SAFE_INTEGER;
    return [...this.#reads.values()].sort((a, b) => heightOf(a) - heightOf(b));
  }
}

function keyOf({ addressId = '', assetGid }: BalanceRead): string {
  return `${addressId}|${assetGid}`;
}
