// SPDX-License-Identifier: Apache-2.0
import type { ParsedTransaction } from './parse-transaction.ts';
import type { RawTokenBalance } from './raw-block.ts';
import { hidesCalls, namesTokenProgram, readTokenSteps, type TokenStep } from './token-steps.ts';
import { NATIVE_MINT } from './programs.ts';

/** Changes of one mint in a transaction, by owner and by token account. */
export interface MintChanges {
  readonly mint: string;
  readonly owners: Map<string, bigint>;
  readonly accounts: Map<string, bigint>;
  /** Accounts that are their own owner, such as the vaults of some exchanges. */
  readonly selfOwned: Set<string>;
}

export interface TokenChanges {
  readonly mints: readonly MintChanges[];
  /** Owners of token accounts, as far as they are known. */
  readOwners(): ReadonlyMap<string, string>;
  /** Whether the block is too old to tell all: an amount, an asset, or an owner may be missing. */
  readonly isPartial: boolean;
}

/**
 * Changes of token amounts, from the balances before and after. An account that was closed, created, given to
 * another owner or used for another mint has separate entries before and after, so its changes are right.
 *
 * Blocks of before the end of 2021 have balances without owners, or none at all. There, instructions say what is certain.
 */
export function readTokenChanges(tx: ParsedTransaction): TokenChanges {
  const before = tx.meta.preTokenBalances ?? NONE;
  const after = tx.meta.postTokenBalances ?? NONE;
  if (before.length === 0 && after.length === 0) return readWithoutBalances(tx);
  const changes = new ChangesByMint();
  const isOld = before.some(lacksOwner) || after.some(lacksOwner);
  const owners = isOld ? new TokenOwners(tx, [...readTokenSteps(tx)]) : undefined;
  let isPartial = isOld && hidesCalls(tx);
  const take = (entry: RawTokenBalance, sign: 1n | -1n): void => {
    const account = tx.keyAt(entry.accountIndex);
    const told = owners?.of(account);
    const owner = entry.owner || (sign < 0n ? told?.before : told?.after);
    const amountRaw = BigInt(entry.uiTokenAmount.amount) * sign;
    isPartial ||= owner === undefined && amountRaw !== 0n;
    changes.add({ mint: entry.mint, account, owner, amountRaw });
  };
  const isGiven = (entry: RawTokenBalance): boolean =>
    owners !== undefined && lacksOwner(entry) && owners.of(tx.keyAt(entry.accountIndex)).isHandedOver;
  // Both lists are in the order of the accounts, and most entries did not change, so equal entries mostly
  // stand at equal positions.
  for (const [position, entry] of before.entries())
    if (!hasEqual(after, entry, position) || isGiven(entry)) take(entry, -1n);
  for (const [position, entry] of after.entries())
    if (!hasEqual(before, entry, position) || isGiven(entry)) take(entry, 1n);
  return {
    mints: changes.mints,
    readOwners: () => {
      for (const { accountIndex, owner } of [...before, ...after])
        if (owner) changes.ownerOf.set(tx.keyAt(accountIndex), owner);
      return changes.ownerOf;
    },
    isPartial,
  };
}

const NONE: readonly RawTokenBalance[] = [];
const NOTHING: TokenChanges = { mints: [], readOwners: () => new Map(), isPartial: false };

function readWithoutBalances(tx: ParsedTransaction): TokenChanges {
  if (!namesTokenProgram(tx)) return NOTHING;
  if (tx.hidesInstructions === true) return { ...NOTHING, isPartial: true };
  const { changes: stated, isPartial } = readStatedChanges(tx, [...readTokenSteps(tx)]);
  const changes = new ChangesByMint();
  for (const change of stated) changes.add(change);
  return { mints: changes.mints, readOwners: () => changes.ownerOf, isPartial };
}

/**
 * Whether a node left out token balances, as no node does since 2022: a token account took part that was not opened here, so that
 * it was there before. What opens and closes an account leaves nothing behind, whatever lamports it gets.
 */
export function lacksTokenBalances(tx: ParsedTransaction): boolean {
  const { preTokenBalances, postTokenBalances } = tx.meta;
  const listed = [...(preTokenBalances ?? NONE), ...(postTokenBalances ?? NONE)];
  if (listed.length > 0) return listed.some(lacksOwner);
  const steps = [...readTokenSteps(tx)];
  const opened = new Set(steps.flatMap((step) => (step.type === 'open' ? [step.account] : [])));
  return steps.some(
    (step) =>
      step.type === 'move' &&
      [step.from, step.to].some((account) => account !== undefined && !opened.has(account)),
  );
}

interface TokenChange {
  readonly mint: string;
  readonly account: string;
  readonly owner: string | undefined;
  readonly amountRaw: bigint;
}

class ChangesByMint {
  readonly mints: MintChanges[] = [];
  readonly ownerOf = new Map<string, string>();

  add({ mint, account, owner, amountRaw }: TokenChange): void {
    let ofMint = this.mints.find((one) => one.mint === mint);
    if (ofMint === undefined)
      this.mints.push((ofMint = { mint, owners: new Map(), accounts: new Map(), selfOwned: new Set() }));
    if (owner !== undefined) {
      ofMint.owners.set(owner, (ofMint.owners.get(owner) ?? 0n) + amountRaw);
      this.ownerOf.set(account, owner);
    }
    if (owner === account) ofMint.selfOwned.add(account);
    ofMint.accounts.set(account, (ofMint.accounts.get(account) ?? 0n) + amountRaw);
  }
}

const lacksOwner = ({ owner }: RawTokenBalance): boolean => owner === undefined || owner === '';

function hasEqual(others: readonly RawTokenBalance[], entry: RawTokenBalance, position: number): boolean {
  const guess = others[position];
  if (guess !== undefined && guess.accountIndex === entry.accountIndex) return isEqual(guess, entry);
  return others.some((other) => other.accountIndex === entry.accountIndex && isEqual(other, entry));
}

function isEqual(one: RawTokenBalance, other: RawTokenBalance): boolean {
  return (
    one.uiTokenAmount.amount === other.uiTokenAmount.amount &&
    one.owner === other.owner &&
    one.mint === other.mint
  );
}

/** A change of a token account that instructions state for certain. */
interface StatedChange {
  readonly mint: string;
  readonly account: string;
  readonly owner: string | undefined;
  readonly amountRaw: bigint;
}

interface StatedChanges {
  readonly changes: readonly StatedChange[];
  /** Whether something may be missing: an amount, an asset, or an owner is not certain. */
  readonly isPartial: boolean;
}

/**
 * Changes of token amounts in a transaction without token balances. Blocks of before token balances have none, and so
 * has a newer transaction in which every token account is created and closed: that one leaves nothing.
 */
function readStatedChanges(tx: ParsedTransaction, steps: readonly TokenStep[]): StatedChanges {
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

/** An owner for certain; undefined: not known, or no such account then. */
interface OwnersOfAccount {
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  /** The owner changed in the transaction. */
  readonly isHandedOver: boolean;
}

/** What the instructions of a transaction say for certain of the owners of token accounts. */
class TokenOwners {
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
