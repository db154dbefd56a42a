// SPDX-License-Identifier: Apache-2.0
import type { BlockRef } from '@chainwatch/chain-core';
import { parseAccounts } from './parse-transaction.ts';
import type { RawBlock } from './raw-block.ts';
import { isIncome } from './rewards.ts';

/** A token account as it was before a block touched it. */
export interface TokenState {
  readonly mint: string;
  readonly owner: string;
  readonly amountRaw: bigint;
}

/** The state that a block found before it changed it: that at the end of its parent. */
export interface Touches {
  readonly ref: BlockRef;
  readonly lamports: ReadonlyMap<string, bigint>;
  /** Undefined: the account was no token account before. */
  readonly tokens: ReadonlyMap<string, TokenState | undefined>;
  /** Lamports that came without a transaction, at the end of the block. */
  readonly rewards: ReadonlyMap<string, bigint>;
}

const SIZE = 160;

/** Touches of the newest blocks, by parent block and slot. */
export class TouchBook {
  readonly #touches = new Map<string, Touches>();

  find(parentHash: string, slot: number): Touches | undefined {
    return this.#touches.get(`${parentHash} ${slot}`);
  }

  add(parentHash: string, touches: Touches): void {
    this.#touches.set(`${parentHash} ${touches.ref.number}`, touches);
    if (this.#touches.size <= SIZE) return;
    const oldest = this.#touches.keys().next();
    if (oldest.done !== true) this.#touches.delete(oldest.value);
  }
}

/** @throws TypeError, RangeError when the block is not what it claims to be */
export function readTouches(slot: number, raw: RawBlock): Touches {
  const lamports = new Map<string, bigint>();
  const tokens = new Map<string, TokenState | undefined>();
  for (const transaction of raw.transactions) {
    const tx = parseAccounts(transaction);
    const { preBalances, postBalances, preTokenBalances, postTokenBalances } = tx.meta;
    for (let index = 0; index < preBalances.length; index += 1) {
      if (preBalances[index] === postBalances[index]) continue;
      const key = tx.keyAt(index);
      if (!lamports.has(key)) lamports.set(key, BigInt(preBalances[index]!));
    }
    const before = new Map((preTokenBalances ?? []).map((entry) => [entry.accountIndex, entry]));
    for (const { accountIndex } of [...before.values(), ...(postTokenBalances ?? [])]) {
      const key = tx.keyAt(accountIndex);
      if (tokens.has(key)) continue;
      const entry = before.get(accountIndex);
      tokens.set(
        key,
        entry && {
          mint: entry.mint,
          owner: entry.owner ?? '',
          amountRaw: BigInt(entry.uiTokenAmount.amount),
        },
      );
    }
  }
  const rewards = new Map<string, bigint>();
  for (const { pubkey, lamports: amount } of (raw.rewards ?? []).filter(isIncome))
    rewards.set(pubkey, (rewards.get(pubkey) ?? 0n) + BigInt(amount));
  return { ref: { number: slot, hash: raw.blockhash }, lamports, tokens, rewards };
}
