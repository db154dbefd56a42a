import type { Cache, TokenResult } from '@chainwatch/cache';

export interface KeyLimitsOptions {
  readonly cache: Pick<Cache, 'consumeToken'>;
  /** Calls per 60 seconds and key. */
  readonly limit: number;
  /** Failed authentications per 60 seconds and client address. */
  readonly failedPerClient: number;
}

interface Account {
  readonly key: string;
  /** Of GCRA: when everything that was asked for is used up, in ms since 1970. */
  tat: number;
  /** Let through, and not told to the shared counter yet. */
  unsynced: number;
}

const WINDOW_SECONDS = 60;
const WINDOW_MS = WINDOW_SECONDS * 1_000;
const SYNC_MS = 50;
const ACCOUNTS_MAX = 10_000;

/**
 * GCRA per key over all replicas, without a round trip for each call: far from its limit a key is counted here and told
 * to the shared counter 20 times a second; near to it (the last tenth, 50 calls at least) each call asks.
 */
export class KeyLimits {
  readonly #options: KeyLimitsOptions;
  readonly #accounts = new Map<string, Account>();
  readonly #dirty = new Set<Account>();
  readonly #intervalMs: number;
  readonly #guard: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: KeyLimitsOptions) {
    this.#options = options;
    this.#intervalMs = WINDOW_MS / options.limit;
    this.#guard = Math.max(50, options.limit / 10);
  }

  take(keyId: string, cost: number): TokenResult | Promise<TokenResult> {
    const account = this.#accountOf(keyId);
    const now = Date.now();
    const next = Math.max(account.tat, now) + this.#intervalMs * cost;
    const remaining = Math.min(this.#options.limit - cost, Math.floor((WINDOW_MS - (next - now)) / this.#intervalMs));
    if (remaining < this.#guard) return this.#ask(account, cost);
    account.tat = next;
    account.unsynced += cost;
    if (!this.#dirty.has(account)) this.#dirty.add(account);
    this.#timer ??= setTimeout(() => this.#sync(), SYNC_MS).unref();
    return { allowed: true, limit: this.#options.limit, remaining, resetAt: Math.ceil(next / 1_000), retryAfterSeconds: 0 };
  }

  takeFailure(clientAddress: string): Promise<TokenResult> {
    return this.#options.cache.consumeToken({ key: `auth:${clientAddress}`, limit: this.#options.failedPerClient, windowSeconds: WINDOW_SECONDS });
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #accountOf(keyId: string): Account {
    let account = this.#accounts.get(keyId);
    if (account === undefined) {
      // The shared counter remembers.
      if (this.#accounts.size >= ACCOUNTS_MAX) this.#accounts.clear();
      // Unknown here, it may be used up elsewhere: the first call asks.
      account = { key: `rpc:${keyId}`, tat: Date.now() + WINDOW_MS, unsynced: 0 };
      this.#accounts.set(keyId, account);
    }
    return account;
  }

  async #ask(account: Account, cost: number): Promise<TokenResult> {
    if (account.unsynced > 0) await this.#tell(account);
    const result = await this.#options.cache.consumeToken({ ...this.#requestOf(account), cost });
    this.#learn(account, result);
    return result;
  }

  #sync(): void {
    this.#timer = undefined;
    for (const account of this.#dirty) void this.#tell(account);
    this.#dirty.clear();
  }

  async #tell(account: Account): Promise<void> {
    const cost = account.unsynced;
    if (cost === 0) return;
    account.unsynced = 0;
    this.#learn(account, await this.#options.cache.consumeToken({ ...this.#requestOf(account), cost, isSpent: true }));
  }

  #learn(account: Account, { remaining }: TokenResult): void {
    account.tat = Date.now() + WINDOW_MS - (remaining - account.unsynced) * this.#intervalMs;
  }

  #requestOf(account: Account) {
    return { key: account.key, limit: this.#options.limit, windowSeconds: WINDOW_SECONDS };
  }
}
