import type { Principal } from '@chainwatch/key-store';
import type { Bounds } from './bounds.ts';
import { MemoryQuota, type KeyAccount, type ProcessAccount, type WorkspaceAccount } from './memory-quota.ts';
import type { ClientConnection } from './client-connection.ts';

export type TenantLimits = Pick<
  Bounds,
  'heldBytes' | 'heldBytesPerKey' | 'heldBytesPerConnection' | 'socketsPerKey'
>;

const KEYS_MAX = 10_000;
/** Share of the process's bytes for everybody who has not shown a key yet. */
const STRANGERS_SHARE = 1 / 16;

/** The memory held for each key and workspace, and in all. */
export class Tenants {
  readonly limits: TenantLimits;
  readonly process: ProcessAccount;
  /** One account for everybody whose key is not known. */
  readonly strangers: KeyAccount;
  readonly #keys = new Map<string, KeyAccount>();
  readonly #workspaces = new Map<string, WorkspaceAccount>();

  constructor(limits: TenantLimits) {
    this.limits = limits;
    this.process = {
      held: 0,
      max: limits.heldBytes,
      refused: { connection: 0, key: 0, workspace: 0, process: 0 },
    };
    const max = limits.heldBytes * STRANGERS_SHARE;
    this.strangers = {
      id: '',
      held: 0,
      max,
      workspace: { id: '', held: 0, max, process: this.process },
      sockets: 0,
      socketsMax: Infinity,
    };
  }

  /** The quota that pays for this key's requests and answers on this connection. */
  quotaOf(
    { keyId, workspaceId }: Pick<Principal, 'keyId' | 'workspaceId'>,
    connection: ClientConnection,
  ): MemoryQuota {
    const key = this.#keys.get(keyId) ?? this.#open(keyId, workspaceId);
    if (connection.quota.key !== key) connection.quota = new MemoryQuota(connection, key);
    return connection.quota;
  }

  findKey(keyId: string): KeyAccount | undefined {
    return this.#keys.get(keyId);
  }

  get refused(): ProcessAccount['refused'] {
    return this.process.refused;
  }

  /** Bytes held, in all and by the largest holders. */
  figures(): {
    readonly process: number;
    readonly workspace: number;
    readonly key: number;
    readonly strangers: number;
  } {
    const most = (accounts: Iterable<{ readonly held: number }>): number =>
      [...accounts].reduce((max, { held }) => Math.max(max, held), 0);
    return {
      process: this.process.held,
      workspace: most(this.#workspaces.values()),
      key: most(this.#keys.values()),
      strangers: this.strangers.held,
    };
  }

  #open(id: string, workspaceId: string): KeyAccount {
    if (this.#keys.size >= KEYS_MAX) this.#dropIdle();
    let workspace = this.#workspaces.get(workspaceId);
    if (workspace === undefined) {
      workspace = { id: workspaceId, held: 0, max: this.limits.heldBytes / 2, process: this.process };
      this.#workspaces.set(workspaceId, workspace);
    }
    const key = {
      id,
      held: 0,
      max: this.limits.heldBytesPerKey,
      workspace,
      sockets: 0,
      socketsMax: this.limits.socketsPerKey,
    };
    this.#keys.set(id, key);
    return key;
  }

  /** Drops accounts that hold nothing: a new one is equivalent. */
  #dropIdle(): void {
    for (const [id, { held, sockets }] of this.#keys) if (held === 0 && sockets === 0) this.#keys.delete(id);
    const inUse = new Set([...this.#keys.values()].map(({ workspace }) => workspace));
    for (const [id, workspace] of this.#workspaces) if (!inUse.has(workspace)) this.#workspaces.delete(id);
  }
}
