// SPDX-License-Identifier: Apache-2.0
import {
  BlockNotFoundError,
  type BlockRef,
  type BlocksOfAddresses,
  type BlocksWanted,
} from '@chainwatch/chain-core';
import { z } from 'zod';
import { askWithVersions } from './ask-with-versions.ts';
import { parseTransaction } from './parse-transaction.ts';
import { probeIndex } from './probe-index.ts';
import type { RawTransaction } from './raw-block.ts';
import { readTokenAccounts } from './read-accounts.ts';
import { findHeaderByNumber, parse } from './read-headers.ts';
import type { Session } from './session.ts';
import type { SignatureList, SignatureEntry } from './signature-book.ts';
import { readTokenSteps } from './token-steps.ts';
import { isBehindContext } from './classify-node-error.ts';

/** Blocks of one answer, at most. */
const PAGE_BLOCKS = 64;

/**
 * The final blocks with transactions that name an address or one of its token accounts. A transfer of tokens to an owner
 * names the token account alone: those that the owner has now are asked for, and those that were closed since are found
 * in its own transactions, which created them. Nothing proves that a list is whole: `probeIndex` finds out an index that
 * ends early, another operator's endpoint one that has holes.
 * @throws BlockNotFoundError when the node or its index does not keep slots that old, or the last one is not final to it yet
 */
export async function findBlocksOf(
  session: Session,
  { addresses, accounts: known, fromBlock, toBlock }: BlocksWanted,
  signal?: AbortSignal,
): Promise<BlocksOfAddresses> {
  await expectKept(session, fromBlock, signal);
  const emptyTo = await probeIndex(session, fromBlock, signal);
  if (emptyTo !== undefined) return { refs: [], toBlock: Math.min(toBlock, emptyTo), isListed: true };
  const range = { fromSlot: fromBlock, toSlot: toBlock };
  const accounts = new Map<string, Set<string>>();
  for (const address of addresses)
    accounts.set(
      address,
      new Set([
        ...(known?.get(address) ?? []),
        ...(await listOwned(session, { address, slotMin: toBlock, signal })),
      ]),
    );
  for (;;) {
    const lists: SignatureList[] = [];
    for (const account of new Set([...addresses, ...[...accounts.values()].flatMap((own) => [...own])]))
      lists.push(await listSignatures(session, { account, slots: range, signal }));
    const { slots, toSlot } = takePage(lists, range);
    if (await learnAccounts(session, { accounts, learning: { slots, range }, signal })) continue;
    const refs = await readRefs(session, slots, signal);
    return { refs, toBlock: toSlot, accounts: toLists(accounts), isListed: true };
  }
}

interface Range {
  readonly fromSlot: number;
  readonly toSlot: number;
}

function takePage(lists: readonly SignatureList[], { fromSlot, toSlot }: Range) {
  const covered = Math.min(toSlot, ...lists.map((list) => list.toSlot));
  const all = new Set(lists.flatMap(({ entries }) => entries.map(({ slot }) => slot)));
  const slots = [...all].filter((slot) => slot >= fromSlot && slot <= covered).sort((a, b) => a - b);
  const page = slots.slice(0, PAGE_BLOCKS);
  return { slots: page, toSlot: page.length < slots.length ? page.at(-1)! : covered };
}

async function expectKept(session: Session, slot: number, signal?: AbortSignal): Promise<void> {
  const first = parse(
    'getFirstAvailableBlock',
    z.int().min(0),
    await session.rpc.call('getFirstAvailableBlock', [], signal),
  );
  if (first > slot && first > 1)
    throw new BlockNotFoundError(
      `block ${slot} is not known to the node, which keeps blocks from ${first} on`,
    );
}

async function listOwned(
  session: Session,
  {
    address,
    slotMin,
    signal,
  }: { readonly address: string; readonly slotMin: number; readonly signal: AbortSignal | undefined },
): Promise<string[]> {
  const found = await readTokenAccounts(session, {
    owner: address,
    slotMin,
    dataSlice: { offset: 0, length: 0 },
    ...(signal === undefined ? {} : { signal }),
  });
  return found.flatMap(({ value }) => value.map(({ pubkey }) => pubkey));
}

interface Learning {
  readonly slots: readonly number[];
  readonly range: Range;
}

/** Adds the token accounts that the addresses' own transactions in `slots` name. True when there is a new one. */
async function learnAccounts(
  session: Session,
  {
    accounts,
    learning: { slots, range },
    signal,
  }: {
    readonly accounts: ReadonlyMap<string, Set<string>>;
    readonly learning: Learning;
    readonly signal?: AbortSignal;
  },
): Promise<boolean> {
  const wanted = new Set(slots);
  let hasNew = false;
  for (const [address, own] of accounts) {
    const { entries } = await listSignatures(session, { account: address, slots: range, signal });
    for (const { slot, signature } of entries) {
      if (!wanted.has(slot)) continue;
      for (const account of await readTokenAccountsOf(session, { signature, owner: address, signal })) {
        if (own.has(account)) continue;
        own.add(account);
        hasNew = true;
      }
    }
  }
  return hasNew;
}

const balanceSchema = z.object({ accountIndex: z.int().min(0), owner: z.string().optional() });
const transactionSchema = z.object({
  transaction: z.object({
    message: z.object({ accountKeys: z.array(z.string()), instructions: z.array(z.unknown()).optional() }),
  }),
  meta: z.object({
    preTokenBalances: z.array(balanceSchema).nullish(),
    postTokenBalances: z.array(balanceSchema).nullish(),
    loadedAddresses: z.object({ writable: z.array(z.string()), readonly: z.array(z.string()) }).nullish(),
  }),
});

