// SPDX-License-Identifier: Apache-2.0
import {
  nativeOf,
  type Block,
  type BlockRef,
  type DecodedVerification,
  type Network,
  type Transaction,
  type Transfer,
  decodeMemo,
} from '@chainwatch/chain-core';
import type { ParsedTransaction, Instruction } from './parse-transaction.ts';
import type { RawBlock } from './raw-block.ts';
import { decodeRewards } from './rewards.ts';
import { readTokenChanges } from './token-changes.ts';
import type { VerifiedTransaction } from './verify-block.ts';
import {
  MEMO_PROGRAMS,
  MEMO_PROGRAMS_BYTES,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from './programs.ts';

/** A proved block of decoded transactions, from which votes are already dropped. */
export function decodeBlock(
  network: Network,
  {
    ref,
    raw,
    transactions,
    verification,
  }: {
    readonly ref: BlockRef;
    readonly raw: RawBlock;
    readonly transactions: readonly Transaction[];
    readonly verification: DecodedVerification | undefined;
  },
): Block {
  return {
    number: ref.number,
    hash: raw.blockhash,
    parentHash: raw.previousBlockhash,
    parentNumber: raw.parentSlot,
    timestamp: raw.blockTime ?? 0,
    transactions,
    balanceChanges: decodeRewards(network, raw),
    touchedAssets: [],
    ...(verification !== undefined && { verification }),
  };
}

/**
 * A failed transaction has no effect but its fee. No root of the chain covers what a transaction did: whether it failed, who
 * paid whom, what it cost. That is the node's word, `attested`.
 */
export function decodeTransaction(
  network: Network,
  { index, tx, changes, isUnproved }: VerifiedTransaction,
): Transaction {
  const payer = tx.keyAt(0);
  const isFailed = tx.meta.err !== null;
  const transfers: Transfer[] = [];
  let isPartial = false;
  if (!isFailed) {
    const native = new Map(changes.map((change) => [tx.keyAt(change.index), change.delta]));
    addTransfers(transfers, {
      type: 'native',
      assetGid: nativeOf(network).gid,
      flows: pairFlows(native, () => nativeHints(tx)),
    });
    isPartial = addTokenTransfers(network, tx, transfers);
  }
  const fee = { assetGid: nativeOf(network).gid, amountRaw: BigInt(tx.meta.fee), payer };
  return {
    hash: tx.signature,
    index,
    isFailed,
    from: payer,
    fee,
    transfers,
    memo: readMemo(tx),
    verification: isUnproved === true ? 'unproved' : 'attested',
    ...(isPartial && { partialFor: Array.from({ length: tx.keyCount }, (_, at) => tx.keyAt(at)) }),
  };
}

/**
 * Adds transfers between owners, for those who watch a wallet, then transfers between the token accounts
 * themselves, for those who watch one. A watcher hears only of transfers that name a watched address, so
 * nobody who does not watch both hears twice. An account that owns itself is both: only the owners' part
 * names it. Returns whether some may be missing.
 */
function addTokenTransfers(network: Network, tx: ParsedTransaction, transfers: Transfer[]): boolean {
  const { mints, readOwners, isPartial } = readTokenChanges(tx);
  const hints = once(() => [...tokenHints(tx)]);
  const ownerOf = once(readOwners);
  const add = (mint: string, flows: readonly Flow[]): void =>
    addTransfers(transfers, {
      type: 'token',
      assetGid: `${network.gid}/${network.tokenNamespace}:${mint}`,
      flows,
    });
  for (const { mint, owners } of mints)
    add(
      mint,
      pairFlows(owners, () => ownerHints(hints(), ownerOf())),
    );
  for (const { mint, accounts, selfOwned } of mints)
    add(mint, withoutNames(pairFlows(accounts, hints), selfOwned));
  return isPartial;
}

/** Flows without the addresses in `names`: such a side becomes nobody, and a flow with no side left is dropped. */
function withoutNames(flows: readonly Flow[], names: ReadonlySet<string>): readonly Flow[] {
  if (names.size === 0) return flows;
  return flows.flatMap(({ from, to, amountRaw }) => {
    const isFrom = from !== undefined && !names.has(from);
    const isTo = to !== undefined && !names.has(to);
    return isFrom || isTo ? [{ ...(isFrom && { from }), ...(isTo && { to }), amountRaw }] : [];
  });
}

function addTransfers(
  transfers: Transfer[],
  {
    type,
    assetGid,
    flows,
  }: { readonly type: Transfer['type']; readonly assetGid: string; readonly flows: readonly Flow[] },
): void {
  for (const flow of flows) transfers.push({ index: transfers.length, type, assetGid, ...flow });
}

function once<T>(compute: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= compute());
}

/** The texts of instructions of the memo program, of other programs' calls too, in their order. */
export function readMemo(tx: ParsedTransaction): string | undefined {
  return hasMemo(tx) ? decodeMemo(readTexts(tx)) : undefined;
}

/** Most transactions have none; reading all of their instructions would cost more than the rest of them. */
function hasMemo({ wire, meta }: ParsedTransaction): boolean {
  if (wire === undefined) return true;
  const { writable = [], readonly = [] } = meta.loadedAddresses ?? {};
  return (
    MEMO_PROGRAMS_BYTES.some((key) => wire.hasKey(key)) ||
    [...writable, ...readonly].some((key) => MEMO_PROGRAMS.has(key))
  );
}

function* readTexts(tx: ParsedTransaction): Generator<Uint8Array> {
  for (const instruction of tx.instructions()) {
    const text = MEMO_PROGRAMS.has(instruction.program) ? instruction.readData() : undefined;
    if (text !== undefined) yield text;
  }
}

