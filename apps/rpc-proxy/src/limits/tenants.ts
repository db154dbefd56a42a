import type { Principal } from '@chainwatch/key-store';
import { Holder, type Budget, type KeyAccount, type WorkspaceAccount } from './holder.ts';
import type { Peer } from './peer.ts';

export interface TenantLimits {
  /** Bytes held for the whole process, for one key and for one connection. A workspace gets half of the process. */
  readonly heldBytes: number;
  readonly heldBytesPerKey: number;
  readonly heldBytesPerConnection: number;
  /** Open connections of one key. */
  readonly socketsPerKey: number;
}

const KEYS_MAX = 10_000;
/** Of the process's bytes, for all who did not show a key yet. */
const STRANGERS_SHARE = 1 / 16;

/** What is held for each key and workspace, and in all. */
export class Tenants {
  readonly limits: TenantLimits;
  readonly process: Budget;
  /** The account of everybody whose key is not known. */
  readonly strangers: KeyAccount;
  readonly #keys = new Map<string, KeyAccount>();
  readonly #workspaces = new Map<string, WorkspaceAccount>();

  constructor(limits: TenantLimits) {
    this.limits = limits;
    this.process = { held: 0, max: limits.heldBytes };
    const max = limits.heldBytes * STRANGERS_SHARE;
    this.strangers = { id: '', held: 0, max, workspace: { id: '', held: 0, max, process: this.process }, sockets: 0, socketsMax: Infinity };
  }

  /** Who pays for what this key sends and asks over this connection. */
  holderOf({ keyId, workspaceId }: Pick<Principal, 'keyId' | 'workspaceId'>, peer: Peer): Holder {
    const key = this.#keys.get(keyId) ?? this.#open(keyId, workspaceId);
    if (peer.holder.key !== key) peer.holder = new Holder(peer, key);
    return peer.holder;
  }

  findKey(keyId: string): KeyAccount | undefined {
    return this.#keys.get(keyId);
  }

  #open(id: string, workspaceId: string): KeyAccount {
    if (this.#keys.size >= KEYS_MAX) this.#dropIdle();
    let workspace = this.#workspaces.get(workspaceId);
    if (workspace === undefined) {
      workspace = { id: workspaceId, held: 0, max: this.limits.heldBytes / 2, process: this.process };
      this.#workspaces.set(workspaceId, workspace);
    }
    const key = { id, held: 0, max: this.limits.heldBytesPerKey, workspace, sockets: 0, socketsMax: this.limits.socketsPerKey };
    this.#keys.set(id, key);
    return key;
  }

  /** Accounts of which nothing is held are as good as new ones. */
  #dropIdle(): void {
    for (const [id, { held, sockets }] of this.#keys) if (held === 0 && sockets === 0) this.#keys.delete(id);
    const inUse = new Set([...this.#keys.values()].map(({ workspace }) => workspace));
    for (const [id, workspace] of this.#workspaces) if (!inUse.has(workspace)) this.#workspaces.delete(id);
  }
}
