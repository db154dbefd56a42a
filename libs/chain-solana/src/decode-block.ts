// SPDX-License-Identifier: Apache-2.0
import {
  nativeOf,
  type Block,
  type BlockRef,
  type DecodedVerification,
  type Network,
  type Transaction,
  type Transfer,
} from '@chainwatch/chain-core';
import { nativeHints, ownerHints, tokenHints } from './instruction-hints.ts';
import { pairFlows, type Flow } from './pair-flows.ts';
import type { ParsedTransaction } from './parse-transaction.ts';
import { readMemo } from './read-memo.ts';
import type { RawBlock } from './raw-block.ts';
import { decodeRewards } from './rewards.ts';
import { readTokenChanges } from './token-changes.ts';
import type { VerifiedTransaction } from './verify-block.ts';

/** A proved block of decoded transactions, from which votes are already dropped. */
export function decodeBlock(
  network: Network,
  {
    ref,
    raw,
    transactions,
    verification,
  }: {
    readonly ref: BlockRef;
    readonly raw: RawBlock;
    readonly transactions: readonly Transaction[];
    readonly verification: DecodedVerification | undefined;
  },
): Block {
  return {
    number: ref.number,
    hash: raw.blockhash,
    parentHash: raw.previousBlockhash,
    parentNumber: raw.parentSlot,
    timestamp: raw.blockTime ?? 0,
    transactions,
    balanceChanges: decodeRewards(network, raw),
    touchedAssets: [],
    ...(verification !== undefined && { verification }),
  };
}

/**
 * A failed transaction has no effect but its fee. No root of the chain covers what a transaction did: whether it failed, who
 * paid whom, what it cost. That is the node's word, `attested`.
 */
export function decodeTransaction(
  network: Network,
  { index, tx, changes, isUnproved }: VerifiedTransaction,
): Transaction {
  const payer = tx.keyAt(0);
  const isFailed = tx.meta.err !== null;
  const transfers: Transfer[] = [];
  let isPartial = false;
  if (!isFailed) {
    const native = new Map(changes.map((change) => [tx.keyAt(change.index), change.delta]));
    addTransfers(transfers, {
      type: 'native',
      assetGid: nativeOf(network).gid,
      flows: pairFlows(native, () => nativeHints(tx)),
    });
    isPartial = addTokenTransfers(network, tx, transfers);
  }
  const fee = { assetGid: nativeOf(network).gid, amountRaw: BigInt(tx.meta.fee), payer };
  return {
    hash: tx.signature,
    index,
    isFailed,
    from: payer,
    fee,
    transfers,
    memo: readMemo(tx),
    verification: isUnproved === true ? 'unproved' : 'attested',
    ...(isPartial && { partialFor: Array.from({ length: tx.keyCount }, (_, at) => tx.keyAt(at)) }),
  };
}

/**
 * Adds transfers between owners, for those who watch a wallet, then transfers between the token accounts
 * themselves, for those who watch one. A watcher hears only of transfers that name a watched address, so
 * nobody who does not watch both hears twice. An account that owns itself is both: only the owners' part
 * names it. Returns whether some may be missing.
 */
function addTokenTransfers(network: Network, tx: ParsedTransaction, transfers: Transfer[]): boolean {
  const { mints, readOwners, isPartial } = readTokenChanges(tx);
  const hints = once(() => [...tokenHints(tx)]);
  const ownerOf = once(readOwners);
  const add = (mint: string, flows: readonly Flow[]): void =>
    addTransfers(transfers, {
      type: 'token',
      assetGid: `${network.gid}/${network.tokenNamespace}:${mint}`,
      flows,
    });
  for (const { mint, owners } of mints)
    add(
      mint,
      pairFlows(owners, () => ownerHints(hints(), ownerOf())),
    );
  for (const { mint, accounts, selfOwned } of mints)
    add(mint, withoutNames(pairFlows(accounts, hints), selfOwned));
  return isPartial;
}

/** Flows without the addresses in `names`: such a side becomes nobody, and a flow with no side left is dropped. */
function withoutNames(flows: readonly Flow[], names: ReadonlySet<string>): readonly Flow[] {
  if (names.size === 0) return flows;
  return flows.flatMap(({ from, to, amountRaw }) => {
    const isFrom = from !== undefined && !names.has(from);
    const isTo = to !== undefined && !names.has(to);
    return isFrom || isTo ? [{ ...(isFrom && { from }), ...(isTo && { to }), amountRaw }] : [];
  });
}

function addTransfers(
  transfers: Transfer[],
  {
    type,
    assetGid,
    flows,
  }: { readonly type: Transfer['type']; readonly assetGid: string; readonly flows: readonly Flow[] },
): void {
  for (const flow of flows) transfers.push({ index: transfers.length, type, assetGid, ...flow });
}

function once<T>(compute: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= compute());
}
