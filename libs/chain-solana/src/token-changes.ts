// SPDX-License-Identifier: Apache-2.0
import type { ParsedTransaction } from './parse-transaction.ts';
import type { RawTokenBalance } from './raw-block.ts';
import { TokenOwners } from './token-owners.ts';
import { hidesCalls, namesTokenProgram, readTokenSteps } from './token-steps.ts';
import { readStatedChanges } from './stated-changes.ts';

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
