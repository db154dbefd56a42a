// SPDX-License-Identifier: Apache-2.0
import { splitAssetGid } from '@chainwatch/common/caip';
import {
  nativeOf,
  BlockNotFoundError,
  type BalanceQuery,
  type BlockRef,
  IncompleteBlockError,
} from '@chainwatch/chain-core';
import {
  ACCOUNTS_MAX,
  readAccounts,
  readTokenAccounts,
  type AtSlot,
  type StateOptions,
} from './read-accounts.ts';
import type { Session } from './session.ts';
import { type Touches, type TokenState, readTouches } from './touch-book.ts';
import { PUBLIC_KEY_LENGTH, PublicKey } from '@solana/web3.js';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './programs.ts';
import { requestBlock, toRawBlock } from './request-block.ts';
import { findHeaderByNumber, listSlots } from './read-headers.ts';

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

/** Bytes of an account's data that tell what it is. */
const ACCOUNT_SLICE = { offset: 0, length: 166 };
const ACCOUNT_BYTES = 165;
const KIND_AT = 165;
const KIND_ACCOUNT = 2;
const STATE_AT = 108;

/** A token account of either token program, from its data; undefined for any other account. */
function parseTokenAccount(program: string, data: Uint8Array): TokenState | undefined {
  if (program !== TOKEN_PROGRAM && program !== TOKEN_2022_PROGRAM) return undefined;
  const isAccount =
    data.length === ACCOUNT_BYTES || (data.length > ACCOUNT_BYTES && data[KIND_AT] === KIND_ACCOUNT);
  if (!isAccount || data[STATE_AT] === 0) return undefined;
  const amountRaw = new DataView(data.buffer, data.byteOffset, data.byteLength).getBigUint64(64, true);
  return { mint: readKey(data, 0), owner: readKey(data, 32), amountRaw };
}

function readKey(data: Uint8Array, at: number): string {
  return new PublicKey(data.subarray(at, at + PUBLIC_KEY_LENGTH)).toBase58();
}

/** Most slots over which a reading is undone. Older states are not available, as on a node without an archive. */
const SLOTS_MAX = 128;

/**
 * The states that the blocks above `at`, up to the slot `to`, found before they changed them; ascending.
 * @throws BlockNotFoundError when `at` is not (or no longer) canonical, or too far back
 */
async function readTouchesAbove(
  session: Session,
  { at, to, signal }: { readonly at: BlockRef; readonly to: number; readonly signal?: AbortSignal },
): Promise<Touches[]> {
  if (to - at.number > SLOTS_MAX)
    throw new BlockNotFoundError(
      `the state at block ${at.number} is ${to - at.number} slots back: expected at most ${SLOTS_MAX}`,
    );
  const [first, ...slots] = await listSlots(session, {
    from: at.number,
    to: Math.max(to, at.number),
    signal,
  });
  if (first !== at.number) throw notCanonical(at, 'no block');
  const header = await findHeaderByNumber(session, at.number, signal);
  if (header?.hash !== at.hash) throw notCanonical(at, header?.hash ?? 'no block');
  const found: Touches[] = [];
  let parent: BlockRef = at;
  for (const slot of slots) {
    const touches =
      session.touches.find(parent.hash, slot) ?? (await readOne(session, { parent, slot, signal }));
    found.push(touches);
    parent = touches.ref;
  }
  return found;
}

async function readOne(
  session: Session,
  {
    parent,
    slot,
    signal,
  }: { readonly parent: BlockRef; readonly slot: number; readonly signal?: AbortSignal },
): Promise<Touches> {
  const ref = { number: slot, hash: 'unknown yet' };
  const raw = toRawBlock(
    ref,
    (await requestBlock(session, { ref, transactionDetails: 'accounts', signal })).readExact(),
  );
  if (raw.previousBlockhash !== parent.hash) throw notCanonical(parent, raw.previousBlockhash);
  try {
    const touches = readTouches(slot, raw);
    session.touches.add(parent.hash, touches);
    return touches;
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError))
      throw error;
    throw new IncompleteBlockError(`block ${slot} could not be read: ${error.message}`, { cause: error });
  }
}

function notCanonical(at: BlockRef, got: string): BlockNotFoundError {
  return new BlockNotFoundError(`slot ${at.number}: expected block ${at.hash}, got ${got}`, {
    publicMessage: `block ${at.number} ${at.hash} is not known to the node`,
  });
}
