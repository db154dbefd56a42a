import type { BlockRef } from '@chainwatch/chain-core';
import { computeCreatedContract, encodeTransaction, typeOf } from './encode-transaction.ts';
import { encodeHeader } from './parse-header.ts';
import { encodeReceipt } from './encode-receipt.ts';
import { data, encodeRlp, keccak256Hex, quantity } from './encode-rlp.ts';
import { computeLogsBloom } from './logs-bloom.ts';
import type { RawBlock, RawLog, RawReceipt, RawTransaction, RawWithdrawal } from './raw-block.ts';
import { type Stack, TYPES_OF_STACK } from './types-of-stack.ts';

const STACKS = Object.keys(TYPES_OF_STACK) as Stack[];
import { rootByLibrary } from './spec-root.ts';

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

/** A block as it stands under its own roots, which libraries compute. */
export async function assemble(
  items: readonly Made[],
  number: number,
  withdrawals: readonly RawWithdrawal[] = [],
): Promise<Case> {
  const transactions = items.map(({ tx }, index) => {
    return {
      ...tx,
      hash: hashOf(encode(tx)),
      blockNumber: `0x${number.toString(16)}`,
      transactionIndex: `0x${index.toString(16)}`,
    };
  });
  const receipts = makeReceipts(items, transactions);
  const header = await makeHeader({ number, transactions, receipts, withdrawals });
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
function makeReceipts(items: readonly Made[], transactions: readonly RawTransaction[]) {
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
        tx.to === null ? (computeCreatedContract(tx, extra as unknown as RawReceipt) ?? created) : null,
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

async function makeHeader({ number, transactions, receipts, withdrawals }: Content) {
  return {
    parentHash: `0x${'12'.repeat(32)}`,
    sha3Uncles: `0x${'34'.repeat(32)}`,
    miner: `0x${'56'.repeat(20)}`,
    stateRoot: `0x${'78'.repeat(32)}`,
    transactionsRoot: await rootByLibrary(transactions.map(encode)),
    receiptsRoot: await rootByLibrary(
      receipts.map((receipt, index) =>
        encodeReceipt(receipt as unknown as RawReceipt, typeOf(transactions[index]!)),
      ),
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
  };
}

/** A transaction of any stack. */
export function encode(tx: RawTransaction): Uint8Array {
  const encoding = STACKS.map((stack) => encodeTransaction(tx, stack)).find((found) => found !== undefined);
  if (encoding === undefined) throw new Error('no encoding');
  return encoding;
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
