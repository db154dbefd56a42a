// SPDX-License-Identifier: Apache-2.0
import { sumAtomic } from './encode-atomic.ts';
import { toQuantity, toWord } from './encode-parts.ts';
import type { Hex } from './encode-parts.ts';
import type { ChainBlock, SettledChain } from './settled-chain.ts';

/** Wei that each account has before the first block. */
const FUNDS = 10n ** 24n;
const METHOD_NOT_FOUND = -32_601;
const SELECTORS = {
  balanceOf: '0x70a08231',
  name: '0x06fdde03',
  symbol: '0x95d89b41',
  decimals: '0x313ce567',
};

export interface NodeCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** What a node serves of a chain. */
export interface NodeView {
  readonly chain: SettledChain;
  /** Number of the last block that it has executed. */
  readonly head: number;
  /** Number of the block that it calls safe and final. */
  readonly finalized: number;
}

/** The node's own error, as JSON-RPC tells it. */
export class NodeError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Result of a call as Avalanche's nodes give it. @throws NodeError */
export function answerCall(view: NodeView, { method, params }: NodeCall): unknown {
  const answer = ANSWERS[method];
  if (answer === undefined)
    throw new NodeError(METHOD_NOT_FOUND, `the method ${method} does not exist/is not available`);
  return answer(view, params);
}

type Answer = (view: NodeView, params: readonly unknown[]) => unknown;

const ANSWERS: Readonly<Record<string, Answer>> = {
  eth_chainId: ({ chain }) => toQuantity(chain.chainId),
  net_version: ({ chain }) => String(chain.chainId),
  web3_clientVersion: () => 'settled-chain/1',
  eth_syncing: () => false,
  eth_blockNumber: ({ head }) => toQuantity(head),
  eth_getBlockByNumber: (view, [at, isWhole]) => describeBlock(findBlock(view, at), isWhole === true),
  eth_getBlockByHash: (view, [at, isWhole]) => describeBlock(findBlock(view, at), isWhole === true),
  eth_getBlockReceipts: (view, [at]) => findBlock(view, at)?.receipts ?? null,
  eth_getTransactionReceipt: (view, [hash]) =>
    servedOf(view)
      .flatMap(({ receipts }) => receipts)
      .find((receipt) => receipt['transactionHash'] === hash) ?? null,
  eth_getTransactionByHash: (view, [hash]) =>
    servedOf(view)
      .flatMap(({ transactions }) => transactions)
      .find((tx) => tx['hash'] === hash) ?? null,
  eth_getLogs: (view, [filter]) => findLogs(view, filter as LogFilter),
  eth_getBalance: (view, [address, at]) => toQuantity(balanceAt(view, String(address).toLowerCase(), at)),
  eth_getCode: () => '0x',
  eth_call: (view, [call, at]) => callContract(view, call as ContractCall, at),
};

/** A block by hash, number, tag or EIP-1898 object. */
function findBlock(view: NodeView, at: unknown): ChainBlock | undefined {
  const key =
    typeof at === 'object' && at !== null ? Object.values(at).find((value) => typeof value === 'string') : at;
  const number = numberOf(view, String(key));
  return servedOf(view).find((block) => block.hash === key || block.number === number);
}

function numberOf({ chain, head, finalized }: NodeView, key: string): number | undefined {
  if (key === 'latest' || key === 'pending') return head;
  if (key === 'safe' || key === 'finalized') return finalized;
  if (key === 'earliest') return chain.blocks[0]?.number;
  return key.length < 66 ? Number(key) : undefined;
}

function servedOf({ chain, head }: NodeView): readonly ChainBlock[] {
  return chain.blocks.filter(({ number }) => number <= head);
}

