// SPDX-License-Identifier: Apache-2.0
import type { ParsedTransaction } from './parse-transaction.ts';
import { NATIVE_MINT } from './programs.ts';
import { TokenOwners } from './token-owners.ts';
import { hidesCalls, type TokenStep } from './token-steps.ts';

/** A change of a token account that instructions state for certain. */
export interface StatedChange {
  readonly mint: string;
  readonly account: string;
  readonly owner: string | undefined;
  readonly amountRaw: bigint;
}

export interface StatedChanges {
  readonly changes: readonly StatedChange[];
  /** Whether something may be missing: an amount, an asset, or an owner is not certain. */
  readonly isPartial: boolean;
}

/**
 * Changes of token amounts in a transaction without token balances. Blocks of before token balances have none, and so
 * has a newer transaction in which every token account is created and closed: that one leaves nothing.
 */
export function readStatedChanges(tx: ParsedTransaction, steps: readonly TokenStep[]): StatedChanges {
  const owners = new TokenOwners(tx, steps);
  const passes = (account: string): boolean => !owners.existed(account) && !owners.exists(account);
  const { preTokenBalances: before, postTokenBalances: after } = tx.meta;
  const isRecorded = Array.isArray(before) && Array.isArray(after);
  const isUnread = steps.some((step) => step.type === 'unread' && step.isAny);
  // An account of the classic program that stays, or was there, would be listed.
  if (isRecorded && !steps.some((step) => step.isClassic && accountsOf(step).some((one) => !passes(one))))
    return { changes: [], isPartial: isUnread };
  const uncertain = new Set<string>();
  for (const step of steps) if (step.type === 'unread') for (const one of step.accounts) uncertain.add(one);
  const mints = findMints(steps);
  const deltas = new Map<string, bigint>();
  for (const step of steps) {
    if (step.type === 'move') {
      // Fees that a Token-2022 mint withholds are not in the instruction.
      if (!step.isClassic) for (const one of accountsOf(step)) uncertain.add(one);
      if (step.from !== undefined) deltas.set(step.from, (deltas.get(step.from) ?? 0n) - step.amountRaw);
      if (step.to !== undefined) deltas.set(step.to, (deltas.get(step.to) ?? 0n) + step.amountRaw);
    } else if (step.type === 'handover') uncertain.add(step.account);
    else if (step.type === 'open' || step.type === 'close') {
      // Wrapped coins come and go with the account, and only an empty account of another mint can be closed.
      const mint = mints.get(step.account);
      if (mint === undefined || mint === NATIVE_MINT) uncertain.add(step.account);
    }
  }
  const changes: StatedChange[] = [];
  let isPartial = isUnread || hidesCalls(tx) || [...uncertain].some((account) => !passes(account));
  for (const [account, amountRaw] of deltas) {
    if (amountRaw === 0n || uncertain.has(account) || passes(account)) continue;
    const mint = mints.get(account);
    const { before: was, after: is, isHandedOver } = owners.of(account);
    const owner = isHandedOver ? undefined : owners.exists(account) ? is : was;
    if (mint !== undefined) changes.push({ mint, account, owner, amountRaw });
    isPartial ||= mint === undefined || owner === undefined;
  }
  return { changes, isPartial };
}

function accountsOf(step: TokenStep): readonly string[] {
  if (step.type === 'unread') return [];
  if (step.type !== 'move') return [step.account];
  return [step.from, step.to].filter((account) => account !== undefined);
}

/** A mint that an instruction names for one account holds for all that it moved tokens with. */
function findMints(steps: readonly TokenStep[]): ReadonlyMap<string, string> {
  const mints = new Map<string, string>();
  for (const step of steps) {
    if (!('mint' in step) || step.mint === undefined) continue;
    for (const account of accountsOf(step)) mints.set(account, step.mint);
  }
  for (let known = -1; known < mints.size; ) {
    known = mints.size;
    for (const step of steps) {
      if (step.type !== 'move') continue;
      const sides = accountsOf(step);
      const mint = sides.map((side) => mints.get(side)).find((one) => one !== undefined);
      if (mint !== undefined) for (const side of sides) if (!mints.has(side)) mints.set(side, mint);
    }
  }
  return mints;
}
