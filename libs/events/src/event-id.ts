import { createHash } from 'node:crypto';
import type { EventType } from './event-records.ts';

/** Namespace of every id that is made from content. Changing it would give every event a second id. */
export const EVENT_NAMESPACE = 'b7c0a1de-3f52-5d0e-9a6b-5c1e8f2d7a90';

export interface TransactionEventKey {
  readonly projectId: string;
  readonly type: Exclude<EventType, 'balance.changed' | 'channel.failed'>;
  readonly chainGid: string;
  readonly hash: string;
  /** How often the transaction was reorganised out so far: 0 normally; the first `transaction.reorged` carries 1. */
  readonly epoch: number;
}

/** The id of a transaction event, over `project | type | chain_gid | tx hash | epoch` (decisions.md §4). */
export function eventIdOf(key: TransactionEventKey): string {
  return uuidv5([key.projectId, key.type, key.chainGid, key.hash, key.epoch].join('|'));
}

export interface BalanceEventKey {
  readonly projectId: string;
  readonly chainGid: string;
  readonly addressId: string;
  readonly assetGid: string;
  /** `balance.changed` events made for this address and asset, this one included. */
  readonly changeCount: number;
}

/** The id of a `balance.changed` event. */
export function balanceEventIdOf(key: BalanceEventKey): string {
  return uuidv5(
    [key.projectId, 'balance.changed', key.chainGid, key.addressId, key.assetGid, key.changeCount].join('|'),
  );
}

/** The id of a project's record of a transaction: the same row however often it is found. */
export function transactionIdOf(projectId: string, chainGid: string, hash: string): string {
  return uuidv5(`${projectId}|${chainGid}|${hash}`);
}

/** Name-based UUID with SHA-1 (RFC 9562 §5.5), lower case. `name` is taken as UTF-8. */
export function uuidv5(name: string, namespace: string = EVENT_NAMESPACE): string {
  const bytes =
    namespace === EVENT_NAMESPACE ? ownNamespace : Buffer.from(namespace.replaceAll('-', ''), 'hex');
  // The native one: several ids are made for each event.
  const hex = createHash('sha1').update(bytes).update(name).digest('hex');
  const variant = VARIANT[Number.parseInt(hex.charAt(16), 16) & 3]!;
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

const VARIANT = '89ab';
const ownNamespace = Buffer.from(EVENT_NAMESPACE.replaceAll('-', ''), 'hex');
