// SPDX-License-Identifier: Apache-2.0
import type { BlockRef } from '@chainwatch/chain-core';
import { computeCreatedContract, encodeTransaction, isEncoded, typeOf } from './encode-transaction.ts';
import { encodeHeader } from './parse-header.ts';
import { encodeReceipt } from './verify-receipts.ts';
import { data, encodeRlp, keccak256Hex, quantity } from './encode-rlp.ts';
import { computeLogsBloom } from './logs-bloom.ts';
import type { RawBlock, RawLog, RawReceipt, RawTransaction, RawWithdrawal } from './raw-block.ts';
import { rootByLibrary } from './spec-root.ts';
import { type Stack, STACKS } from './types-of-stack.ts';

const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** A transaction and what came of it. */
export interface Made {
  readonly tx: RawTransaction;
  readonly logs: readonly RawLog[];
  readonly gas: number;
  readonly isFailed: boolean;
  /** What its receipt tells where it creates a contract whose address cannot be computed. */
  readonly created: string;
  /** More members of the receipt. */
  readonly extra: Record<string, unknown>;
}

/** A block as a node answers for it, in two JSON-RPC answers. */
export interface Case {
  readonly ref: BlockRef;
  readonly body: string;
  readonly receipts: string;
}

export const answerOf = (result: unknown): string => JSON.stringify({ jsonrpc: '2.0', id: 1, result });

/** What is not the same for all. */
export interface Shape {
  /** Of its transactions' types; default: the first that knows each. */
  readonly stack?: Stack;
  /** More members of the header, or others. */
  readonly header?: Record<string, string>;
  readonly withdrawals?: readonly RawWithdrawal[];
}

/** A block as it stands under its own roots, which libraries compute. */
export async function assemble(items: readonly Made[], number: number, of: Shape = {}): Promise<Case> {
  const { withdrawals = [] } = of;
  const transactions = items.map(({ tx }, index) => {
    return {
      ...tx,
      hash: hashOf(encode(tx, of.stack)),
      blockNumber: `0x${number.toString(16)}`,
      transactionIndex: `0x${index.toString(16)}`,
    };
  });
  const receipts = makeReceipts(items, transactions, of.stack);
  const header = await makeHeader({ number, transactions, receipts, withdrawals }, of);
  const hash = hashOf(encodeHeader(header as unknown as RawBlock));
  return {
    ref: { number, hash },
    body: answerOf({
      hash,
      ...header,
      transactions: transactions.map((tx) => ({ ...tx, blockHash: hash })),
      withdrawals,
      uncles: [],
    }),
    receipts: answerOf(receipts.map((receipt) => ({ ...receipt, blockHash: hash }))),
  };
}

/** Each with the gas of those before it. */
function makeReceipts(
  items: readonly Made[],
  transactions: readonly RawTransaction[],
  stack: Stack | undefined,
) {
  let gas = 0;
  return items.map(({ logs, gas: gasUsed, isFailed, created, extra }, index) => {
    gas += gasUsed;
    const tx = transactions[index]!;
    return {
      ...extra,
      transactionHash: tx.hash,
      transactionIndex: tx.transactionIndex,
      from: tx.from,
      to: tx.to,
      type: tx.type,
      logs,
      status: isFailed ? '0x0' : '0x1',
      cumulativeGasUsed: `0x${gas.toString(16)}`,
      gasUsed: `0x${gasUsed.toString(16)}`,
      contractAddress:
        tx.to === null
          ? (computeCreatedContract(tx, extra as unknown as RawReceipt, stack ?? stackOf(tx)) ?? created)
          : null,
      logsBloom: computeLogsBloom([{ logs }]),
    };
  });
}

interface Content {
  readonly number: number;
  readonly transactions: readonly RawTransaction[];
  readonly receipts: ReturnType<typeof makeReceipts>;
  readonly withdrawals: readonly RawWithdrawal[];
}

async function makeHeader(
  { number, transactions, receipts, withdrawals }: Content,
  { stack, header = {} }: Shape,
) {
  return {
    parentHash: `0x${'12'.repeat(32)}`,
    sha3Uncles: `0x${'34'.repeat(32)}`,
    miner: `0x${'56'.repeat(20)}`,
    stateRoot: `0x${'78'.repeat(32)}`,
    transactionsRoot: await rootByLibrary(transactions.map((tx) => encode(tx, stack))),
    receiptsRoot: await rootByLibrary(
      receipts.map((receipt, index) => {
        const tx = transactions[index]!;
        return encodeReceipt(receipt as unknown as RawReceipt, tx, stack ?? stackOf(tx));
      }),
    ),
    logsBloom: computeLogsBloom(receipts),
    difficulty: '0x0',
    number: `0x${number.toString(16)}`,
    gasLimit: '0x1c9c380',
    gasUsed: receipts.at(-1)?.cumulativeGasUsed ?? '0x0',
    timestamp: '0x6b02e951',
    extraData: '0x',
    mixHash: `0x${'9a'.repeat(32)}`,
    nonce: '0x0000000000000000',
    baseFeePerGas: '0x7',
    withdrawalsRoot: await rootByLibrary(
      withdrawals.map(({ index, validatorIndex, address, amount }) =>
        encodeRlp([quantity(index), quantity(validatorIndex), data(address), quantity(amount)]),
      ),
    ),
    ...header,
  };
}

/** A transaction of any stack; of the first that knows its type, unless it is given. */
export function encode(tx: RawTransaction, stack: Stack = stackOf(tx)): Uint8Array {
  const encoding = encodeTransaction(tx, stack);
  if (encoding === undefined) throw new Error('no encoding');
  return encoding;
}

/** The first stack that knows a transaction's type. */
export function stackOf(tx: RawTransaction): Stack {
  return STACKS.find((stack) => isEncoded(typeOf(tx), stack)) ?? 'ethereum';
}

function hashOf(encoding: Uint8Array): string {
  return `0x${keccak256Hex(encoding)}`;
}

/** A payment with a token transfer in each of three common types, and a creation. */
export function fixedItems(): readonly Made[] {
  const signed = { r: `0x${'11'.repeat(32)}`, s: `0x${'22'.repeat(32)}`, v: '0x1b', yParity: '0x1' };
  const common = {
    hash: '0x',
    from: `0x${'a1'.repeat(20)}`,
    to: `0x${'b2'.repeat(20)}`,
    gas: '0xea60',
    value: '0x5',
    input: `0x${'ab'.repeat(68)}`,
    gasPrice: '0x3b9aca00',
    chainId: '0x7a69',
    ...signed,
  };
  const logs = [
    {
      address: `0x${'c3'.repeat(20)}`,
      topics: [
        transferTopic,
        `0x${'0'.repeat(24)}${'a1'.repeat(20)}`,
        `0x${'0'.repeat(24)}${'d4'.repeat(20)}`,
      ],
      data: `0x${'0'.repeat(62)}ff`,
    },
  ];
  const item = {
    logs,
    gas: 50_000,
    isFailed: false,
    created: `0x${'e5'.repeat(20)}`,
    extra: { effectiveGasPrice: '0x3b9aca00' },
  };
  return [
    { ...item, tx: { ...common, nonce: '0x1' } },
    { ...item, tx: { ...common, nonce: '0x2', type: '0x1', accessList: [] } },
    {
      ...item,
      tx: {
        ...common,
        nonce: '0x3',
        type: '0x2',
        maxFeePerGas: '0x77359400',
        maxPriorityFeePerGas: '0x1',
        accessList: [],
      },
    },
    { ...item, tx: { ...common, nonce: '0x4', to: null, value: '0x0' } },
  ];
}