/** System instructions that move lamports, by number: the offset of the amount and the index of the receiver. */
const SYSTEM_MOVES: Readonly<Record<number, { readonly amountAt: number; readonly toAt: number }>> = {
  0: { amountAt: 4, toAt: 1 }, // CreateAccount
  2: { amountAt: 4, toAt: 1 }, // Transfer
  11: { amountAt: 4, toAt: 2 }, // TransferWithSeed
};

/** Token instructions that move amounts. */
const TOKEN_TRANSFER = 3;
const TOKEN_TRANSFER_CHECKED = 12;
const TOKEN_FEE_EXTENSION = 26;
const TRANSFER_CHECKED_WITH_FEE = 1;

/** Lamports that instructions of the system program moved. */
function* nativeHints(tx: ParsedTransaction): Generator<Hint> {
  for (const instruction of tx.instructions()) {
    if (instruction.program !== SYSTEM_PROGRAM) continue;
    const data = instruction.readData();
    if (data === undefined || data.length < 12) continue;
    const view = viewOf(data);
    const move = SYSTEM_MOVES[view.getUint32(0, true)];
    const from = instruction.accountAt(0);
    const to = move && instruction.accountAt(move.toAt);
    if (from !== undefined && to !== undefined && from !== to)
      yield { from, to, amountRaw: view.getBigUint64(move!.amountAt, true) };
  }
}

/** Amounts that instructions of the token programs moved between token accounts, whatever their mint. */
function* tokenHints(tx: ParsedTransaction): Generator<Hint> {
  for (const instruction of tx.instructions()) {
    if (instruction.program !== TOKEN_PROGRAM && instruction.program !== TOKEN_2022_PROGRAM) continue;
    const hint = readTokenMove(instruction);
    if (hint !== undefined && hint.from !== hint.to) yield hint;
  }
}

function readTokenMove(instruction: Instruction): Hint | undefined {
  const data = instruction.readData();
  if (data === undefined) return undefined;
  const isPlain = data[0] === TOKEN_TRANSFER;
  const isChecked = data[0] === TOKEN_TRANSFER_CHECKED;
  const hasFee = data[0] === TOKEN_FEE_EXTENSION && data[1] === TRANSFER_CHECKED_WITH_FEE;
  const amountAt = hasFee ? 2 : 1;
  if ((!isPlain && !isChecked && !hasFee) || data.length < amountAt + 8) return undefined;
  const from = instruction.accountAt(0);
  const to = instruction.accountAt(isPlain ? 1 : 2);
  return from === undefined || to === undefined
    ? undefined
    : { from, to, amountRaw: viewOf(data).getBigUint64(amountAt, true) };
}

/** Hints between the owners of token accounts. */
function* ownerHints(hints: Iterable<Hint>, ownerOf: ReadonlyMap<string, string>): Generator<Hint> {
  for (const { from, to, amountRaw } of hints) {
    const [sender, receiver] = [ownerOf.get(from), ownerOf.get(to)];
    if (sender !== undefined && receiver !== undefined && sender !== receiver)
      yield { from: sender, to: receiver, amountRaw };
  }
}

function viewOf(data: Uint8Array): DataView {
  return new DataView(data.buffer, data.byteOffset, data.byteLength);
}

/** What each address lost or gained, in the order in which the chain names them. */
type Flows = ReadonlyMap<string, bigint>;

/** An amount that an instruction moved. */
interface Hint {
  readonly from: string;
  readonly to: string;
  readonly amountRaw: bigint;
}

export interface Flow {
  /** Absent: out of nothing (a mint). */
  readonly from?: string;
  /** Absent: into nothing (a burn, a withheld fee). */
  readonly to?: string;
  readonly amountRaw: bigint;
}

/**
 * Transfers that add up to `flows` exactly. With one sender or one receiver there is only one way to pair
 * them. Otherwise they are paired by what the instructions moved (`readHints`, called only then), then by
 * equal amounts, then by order.
 */
export function pairFlows(flows: Flows, readHints: () => Iterable<Hint>): Flow[] {
  const out = new Map<string, bigint>();
  const into = new Map<string, bigint>();
  for (const [address, delta] of flows) {
    if (delta < 0n) out.set(address, -delta);
    else if (delta > 0n) into.set(address, delta);
  }
  const paired: Flow[] = [];
  const pay = (from: string, to: string, most: bigint): void => {
    const amountRaw = [out.get(from) ?? 0n, into.get(to) ?? 0n, most].reduce((a, b) => (a < b ? a : b));
    if (amountRaw === 0n) return;
    paired.push({ from, to, amountRaw });
    take(out, from, amountRaw);
    take(into, to, amountRaw);
  };
  if (out.size > 1 && into.size > 1) {
    for (const { from, to, amountRaw } of readHints()) pay(from, to, amountRaw);
    for (const [from, amount] of [...out])
      for (const [to, wanted] of into) if (out.has(from) && amount === wanted) pay(from, to, amount);
  }
  for (const from of [...out.keys()]) for (const to of [...into.keys()]) pay(from, to, out.get(from) ?? 0n);
  for (const [from, amountRaw] of out) paired.push({ from, amountRaw });
  for (const [to, amountRaw] of into) paired.push({ to, amountRaw });
  return paired;
}

function take(rest: Map<string, bigint>, address: string, amount: bigint): void {
  const left = rest.get(address)! - amount;
  if (left === 0n) rest.delete(address);
  else rest.set(address, left);
}
