// SPDX-License-Identifier: Apache-2.0
import { decodeMemo, type Transfer, type Block } from '@chainwatch/chain-core';
import { toEventSelector } from 'viem/utils';

/** A log as contracts of every chain with this ABI write it: `0x` and lower-case hexadecimal digits. */
export interface ContractLog {
  /** 20 bytes. */
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

/** How a chain writes what a log says. */
export interface ContractNotation {
  /** CAIP-19 of the token at a contract's address (`0x` and 40 digits). */
  tokenGid(address: string): string;
  /** Canonical form of an account (`0x` and 40 lower-case digits). */
  account(address: string): string;
  /** The contract that wraps the native coin (WETH9), in lower case: it may log no transfer of what it mints and burns. */
  readonly wrapper?: string | undefined;
}

const transferTopic: string = toEventSelector('Transfer(address,address,uint256)');
// Memos of a token, each directly behind the transfer that it belongs to: B20 (Base) and CAS20 (BSC); TIP-20.
const memoTopic: string = toEventSelector('Memo(address,bytes32)');
const transferWithMemoTopic: string = toEventSelector('TransferWithMemo(address,address,uint256,bytes32)');
const depositTopic: string = toEventSelector('Deposit(address,uint256)');
const withdrawalTopic: string = toEventSelector('Withdrawal(address,uint256)');
/** What stands before an account in its word, but for the byte in which early contracts of TRON have its prefix. */
const PADDING = '0'.repeat(22);
/** From whom an ERC-20 mints, and to whom it burns. */
const NOBODY = `0x${'00'.repeat(20)}`;
const approvalTopic: string = toEventSelector('Approval(address,address,uint256)');
const approvalForAllTopic: string = toEventSelector('ApprovalForAll(address,address,bool)');

export interface TransactionLogs {
  readonly logs: readonly ContractLog[];
  /** Of the first log in the block. */
  readonly logIndex: number;
  /** Appended to. */
  readonly transfers: Transfer[];
}

/**
 * Appends the token transfers of one transaction's logs to `transfers`. Two forms count: the standard one (three topics and
 * one word of data), and that of early tokens without indexed members (one topic and three words). ERC-721 (four topics) is
 * passed over, and so is a form with one indexed member: the log does not say whether that is the sender, the receiver, or the
 * amount. Cut out of the text, not by viem's `decodeEventLog`, because every log of every block comes by here
 * (docs/adr/0003-evm-completeness.md).
 */
export function decodeTransferLogs(
  notation: ContractNotation,
  { logs, logIndex, transfers }: TransactionLogs,
): void {
  let alone: ReadonlySet<string | undefined> | undefined;
  for (let i = 0; i < logs.length; i++) {
    const log = logs[i];
    if (log === undefined) continue;
    const transfer = readTransfer(log);
    const move = transfer ?? readWrapped(notation, log);
    if (move === undefined) continue;
    if (transfer === undefined && !(alone ??= findAlone(notation, logs)).has(log.topics[0])) continue;
    transfers.push({
      index: transfers.length,
      type: 'token',
      assetGid: notation.tokenGid(log.address),
      from: notation.account(move.from),
      to: notation.account(move.to),
      amountRaw: BigInt(move.amount),
      logIndex: logIndex + i,
      ...(transfer !== undefined && readMemo(log, logs[i + 1])),
    });
  }
}

/**
 * Whether a log is something which is neither a transfer nor an approval; a transfer in a form that `decodeTransferLogs`
 * passes over is something else, ERC-721 apart, because it may have moved a balance.
 */
export function touchesBalances(log: ContractLog): boolean {
  const topic = log.topics[0];
  if (topic === transferTopic) return log.topics.length !== 4 && readTransfer(log) === undefined;
  return topic !== approvalTopic && topic !== approvalForAllTopic;
}

interface Move {
  readonly from: string;
  readonly to: string;
  /** One word. */
  readonly amount: string;
}

function readTransfer({ topics, data }: ContractLog): Move | undefined {
  if (topics[0] !== transferTopic) return undefined;
  if (topics.length === 3 && data.length === 66)
    return { from: topicAddress(topics[1]), to: topicAddress(topics[2]), amount: data };
  if (topics.length !== 1 || data.length !== 194) return undefined;
  const [from, to, amount] = [data.slice(2, 66), data.slice(66, 130), data.slice(130)] as const;
  // Words that hold no accounts are those of another event with the same name.
  if (!isAccountAt(from, 0) || !isAccountAt(to, 0)) return undefined;
  return { from: topicAddress(`0x${from}`), to: topicAddress(`0x${to}`), amount: `0x${amount}` };
}

/** What a deposit mints or a withdrawal burns, by a log of the native coin's wrapper. */
function readWrapped(
  { wrapper }: ContractNotation,
  { address, topics, data }: ContractLog,
): Move | undefined {
  if (address !== wrapper || topics.length !== 2 || data.length !== 66) return undefined;
  const [topic, account] = topics;
  if (topic !== depositTopic && topic !== withdrawalTopic) return undefined;
  const owner = topicAddress(account);
  return topic === depositTopic
    ? { from: NOBODY, to: owner, amount: data }
    : { from: owner, to: NOBODY, amount: data };
}

/**
 * Which of deposits and withdrawals the wrapper logs alone, by their topic. A wrapper logs a transfer from or to nobody with
 * every one of them (Scroll's, by OpenZeppelin's `_mint` and `_burn`) or with none (WETH9), so one that has no transfer of its
 * own in the transaction tells of all. Where each has one, the transfers tell everything: also a plain one to nobody, which some
 * tokens allow. The two need not stand beside each other: a wrapper may pay the coin in between, to an account that logs it or
 * does something else. What cannot be told apart is a transfer of WETH9 to nobody beside withdrawals, when every withdrawal of
 * the transaction finds one by its owner and of its amount.
 */
function findAlone(
  notation: ContractNotation,
  logs: readonly ContractLog[],
): ReadonlySet<string | undefined> {
  const unused = new Map<string, number>();
  for (const log of logs) {
    const move = log.address === notation.wrapper ? readTransfer(log) : undefined;
    if (move !== undefined) unused.set(keyOf(move), (unused.get(keyOf(move)) ?? 0) + 1);
  }
  const alone = new Set<string | undefined>();
  for (const log of logs) {
    const move = readWrapped(notation, log);
    if (move === undefined) continue;
    const left = unused.get(keyOf(move)) ?? 0;
    if (left === 0) alone.add(log.topics[0]);
    else unused.set(keyOf(move), left - 1);
  }
  return alone;
}

function keyOf({ from, to, amount }: Move): string {
  return `${from} ${to} ${amount}`;
}

/** What the token says of a transfer in its next log: text where it is printable, else the 32 bytes as they are. */
function readMemo(transfer: ContractLog, next: ContractLog | undefined): Pick<Transfer, 'memo'> {
  if (next === undefined || next.address !== transfer.address) return {};
  const [topic, ...parts] = next.topics;
  const isOfTransfer =
    topic === memoTopic
      ? parts.length === 2
      : topic === transferWithMemoTopic &&
        parts.length === 3 &&
        parts[0] === transfer.topics[1] &&
        parts[1] === transfer.topics[2] &&
        next.data === transfer.data;
  const word = parts.at(-1)?.toLowerCase();
  if (!isOfTransfer || word === undefined) return {};
  const text = word.slice(2).replace(/(?:00)+$/, '');
  if (text === '') return {};
  return { memo: decodeMemo([Buffer.from(text, 'hex')]) ?? word };
}

/** Whether the word at a place may hold an account, by what stands before it. */
function isAccountAt(text: string, at: number): boolean {
  return text.startsWith(PADDING, at) && (text.startsWith('00', at + 22) || text.startsWith('41', at + 22));
}

/** The address in an indexed topic: its last 20 bytes, whatever stands before them. */
function topicAddress(topic: string | undefined): string {
  return `0x${(topic ?? '').slice(26).toLowerCase()}`;
}

/** A number below 2^96, and no account: nobody finds a key for one with eight zero bytes. */
const NUMBER = '0'.repeat(40);

/** The contracts of a block with a log that may have moved balances without telling whose, and the accounts that such logs name. */
export class TouchedContracts {
  readonly #accounts = new Map<string, Set<string>>();

