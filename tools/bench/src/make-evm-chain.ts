// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { signRecoverable } from 'tiny-secp256k1';
import { privateKeyToAddress } from 'viem/accounts';
import { computeOrderedRoot } from '../../../libs/chain-evm/src/compute-ordered-root.ts';
import { keccak256Hex } from '../../../libs/chain-evm/src/encode-rlp.ts';
import { encodeSigned, encodeTransaction } from '../../../libs/chain-evm/src/encode-transaction.ts';
import { computeLogsBloom } from '../../../libs/chain-evm/src/logs-bloom.ts';
import { encodeHeader } from '../../../libs/chain-evm/src/parse-header.ts';
import { encodeReceipts } from '../../../libs/chain-evm/src/verify-receipts.ts';
import type { RawHeader, RawReceipt, RawTransaction } from '../../../libs/chain-evm/src/raw-block.ts';

const SENDERS = 50;
const TOKEN = '0x5fbdb2315678afecb367f032d93f642f64180aa3';
const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const [NATIVE_GAS, TOKEN_GAS] = [21_000, 51_451];
const GAS_PRICE = '0x77359400';
const NO_LOGS = computeLogsBloom([]);

export interface EvmChainOptions {
  readonly chainId: number;
  /** Of block 0, seconds. */
  readonly startedAt: number;
  readonly blockTimeMs: number;
  readonly hasTraces: boolean;
}

/** A block as a node answers for it. */
export interface MadeBlock {
  readonly number: number;
  readonly hash: string;
  readonly header: object;
  readonly full: object;
  readonly receipts: readonly object[];
  readonly traces: readonly object[];
}

/**
 * Makes blocks of transfers without a node, each signed and proved by its header: a node takes twenty times as long to mine
 * them. State roots are random; no client can check them.
 */
export class EvmChain {
  readonly #options: EvmChainOptions;
  readonly #senders = Array.from({ length: SENDERS }, (_, index) => makeSender(index));
  #number = 0;
  #parentHash = `0x${'0'.repeat(64)}`;
  #turn = 0;

  constructor(options: EvmChainOptions) {
    this.#options = options;
  }

