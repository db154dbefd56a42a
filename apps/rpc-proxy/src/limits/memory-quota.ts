/** Who is full. The process's own limit is nobody's fault: 503; every other one is the tenant's: 429. */
export type Full = 'connection' | 'key' | 'workspace' | 'process';

/** Bytes that are held in memory for somebody, and how many may be. */
export interface Budget {
  held: number;
  readonly max: number;
}

/** The process, and how often who was full. */
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
  /** Open connections that are the key's. */
  sockets: number;
  readonly socketsMax: number;
}

/**
 * Who pays for bytes: a connection and the key that uses it. Whoever keeps bytes for a connection (what it sent and what it has
 * not read yet) takes them here first and releases the same number once.
 */
export class MemoryQuota {
  readonly connection: Budget;
  readonly key: KeyAccount;

  constructor(connection: Budget, key: KeyAccount) {
    this.connection = connection;
    this.key = key;
  }

  /**
   * All of it or nothing. A workspace never holds more than it leaves for the others: one that is greedy gets half of the
   * process, two a third each, and there is always as much left for the next one.
   * @returns who is full; undefined where the bytes are taken
   */
  take(bytes: number): Full | undefined {
    const full = this.#findFull(bytes);
    if (full === undefined) this.#add(bytes);
    else this.key.workspace.process.refused[full] += 1;
    return full;
  }

  /** For what cannot be refused any more. */
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
