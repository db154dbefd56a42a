// SPDX-License-Identifier: Apache-2.0
import { splitAssetGid } from '@chainwatch/caip';
import { nativeOf, BlockNotFoundError } from '@chainwatch/chain-core';
import type { BalanceQuery, BlockRef } from '@chainwatch/chain-core';
import {
  ACCOUNTS_MAX,
  readAccounts,
  readTokenAccounts,
  type AtSlot,
  type StateOptions,
} from './read-accounts.ts';
import { readTouchesAbove } from './read-touches.ts';
import type { Session } from './session.ts';
import { ACCOUNT_SLICE, parseTokenAccount } from './token-account.ts';
import type { Touches, TokenState } from './touch-book.ts';

type TokenAccounts = ReadonlyMap<string, AtSlot<TokenState>>;

/** Above this many mints of one owner, all its token accounts are read in one call. */
const MINTS_APART = 2;

/**
 * Balances at a block. Nodes tell only the newest state, and its slot. What the blocks in between changed is
 * undone with the balances that they recorded before, so that the answer is exactly that of `at`.
 * @throws BlockNotFoundError when the node has not reached `at`, has another block there, or is far beyond it
 */
export async function readBalances(
  session: Session,
  {
    at,
    queries,
    signal,
  }: { readonly at: BlockRef; readonly queries: readonly BalanceQuery[]; readonly signal?: AbortSignal },
): Promise<(bigint | undefined)[]> {
  if (queries.length === 0) return [];
  const { network } = session;
  const options: StateOptions = {
    slotMin: at.number,
    dataSlice: ACCOUNT_SLICE,
    signal,
  };
  const addresses = [...new Set(queries.map(({ address }) => address))];
  const [accounts, held] = await Promise.all([
    readAccounts(session, addresses, options),
    readHeld(session, queries, options),
  ]);
  const own = new Map(addresses.map((address, position) => [address, accounts[position]!]));
  const slots = [...own.values(), ...[...held.values()].flatMap(({ parts }) => parts)].map(
    ({ slot }) => slot,
  );
  const behind = slots.find((slot) => slot < at.number);
  if (behind !== undefined)
    throw new BlockNotFoundError(
      `the state of slot ${at.number} was asked for, the node told that of ${behind}`,
    );
  const touches = await readTouchesAbove(session, { at, to: Math.max(...slots), signal });
  return queries.map(({ address, assetGid }) => {
    const account = own.get(address)!;
    if (assetGid === nativeOf(network).gid)
      return undoLamports(address, { slot: account.slot, value: account.value?.lamports ?? 0n }, touches);
    const known = new Map(held.get(address)?.accounts);
    const self =
      account.value === null ? undefined : parseTokenAccount(account.value.owner, account.value.data);
    if (self !== undefined) known.set(address, { slot: account.slot, value: self });
    return sumTokens(address, mintOf(assetGid), { known, touches });
  });
}

/** A hundred accounts are one request, the tokens of an owner one for each mint or, of more mints, for each token program. */
export function countBalanceRequests(queries: readonly BalanceQuery[]): number {
  const mints = new Map<string, number>();
  for (const { address, assetGid } of queries)
    mints.set(address, (mints.get(address) ?? 0) + (splitAssetGid(assetGid).namespace === 'slip44' ? 0 : 1));
  const tokens = [...mints.values()].reduce((sum, count) => sum + Math.min(count, MINTS_APART), 0);
  return Math.ceil(mints.size / ACCOUNTS_MAX) + tokens;
}

interface Held {
  readonly accounts: TokenAccounts;
  /** The answers that the value was made from. */
  readonly parts: readonly { readonly slot: number }[];
}

async function readHeld(
  session: Session,
  queries: readonly BalanceQuery[],
  options: StateOptions,
): Promise<Map<string, Held>> {
  const wanted = new Map<string, Set<string>>();
  for (const { address, assetGid } of queries) {
    if (assetGid === nativeOf(session.network).gid) continue;
    const mints = wanted.get(address) ?? new Set();
    wanted.set(address, mints.add(mintOf(assetGid)));
  }
  const owners = await Promise.all(
    Array.from(wanted, async ([owner, mints]): Promise<[string, Held]> => {
      const asked = mints.size > MINTS_APART ? [undefined] : [...mints];
      const parts = (
        await Promise.all(
          asked.map((mint) =>
            readTokenAccounts(session, { owner, mint, ...options }).catch(ignoreUnknownMint),
          ),
        )
      ).flat();
      return [owner, { accounts: toStates(parts), parts }];
    }),
  );
  return new Map(owners);
}

/** A mint that does not exist is an error to the node; nobody holds any of it. */
function ignoreUnknownMint(error: unknown): [] {
  if (
    error instanceof Error &&
    /could not find mint|not a token mint|mint could not be unpacked|invalid param/i.test(error.message)
  )
    return [];
  throw error;
}

function toStates(parts: Awaited<ReturnType<typeof readTokenAccounts>>): TokenAccounts {
  return new Map(
    parts.flatMap(({ slot, value }) =>
      value.flatMap(({ pubkey, account }): [string, AtSlot<TokenState>][] => {
        const state = parseTokenAccount(account.owner, account.data);
        return state === undefined ? [] : [[pubkey, { slot, value: state }]];
      }),
    ),
  );
}

/** The balance before the first block of `touches`. The reading includes blocks up to its own slot. */
function undoLamports(address: string, { slot, value }: AtSlot<bigint>, touches: readonly Touches[]): bigint {
  let rewards = 0n;
  for (const { ref, lamports, rewards: paid } of touches) {
    if (ref.number > slot) break;
    const before = lamports.get(address);
    if (before !== undefined) return before - rewards;
    rewards += paid.get(address) ?? 0n;
  }
  return value - rewards;
}

interface KnownTokens {
  readonly known: TokenAccounts;
  readonly touches: readonly Touches[];
}

/** What `address` holds of a mint, as the owner of token accounts or as a token account itself. */
function sumTokens(address: string, mint: string, { known, touches }: KnownTokens): bigint {
  let sum = 0n;
  const touched = new Set<string>();
  const add = (account: string, state: TokenState | undefined): void => {
    if (state !== undefined && state.mint === mint && (state.owner === address || account === address))
      sum += state.amountRaw;
  };
  for (const { ref, tokens } of touches) {
    for (const [account, state] of tokens) {
      // What the answers leave out may have been closed since. What its first block recorded is its state before.
      if (ref.number > (known.get(account)?.slot ?? Infinity) || touched.has(account)) continue;
      touched.add(account);
      add(account, state);
    }
  }
  for (const [account, { value }] of known) if (!touched.has(account)) add(account, value);
  return sum;
}

function mintOf(assetGid: string): string {
  return splitAssetGid(assetGid).reference;
}