function describeBlock(block: ChainBlock | undefined, isWhole: boolean): unknown {
  if (block === undefined) return null;
  const { hash, header, transactions, extraData } = block;
  return {
    hash,
    ...header,
    size: '0x2ef',
    totalDifficulty: '0x0',
    blockExtraData: extraData,
    uncles: [],
    transactions: isWhole ? transactions : transactions.map((tx) => tx['hash']),
  };
}

interface LogFilter {
  readonly fromBlock?: string;
  readonly toBlock?: string;
  readonly address?: string | readonly string[];
  readonly topics?: readonly (string | readonly string[] | null)[];
}

function findLogs(
  view: NodeView,
  { fromBlock = 'earliest', toBlock = 'latest', address, topics = [] }: LogFilter,
): unknown {
  const [from = 0, to = 0] = [numberOf(view, fromBlock), numberOf(view, toBlock)];
  return servedOf(view)
    .filter(({ number }) => number >= from && number <= to)
    .flatMap(({ receipts }) => receipts.flatMap(({ logs }) => logs))
    .filter(
      (log) =>
        matches(address, log['address'] as string) &&
        topics.every((wanted, at) => matches(wanted, (log['topics'] as string[])[at])),
    );
}

function matches(wanted: string | readonly string[] | null | undefined, got: string | undefined): boolean {
  if (wanted === null || wanted === undefined) return true;
  return got !== undefined && [wanted].flat().some((value) => value.toLowerCase() === got);
}

/** What the successful transactions up to a block left of the funds, with what came from other chains. */
function balanceAt(view: NodeView, address: string, at: unknown): bigint {
  let balance = 0n;
  let isAccount = false;
  for (const { json, receipt, gasUsed, gasPrice } of transactionsUpTo(view, at)) {
    const value = receipt.isFailed ? 0n : BigInt(json['value'] as string);
    if (json['to'] === address) balance += value;
    if (json.from !== address) continue;
    isAccount = true;
    balance -= value + BigInt(gasUsed) * gasPrice;
  }
  for (const { atomic } of blocksUpTo(view, at)) balance += sumAtomic(atomic, address, view.chain.chainId);
  return isAccount ? FUNDS + balance : balance;
}

interface ContractCall {
  readonly to?: string;
  readonly data?: string;
  readonly input?: string;
}

/** Every contract is a token with 6 decimals, whose balances are what its logs say; Multicall3 is not there. */
function callContract(view: NodeView, { to = '', data, input }: ContractCall, at: unknown): Hex {
  const text = data ?? input ?? '';
  const logs = transactionsUpTo(view, at)
    .flatMap(({ receipt }) => receipt.logs)
    .filter((log) => log.address === to.toLowerCase() && log.topics.length === 3);
  if (logs.length === 0) return '0x';
  if (text.startsWith(SELECTORS.decimals)) return toWord(6);
  if (text.startsWith(SELECTORS.name) || text.startsWith(SELECTORS.symbol)) return encodeText('TKN');
  if (!text.startsWith(SELECTORS.balanceOf)) return '0x';
  const holder = toWord(`0x${text.slice(-40)}`);
  let balance = 0n;
  for (const { topics, data: amount } of logs) {
    if (topics[2] === holder) balance += BigInt(amount);
    if (topics[1] === holder) balance -= BigInt(amount);
  }
  return toWord(balance < 0n ? 0n : balance);
}

/** ABI encoding of one string of at most 32 bytes. */
function encodeText(text: string): Hex {
  const digits = Buffer.from(text).toString('hex');
  return `0x${toWord(32).slice(2)}${toWord(text.length).slice(2)}${digits.padEnd(64, '0')}`;
}

function transactionsUpTo(view: NodeView, at: unknown): ChainBlock['made'] {
  return blocksUpTo(view, at).flatMap(({ made }) => made);
}

function blocksUpTo(view: NodeView, at: unknown): readonly ChainBlock[] {
  const block = findBlock(view, at);
  if (block === undefined) throw new NodeError(-32_000, 'header not found');
  return servedOf(view).filter(({ number }) => number <= block.number);
}
