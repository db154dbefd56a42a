import type { ParsedTransaction } from './parse-transaction.ts';
import type { RawTokenBalance } from './raw-block.ts';

/** Changes of one mint in a transaction, by owner and by token account. */
export interface MintChanges {
  readonly mint: string;
  readonly owners: Map<string, bigint>;
  readonly accounts: Map<string, bigint>;
  /** Accounts that are their own owner, such as the vaults of some exchanges. */
  readonly selfOwned: Set<string>;
}

/**
 * Changes of token amounts, from the balances before and after. An account that was closed, created, given to
 * another owner or used for another mint has separate entries before and after, so its changes are right.
 */
export function tokenChanges(tx: ParsedTransaction): MintChanges[] {
  const before = tx.meta.preTokenBalances ?? NONE;
  const after = tx.meta.postTokenBalances ?? NONE;
  const changes: MintChanges[] = [];
  // Both lists are in the order of the accounts, and most entries did not change, so equal entries mostly
  // stand at equal positions.
  for (const [position, entry] of before.entries())
    if (!hasEqual(after, entry, position)) add(changes, { tx, balance: entry, sign: -1n });
  for (const [position, entry] of after.entries())
    if (!hasEqual(before, entry, position)) add(changes, { tx, balance: entry, sign: 1n });
  return changes;
}

const NONE: readonly RawTokenBalance[] = [];

function add(
  changes: MintChanges[],
  {
    tx,
    balance: { mint, owner, accountIndex, uiTokenAmount },
    sign,
  }: { readonly tx: ParsedTransaction; readonly balance: RawTokenBalance; readonly sign: 1n | -1n },
): void {
  const amount = BigInt(uiTokenAmount.amount) * sign;
  let ofMint = changes.find((one) => one.mint === mint);
  if (ofMint === undefined)
    changes.push((ofMint = { mint, owners: new Map(), accounts: new Map(), selfOwned: new Set() }));
  if (owner !== undefined && owner !== '')
    ofMint.owners.set(owner, (ofMint.owners.get(owner) ?? 0n) + amount);
  const account = tx.keyAt(accountIndex);
  if (owner === account) ofMint.selfOwned.add(account);
  ofMint.accounts.set(account, (ofMint.accounts.get(account) ?? 0n) + amount);
}

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
