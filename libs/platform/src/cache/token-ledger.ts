// SPDX-License-Identifier: Apache-2.0
import { LRUCache } from 'lru-cache';
import type { TokenRequest, TokenResult } from './consume-token.ts';

export interface TokenLedgerOptions {
  /** The counter that all replicas share. */
  readonly consumeToken: (request: TokenRequest) => Promise<TokenResult>;
  readonly now?: () => number;
}

type LedgerRequest = Omit<TokenRequest, 'isSpent' | 'now'>;

interface Account {
  readonly request: LedgerRequest;
  /** As in GCRA: when all requests so far will be used up, in ms since 1970. */
  tat: number;
  /** When the shared counter last answered. */
  learnedAt: number;
  /** Requests let through that the shared counter has not been told of. */
  untold: number;
  /** Requests that the shared counter was told of and has not confirmed. */
  telling: number;
}

const SYNC_MS = 50;
const FRESH_MS = 2 * SYNC_MS;
const ACCOUNTS_MAX = 10_000;

/**
 * The limits of `consumeToken` without a round trip for each call. A busy key that is far from its limit is counted
 * here, and the shared counter is told 20 times a second. A call asks the shared counter near the limit (in its last
 * tenth, or the last 50), after a pause, and when a quarter of that tenth is untold: no replica lets more than that
 * through unknown to the others.
 */
export class TokenLedger {
  readonly #options: TokenLedgerOptions;
  /** An evicted account is not lost: the shared counter has its state. */
  readonly #accounts = new LRUCache<string, Account>({ max: ACCOUNTS_MAX });
  readonly #dirty = new Set<Account>();
  readonly #now: () => number;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: TokenLedgerOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  take(request: LedgerRequest, cost = request.cost ?? 1): TokenResult | Promise<TokenResult> {
    const account = this.#accountOf(request);
    const { limit, windowSeconds } = request;
    const now = this.#now();
    const windowMs = windowSeconds * 1_000;
    const intervalMs = windowMs / limit;
    const guard = Math.max(50, limit / 10);
    const next = Math.max(account.tat, now) + intervalMs * cost;
    const remaining = Math.min(limit - cost, Math.floor((windowMs - (next - now)) / intervalMs));
    if (
      remaining < guard ||
      now - account.learnedAt > FRESH_MS ||
      account.untold + account.telling + cost > guard / 4
    )
      return this.#ask(account, cost);
    account.tat = next;
    account.untold += cost;
    this.#dirty.add(account);
    this.#timer ??= setTimeout(() => this.#sync(), SYNC_MS).unref();
    return { allowed: true, limit, remaining, resetAt: Math.ceil(next / 1_000), retryAfterSeconds: 0 };
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #accountOf(request: LedgerRequest): Account {
    const known = this.#accounts.get(request.key);
    // If the limit changed, the account is reported under the old limit and started anew.
    if (known !== undefined && known.request.limit === request.limit) return known;
    // The key may be used up at another replica, so its first call asks the shared counter.
    const account: Account = {
      request: { key: request.key, limit: request.limit, windowSeconds: request.windowSeconds },
      tat: 0,
      learnedAt: -Infinity,
      untold: 0,
      telling: 0,
    };
    this.#accounts.set(request.key, account);
    return account;
  }

  async #ask(account: Account, cost: number): Promise<TokenResult> {
    if (account.untold > 0) void this.#tell(account);
    const result = await this.#options.consumeToken({ ...account.request, cost });
    this.#learn(account, result);
    return result;
  }

  #sync(): void {
    this.#timer = undefined;
    for (const account of this.#dirty) void this.#tell(account);
    this.#dirty.clear();
  }

  async #tell(account: Account): Promise<void> {
    const cost = account.untold;
    if (cost === 0) return;
    account.untold = 0;
    account.telling += cost;
    const result = await this.#options.consumeToken({ ...account.request, cost, isSpent: true });
    account.telling -= cost;
    this.#learn(account, result);
  }

  #learn(account: Account, { remaining }: TokenResult): void {
    const { limit, windowSeconds } = account.request;
    const now = this.#now();
    account.learnedAt = now;
    account.tat =
      now + ((limit - remaining + account.untold + account.telling) * windowSeconds * 1_000) / limit;
  }
}
