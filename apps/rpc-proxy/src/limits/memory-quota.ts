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