/** The token accounts of `owner` that a transaction names. */
async function readTokenAccountsOf(
  session: Session,
  {
    signature,
    owner,
    signal,
  }: { readonly signature: string; readonly owner: string; readonly signal?: AbortSignal },
): Promise<string[]> {
  const result = await askWithVersions(session, (maxSupportedTransactionVersion) => {
    const config = { commitment: 'finalized', encoding: 'json', maxSupportedTransactionVersion };
    return session.rpc.call('getTransaction', [signature, config], signal);
  });
  if (result === null)
    throw new BlockNotFoundError(`transaction ${signature}, which the node listed, is not known to it`);
  const { transaction, meta } = parse('getTransaction', transactionSchema, result);
  const { writable = [], readonly = [] } = meta.loadedAddresses ?? {};
  const keys = [...transaction.message.accountKeys, ...writable, ...readonly];
  const balances = [...(meta.preTokenBalances ?? []), ...(meta.postTokenBalances ?? [])];
  const isOld = balances.length === 0 || balances.some((balance) => (balance.owner ?? '') === '');
  return [
    ...balances.flatMap((balance) => {
      const key = keys[balance.accountIndex];
      return balance.owner === owner && key !== undefined ? [key] : [];
    }),
    ...(isOld && transaction.message.instructions !== undefined
      ? listAccountsOf(owner, result as RawTransaction)
      : []),
  ];
}

/**
 * Token accounts that a transaction gives to `owner`, or that `owner` acts on, by its instructions: where blocks are too old
 * to tell owners. One that is somebody else's is only read in vain.
 */
function listAccountsOf(owner: string, raw: RawTransaction): string[] {
  return [...readTokenSteps(parseTransaction(raw))].flatMap((step) => {
    if (step.type === 'move') return step.authority === owner && step.from !== undefined ? [step.from] : [];
    if (step.type === 'handover') return [step.from, step.to].includes(owner) ? [step.account] : [];
    if (step.type === 'close') return step.authority === owner ? [step.account] : [];
    return step.type !== 'unread' && step.owner === owner ? [step.account] : [];
  });
}

async function readRefs(
  session: Session,
  slots: readonly number[],
  signal?: AbortSignal,
): Promise<BlockRef[]> {
  return Promise.all(
    slots.map(async (slot) => {
      const header = await findHeaderByNumber(session, slot, signal);
      if (header === undefined)
        throw new BlockNotFoundError(
          `block ${slot} is not known to the node, which listed a transaction of it`,
        );
      return { number: header.number, hash: header.hash };
    }),
  );
}

const toLists = (accounts: ReadonlyMap<string, Set<string>>): ReadonlyMap<string, readonly string[]> =>
  new Map([...accounts].map(([address, own]) => [address, [...own]]));

/** The node's limit for one call. */
const PAGE_SIGNATURES = 1_000;
/** Kept of one account: those of the lowest slots. */
const ENTRIES_MAX = 5_000;

const pageSchema = z.array(z.object({ signature: z.string().min(1), slot: z.int().min(0) }));

/**
 * The final transactions in slots [fromSlot, toSlot] that name an account; of many, those of the lowest slots.
 * @throws BlockNotFoundError when `toSlot` is not final to the node yet, so that its list would end early
 */
async function listSignatures(
  session: Session,
  {
    account,
    slots: { fromSlot, toSlot },
    signal,
  }: {
    readonly account: string;
    readonly slots: { readonly fromSlot: number; readonly toSlot: number };
    readonly signal?: AbortSignal;
  },
): Promise<SignatureList> {
  const known = session.signatures.find(account, fromSlot);
  if (known !== undefined) return known;
  let found: SignatureEntry[] = [];
  let coveredSlot = toSlot;
  for (let before: string | undefined; ; ) {
    const page = await readPage(session, { account, toSlot, before, signal });
    found.push(...page.filter(({ slot }) => slot >= fromSlot && slot <= toSlot));
    if (found.length > ENTRIES_MAX) {
      // Whole slots: those of the highest slot that is kept in part go, too.
      coveredSlot = found[found.length - ENTRIES_MAX - 1]!.slot - 1;
      found = found.filter(({ slot }) => slot <= coveredSlot);
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_SIGNATURES || last.slot < fromSlot) break;
    before = last.signature;
  }
  const list = { fromSlot, toSlot: coveredSlot, entries: found.reverse() };
  session.signatures.add(account, list);
  return list;
}

async function readPage(
  session: Session,
  {
    account,
    toSlot,
    before,
    signal,
  }: {
    readonly account: string;
    readonly toSlot: number;
    readonly before: string | undefined;
    readonly signal: AbortSignal | undefined;
  },
): Promise<z.infer<typeof pageSchema>> {
  const config = {
    commitment: 'finalized',
    minContextSlot: toSlot,
    limit: PAGE_SIGNATURES,
    ...(before === undefined ? {} : { before }),
  };
  try {
    return parse(
      'getSignaturesForAddress',
      pageSchema,
      await session.rpc.call('getSignaturesForAddress', [account, config], signal),
    );
  } catch (error) {
    if (!isBehindContext(error)) throw error;
    throw new BlockNotFoundError(`getSignaturesForAddress: slot ${toSlot} is not final to the node yet`, {
      cause: error,
      publicMessage: `block ${toSlot} is not known to the node`,
    });
  }
}