  /** The next block, with a transfer to each of `recipients`. @param isToken by its place; else of the native coin */
  next(recipients: readonly string[], isToken: (index: number) => boolean): MadeBlock {
    const { startedAt, blockTimeMs, hasTraces } = this.#options;
    const number = hex(this.#number);
    const timestamp = hex(startedAt + Math.floor((this.#number * blockTimeMs) / 1_000));
    const signed = recipients.map((to, index) => this.#sign(to, isToken(index)));
    const receipts = signed.map((tx, index) => receiptOf(tx, index, number));
    let gas = 0;
    for (const receipt of receipts) receipt.cumulativeGasUsed = hex((gas += Number(receipt.gasUsed)));
    const unnamed = {
      parentHash: this.#parentHash,
      sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
      miner: `0x${'0'.repeat(40)}`,
      stateRoot: `0x${hashText(`state ${this.#number}`)}`,
      transactionsRoot: computeOrderedRoot(signed.map((tx) => encodeTransaction(tx, 'ethereum')!)),
      receiptsRoot: computeOrderedRoot(
        encodeReceipts(
          { transactions: signed, receipts: receipts as unknown as readonly RawReceipt[] },
          'ethereum',
        ),
      ),
      logsBloom: computeLogsBloom(receipts),
      difficulty: '0x0',
      number,
      gasLimit: '0x3b9aca00',
      gasUsed: hex(gas),
      timestamp,
      extraData: '0x',
      mixHash: `0x${hashText(`mix ${this.#number}`)}`,
      nonce: '0x0000000000000000',
      baseFeePerGas: '0x7',
      withdrawalsRoot: computeOrderedRoot([]),
      blobGasUsed: '0x0',
      excessBlobGas: '0x0',
      parentBeaconBlockRoot: `0x${'0'.repeat(64)}`,
      requestsHash: `0x${createHash('sha256').digest('hex')}`,
    };
    const hash = `0x${keccak256Hex(encodeHeader(unnamed as unknown as RawHeader))}`;
    const header = { hash, ...unnamed, uncles: [], withdrawals: [] };
    const place = { blockHash: hash, blockNumber: number };
    const made: MadeBlock = {
      number: this.#number,
      hash,
      header: { ...header, transactions: signed.map((tx) => tx.hash) },
      full: {
        ...header,
        transactions: signed.map((tx, index) => ({ ...tx, ...place, transactionIndex: hex(index) })),
      },
      receipts: receipts.map((receipt, index) => ({
        ...receipt,
        blockHash: hash,
        logs: receipt.logs.map((log) => ({ ...log, ...place, logIndex: hex(index), removed: false })),
      })),
      traces: hasTraces ? signed.map((tx, index) => traceOf(tx, index, { hash, number: this.#number })) : [],
    };
    this.#number += 1;
    this.#parentHash = hash;
    return made;
  }

  #sign(to: string, isToken: boolean): RawTransaction {
    const sender = this.#senders[this.#turn % SENDERS]!;
    this.#turn += 1;
    const amount = hex(1_000 + this.#turn);
    const word = (text: string): string => text.slice(2).padStart(64, '0');
    const tx = {
      type: '0x0',
      chainId: hex(this.#options.chainId),
      nonce: hex(sender.nonce++),
      gasPrice: GAS_PRICE,
      gas: '0x186a0',
      ...(isToken
        ? { to: TOKEN, value: '0x0', input: `0xa9059cbb${word(to)}${word(amount)}` }
        : { to, value: amount, input: '0x' }),
      from: sender.address,
    } as unknown as RawTransaction;
    const digest = keccak256Hex(
      encodeSigned(tx, { chainId: BigInt(this.#options.chainId), stack: 'ethereum' }),
    );
    const { signature, recoveryId } = signRecoverable(Buffer.from(digest, 'hex'), sender.key);
    const [r, s] = [signature.subarray(0, 32), signature.subarray(32)].map(
      (part) => `0x${BigInt(`0x${Buffer.from(part).toString('hex')}`).toString(16)}`,
    );
    const whole = { ...tx, r: r!, s: s!, v: hex(35 + 2 * this.#options.chainId + recoveryId) };
    return { ...whole, hash: `0x${keccak256Hex(encodeTransaction(whole, 'ethereum')!)}` };
  }
}

function makeSender(index: number): { readonly key: Buffer; readonly address: string; nonce: number } {
  const key = Buffer.from(hashText(`sender ${index}`), 'hex');
  return { key, address: privateKeyToAddress(`0x${key.toString('hex')}`).toLowerCase(), nonce: 0 };
}

/** Without what the receipts before it used. */
function receiptOf({ hash, from, to, input }: RawTransaction, index: number, blockNumber: string) {
  const isToken = input !== '0x';
  const logs = isToken ? [logOf({ from, input })] : [];
  const gasUsed = hex(isToken ? TOKEN_GAS : NATIVE_GAS);
  return {
    type: '0x0',
    status: '0x1',
    cumulativeGasUsed: gasUsed,
    logs,
    logsBloom: isToken ? computeLogsBloom([{ logs }]) : NO_LOGS,
    transactionHash: hash,
    transactionIndex: hex(index),
    blockNumber,
    gasUsed,
    effectiveGasPrice: GAS_PRICE,
    from,
    to,
    contractAddress: null,
  };
}

function logOf({ from, input }: Pick<RawTransaction, 'from' | 'input'>) {
  const topics = [TRANSFER_TOPIC, `0x${from.slice(2).padStart(64, '0')}`, `0x${input.slice(10, 74)}`];
  return { address: TOKEN, topics, data: `0x${input.slice(74)}` };
}

function traceOf(
  { hash, from, to, value, input }: RawTransaction,
  transactionPosition: number,
  block: { readonly hash: string; readonly number: number },
): object {
  return {
    type: 'call',
    action: { from, to, value, input, gas: '0x13498', callType: 'call' },
    result: { gasUsed: '0x0', output: '0x' },
    subtraces: 0,
    traceAddress: [],
    blockHash: block.hash,
    blockNumber: block.number,
    transactionHash: hash,
    transactionPosition,
  };
}

const hex = (value: number): string => `0x${value.toString(16)}`;

function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
