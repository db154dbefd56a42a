// SPDX-License-Identifier: Apache-2.0
import pLimit from 'p-limit';
import type { TokenResult } from '@chainwatch/platform/cache';

export interface LookUpsOptions {
  /** Counts one failed authentication against an address's limit. */
  readonly takeFailure: (address: string) => Promise<TokenResult>;
  /** Look-ups of one address that may run or wait at the same time. */
  readonly perAddress: number;
  readonly now?: () => number;
}

/** Database connections for unknown keys; the others are left to keys that are known. */
const AT_ONCE = 2;
const BLOCKED_MAX = 10_000;

const BUSY: Omit<TokenResult, 'limit' | 'resetAt'> = { allowed: false, remaining: 0, retryAfterSeconds: 1 };

/**
 * Look-ups of keys that this process has never seen. Limits how many run at once, and refuses addresses that guessed
 * too often.
 */
export class LookUps {
  readonly #options: LookUpsOptions;
  readonly #now: () => number;
  readonly #blocked = new Map<string, { readonly until: number; readonly limit: TokenResult }>();
  readonly #open = new Map<string, number>();
  readonly #inTurn = pLimit(AT_ONCE);

  constructor(options: LookUpsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Why keys of this address are not looked up now; undefined when they are. */
  findBlock(address: string): TokenResult | undefined {
    const blocked = this.#blocked.get(address);
    if (blocked !== undefined && blocked.until > this.#now()) return blocked.limit;
    if (blocked !== undefined) this.#blocked.delete(address);
    const { perAddress } = this.#options;
    if ((this.#open.get(address) ?? 0) < perAddress) return undefined;
    return { ...BUSY, limit: perAddress, resetAt: Math.ceil(this.#now() / 1_000) + 1 };
  }

  /** Looks the key up, as soon as a place is free. */
  async run<T>(address: string, look: () => Promise<T>): Promise<T> {
    this.#open.set(address, (this.#open.get(address) ?? 0) + 1);
    try {
      return await this.#inTurn(look);
    } finally {
      const left = this.#open.get(address)! - 1;
      if (left > 0) this.#open.set(address, left);
      else this.#open.delete(address);
    }
  }

  /** A key was missing or unknown. */
  async fail(address: string): Promise<TokenResult> {
    const known = this.#blocked.get(address);
    if (known !== undefined && known.until > this.#now()) return known.limit;
    const limit = await this.#options.takeFailure(address);
    if (!limit.allowed) {
      const [oldest] = this.#blocked.keys();
      if (this.#blocked.size >= BLOCKED_MAX) this.#blocked.delete(oldest!);
      this.#blocked.set(address, { until: this.#now() + limit.retryAfterSeconds * 1_000, limit });
    }
    return limit;
  }
}
