// SPDX-License-Identifier: Apache-2.0
import { v5 } from 'uuid';
import type { TransactionEventType } from './events.ts';

/** Namespace of every id that is made from content. Changing it would give every event a second id. */
export const EVENT_NAMESPACE = 'b7c0a1de-3f52-5d0e-9a6b-5c1e8f2d7a90';

export interface TransactionEventKey {
  readonly projectId: string;
  readonly type: TransactionEventType;
  readonly chainGid: string;
  readonly hash: string;
  /** How often the transaction was reorganized out so far: 0 normally; the first `transaction.reorged` carries 1. */
  readonly epoch: number;
  /** Of a `transaction.progress`: how many it tells. */
  readonly confirmations?: number | undefined;
}

/**
 * The id of a transaction event, over `project | type | chain_gid | tx hash | epoch`, of a progress also `| confirmations`
 * (decisions.md §4, §14).
 */
export function eventIdOf(key: TransactionEventKey): string {
  const { projectId, type, chainGid, hash, epoch, confirmations } = key;
  const progress = confirmations === undefined ? [] : [confirmations];
  return uuidv5([projectId, type, chainGid, hash, epoch, ...progress].join('|'));
}

export interface BalanceEventKey {
  readonly projectId: string;
  readonly chainGid: string;
  readonly addressId: string;
  readonly assetGid: string;
  /** `balance.changed` events made for this address and asset, this one included. */
  readonly changeCount: number;
  /** Where the balance was read, and what it is in base units. */
  readonly blockHash: string;
  readonly amountRaw: bigint;
}

/**
 * The id of a `balance.changed` event. After a recovery to a point in time changes are counted from there again, and may be
 * others: what was told meanwhile must not lend its id to another balance.
 */
export function balanceEventIdOf(key: BalanceEventKey): string {
  const { projectId, chainGid, addressId, assetGid, changeCount, blockHash, amountRaw } = key;
  return uuidv5(
    [projectId, 'balance.changed', chainGid, addressId, assetGid, changeCount, blockHash, amountRaw].join(
      '|',
    ),
  );
}

/** The id of a project's record of a transaction: the same row however often it is found. */
export function transactionIdOf(projectId: string, chainGid: string, hash: string): string {
  return uuidv5(`${projectId}|${chainGid}|${hash}`);
}

/** The id of a token where one is asked for: it has its gid. The same in all projects. */
export function tokenIdOf(assetGid: string): string {
  return uuidv5(assetGid);
}

/** Name-based UUID with SHA-1 (RFC 9562 §5.5) in our namespace, lower case. `name` is taken as UTF-8. */
export function uuidv5(name: string): string {
  return v5(name, EVENT_NAMESPACE);
}
