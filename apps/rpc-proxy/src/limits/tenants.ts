// SPDX-License-Identifier: Apache-2.0
import type { Principal } from '@chainwatch/data/key-store';
import type { Bounds } from './bounds.ts';

/** Whose limit is reached. The process's own limit is nobody's fault: 503. Every other one is the tenant's: 429. */
export type Full = 'connection' | 'key' | 'workspace' | 'process';

/** The bytes held in memory for somebody, and their limit. */
export interface Budget {
  held: number;
  readonly max: number;
}

/** The process as a whole, and how often a request for memory was refused, by the limit that was reached. */
export interface ProcessAccount extends Budget {
  readonly refused: Record<Full, number>;
}

export interface WorkspaceAccount extends Budget {
  readonly id: string;
  readonly process: ProcessAccount;
}

/** One key, or all strangers together. */
export interface KeyAccount extends Budget {
  readonly id: string;
  readonly workspace: WorkspaceAccount;
  /** Number of open connections that belong to the key. */
  sockets: number;
  readonly socketsMax: number;
}

/** A connection and the quota that pays for it, which changes with the key that it brings. */
interface PayingConnection extends Budget {
  quota: MemoryQuota;
}

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
    connection: PayingConnection,
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

/**
 * Accounts for bytes of a connection and of the key that uses it. Code that keeps bytes for a connection (sent by the
 * client, or not read by it yet) takes them here first, and releases the same number once.
 */
export class MemoryQuota {
  readonly connection: Budget;
  readonly key: KeyAccount;

  constructor(connection: Budget, key: KeyAccount) {
    this.connection = connection;
    this.key = key;
  }

  /**
   * Takes all bytes or none. A workspace never holds more than it leaves for the others: one greedy workspace gets half
   * of the process, two get a third each, and as much is always left for the next one.
   * @returns whose limit is reached; undefined if the bytes were taken
   */
  take(bytes: number): Full | undefined {
    const full = this.#findFull(bytes);
    if (full === undefined) this.#add(bytes);
    else this.key.workspace.process.refused[full] += 1;
    return full;
  }

  /** Whether half of what the connection, the key and the workspace may hold is free. */
  get isHalfFree(): boolean {
    const { connection, key } = this;
    return [connection, key, key.workspace].every(({ held, max }) => held <= max / 2);
  }

  /** For bytes that can no longer be refused. */
  takeAnyway(bytes: number): void {
    this.#add(bytes);
  }

  release(bytes: number): void {
    this.#add(-bytes);
  }

  #findFull(bytes: number): Full | undefined {
    const { connection, key } = this;
    const { workspace } = key;
    const { process } = workspace;
    if (connection.held + bytes > connection.max) return 'connection';
    if (key.held + bytes > key.max) return 'key';
    if (workspace.held + bytes > workspace.max) return 'workspace';
    if (workspace.held + bytes > process.max - process.held - bytes) return 'process';
    return undefined;
  }

  #add(bytes: number): void {
    const { connection, key } = this;
    connection.held += bytes;
    key.held += bytes;
    key.workspace.held += bytes;
    key.workspace.process.held += bytes;
  }
}