  add(logs: readonly ContractLog[]): void {
    for (const log of logs) {
      if (!touchesBalances(log)) continue;
      let accounts = this.#accounts.get(log.address);
      if (accounts === undefined) this.#accounts.set(log.address, (accounts = new Set()));
      for (let i = 1; i < log.topics.length; i++) collectAccounts(log.topics[i]!, accounts);
      collectAccounts(log.data, accounts);
    }
  }

  /** A contract that is no token. */
  leaveOut(address: string): void {
    this.#accounts.delete(address);
  }

  list({ tokenGid, account }: ContractNotation): Pick<Block, 'touchedAssets' | 'mentions'> {
    const mentions = [...this.#accounts].map(([contract, named]) => ({
      assetGid: tokenGid(contract),
      addresses: Array.from(named, account),
    }));
    return {
      touchedAssets: mentions.map(({ assetGid }) => assetGid),
      mentions: mentions.filter(({ addresses }) => addresses.length > 0),
    };
  }
}

/** Adds every word of a topic or of data that may be an account, as `0x` and 40 lower-case digits. */
function collectAccounts(text: string, accounts: Set<string>): void {
  for (let at = 2; at + 64 <= text.length; at += 64) {
    if (isAccountAt(text, at) && !text.startsWith(NUMBER, at))
      accounts.add(`0x${text.slice(at + 24, at + 64).toLowerCase()}`);
  }
}
