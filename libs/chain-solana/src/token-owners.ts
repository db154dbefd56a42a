// SPDX-License-Identifier: Apache-2.0
import type { ParsedTransaction } from './parse-transaction.ts';
import type { TokenStep } from './token-steps.ts';

/** An owner for certain; undefined: not known, or no such account then. */
export interface OwnersOfAccount {
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  /** The owner changed in the transaction. */
  readonly isHandedOver: boolean;
}

/** What the instructions of a transaction say for certain of the owners of token accounts. */
export class TokenOwners {
  readonly #steps = new Map<string, TokenStep[]>();
  /** Named by an instruction that may be any. */
  readonly #unread = new Set<string>();
  readonly #indexes = new Map<string, number>();
  readonly #tx: ParsedTransaction;

  constructor(tx: ParsedTransaction, steps: readonly TokenStep[]) {
    this.#tx = tx;
    for (let index = 0; index < tx.keyCount; index += 1) this.#indexes.set(tx.keyAt(index), index);
    for (const step of steps) {
      if ('account' in step) {
        const known = this.#steps.get(step.account);
        if (known === undefined) this.#steps.set(step.account, [step]);
        else known.push(step);
      } else if (step.type === 'unread' && step.isAny) for (const one of step.accounts) this.#unread.add(one);
    }
  }

  /** Whether the account was there before the transaction, and after it: it has lamports. */
  existed(account: string): boolean {
    return this.#hasLamports(account, this.#tx.meta.preBalances);
  }

  exists(account: string): boolean {
    return this.#hasLamports(account, this.#tx.meta.postBalances);
  }

  /** Several changes of one account are in no certain order: then nothing is known. */
  of(account: string): OwnersOfAccount {
    if (this.#unread.has(account)) return { isHandedOver: true };
    const steps = this.#steps.get(account) ?? [];
    const handovers = steps.filter((step) => step.type === 'handover');
    const opened = new Set(steps.flatMap((step) => (step.type === 'open' ? [step.owner] : [])));
    const named = new Set(steps.flatMap((step) => (step.type === 'owned' ? [step.owner] : [])));
    const isNew = !this.existed(account);
    const [handover, ...more] = handovers;
    if (more.length > 0 || opened.size > 1) return { isHandedOver: true };
    if (handover !== undefined) {
      if (opened.size > 0 && !isNew) return { isHandedOver: true };
      return { before: isNew ? undefined : handover.from, after: handover.to, isHandedOver: true };
    }
    // Opened anew: what it was before it was closed, nobody says.
    if (opened.size > 0) return { after: [...opened][0], isHandedOver: !isNew };
    if (named.size !== 1) return { isHandedOver: named.size > 1 };
    const [owner] = named;
    return { before: isNew ? undefined : owner, after: owner, isHandedOver: false };
  }

  #hasLamports(account: string, balances: ParsedTransaction['meta']['preBalances']): boolean {
    const index = this.#indexes.get(account);
    return index !== undefined && BigInt(balances[index] ?? 0) > 0n;
  }
}
