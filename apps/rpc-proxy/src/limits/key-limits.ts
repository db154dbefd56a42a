// SPDX-License-Identifier: Apache-2.0
import { TokenLedger } from '@chainwatch/platform/cache';
import type { Cache, TokenResult } from '@chainwatch/platform/cache';

export interface KeyLimitsOptions {
  readonly cache: Pick<Cache, 'consumeToken'>;
  /** Calls per 60 seconds and key. */
  readonly limit: number;
  /** Failed authentications per 60 seconds and client address. */
  readonly failedPerClient: number;
  /** Requests without a key per 60 seconds and client address. */
  readonly publicPerClient: number;
}

const WINDOW_SECONDS = 60;
const KEYS_MAX = 10_000;

/**
 * How many calls a key may make, counted over all replicas without a round trip for each call; and how often a client
 * may guess keys.
 */
export class KeyLimits {
  readonly #options: KeyLimitsOptions;
  readonly #ledger: TokenLedger;
  /** Ledger requests by key: building one costs as much as asking the ledger. */
  readonly #requests = new Map<
    string,
    { readonly key: string; readonly limit: number; readonly windowSeconds: number }
  >();

  constructor(options: KeyLimitsOptions) {
    this.#options = options;
    this.#ledger = new TokenLedger({ consumeToken: (request) => options.cache.consumeToken(request) });
  }

  take(keyId: string, cost: number): TokenResult | Promise<TokenResult> {
    let request = this.#requests.get(keyId);
    if (request === undefined) {
      request = { key: `rpc:${keyId}`, limit: this.#options.limit, windowSeconds: WINDOW_SECONDS };
      if (this.#requests.size >= KEYS_MAX) this.#requests.clear();
      this.#requests.set(keyId, request);
    }
    return this.#ledger.take(request, cost);
  }

  takePublic(client: string): TokenResult | Promise<TokenResult> {
    return this.#ledger.take({
      key: `public:${client}`,
      limit: this.#options.publicPerClient,
      windowSeconds: WINDOW_SECONDS,
    });
  }

  takeFailure(client: string): Promise<TokenResult> {
    return this.#options.cache.consumeToken({
      key: `auth:${client}`,
      limit: this.#options.failedPerClient,
      windowSeconds: WINDOW_SECONDS,
    });
  }

  stop(): void {
    this.#ledger.stop();
  }
}

/** Name, value, name, value: on every answer, refusals included (decisions.md, section 8). */
export function pushLimitHeaders(headers: string[], limit: TokenResult | undefined): void {
  if (limit === undefined) return;
  headers.push(
    'X-RateLimit-Limit',
    String(limit.limit),
    'X-RateLimit-Remaining',
    String(limit.remaining),
    'X-RateLimit-Reset',
    String(limit.resetAt),
  );
  if (!limit.allowed) headers.push('Retry-After', String(limit.retryAfterSeconds));
}

export function tooMany(limit: TokenResult): string {
  return `too many requests: at most ${limit.limit} in 60 seconds`;
}
