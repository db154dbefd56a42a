// SPDX-License-Identifier: Apache-2.0
import type { Transaction } from 'bitcoinjs-lib';
import type { ExpectedTransaction } from '../test-chain.ts';
import { outpointOf, type ViewBlock } from './chain-view.ts';

export interface Question {
  /** The canonical chain from block 1 on. */
  readonly blocks: readonly ViewBlock[];
  /** By the script's hex; undefined for scripts without an address. */
  readonly addressOf: (script: string) => string | undefined;
  readonly assetGid: string;
  /** Address → first block that counts. */
  readonly watched: ReadonlyMap<string, number>;
  /** Blocks below are nobody's business. */
  readonly from: number;
}

interface Leg {
  readonly address: string | undefined;
  readonly value: bigint;
}

/** What a project that watches these addresses must have: a leg for each of its inputs and outputs, and where its money went. */
export function expectTransactions(question: Question): Map<string, ExpectedTransaction> {
  const { blocks, addressOf, from } = question;
  const outputs = new Map<string, Leg>();
  const expected = new Map<string, ExpectedTransaction>();
  for (const { hash, height, transactions } of blocks) {
    for (const transaction of transactions) {
      const inputs = transaction.isCoinbase()
        ? []
        : transaction.ins.map((input) => outputs.get(outpointOf(input))!);
      const made = transaction.outs.map(
        ({ script, value }): Leg => ({ address: addressOf(Buffer.from(script).toString('hex')), value }),
      );
      made.forEach((leg, vout) => outputs.set(`${transaction.getId()}:${vout}`, leg));
      const facts = height >= from ? describe(question, { height, inputs, outputs: made }) : undefined;
      if (facts)
        expected.set(transaction.getId(), {
          hash: transaction.getId(),
          blockNumber: height,
          blockHash: hash,
          isFailed: false,
          ...facts,
          ...describeFee(question, { transaction, height, inputs, outputs: made }),
        });
    }
  }
  return expected;
}

function describe(
  { watched, assetGid }: Question,
  {
    height,
    inputs,
    outputs,
  }: { readonly height: number; readonly inputs: readonly Leg[]; readonly outputs: readonly Leg[] },
): Pick<ExpectedTransaction, 'transfers' | 'direction'> | undefined {
  const isOwn = ({ address }: Leg): boolean =>
    address !== undefined && height >= (watched.get(address) ?? Infinity);
  const [spent, received] = [inputs.filter(isOwn), outputs.filter(isOwn)];
  if (spent.length === 0 && received.length === 0) return undefined;
  const shown = spent.length === 0 ? received : outputs.filter(({ address }) => address !== undefined);
  const transfers = [
    ...spent.map(({ address, value }) => `native ${assetGid} ${address} null ${value}`),
    ...shown.map(({ address, value }) => `native ${assetGid} null ${address} ${value}`),
  ];
  const isSelf = spent.length === inputs.length && shown.every(isOwn);
  return {
    transfers: transfers.map((text) => text.toLowerCase()).sort(),
    direction: spent.length === 0 ? 'in' : isSelf ? 'self' : 'out',
  };
}

/** The fee is known where every input is; other projects may know an input that this one does not. */
function describeFee(
  { watched }: Question,
  {
    transaction,
    height,
    inputs,
    outputs,
  }: {
    readonly transaction: Transaction;
    readonly height: number;
    readonly inputs: readonly Leg[];
    readonly outputs: readonly Leg[];
  },
): Pick<ExpectedTransaction, 'feesRaw'> {
  if (transaction.isCoinbase()) return { feesRaw: [null] };
  const sum = (legs: readonly Leg[]): bigint => legs.reduce((total, { value }) => total + value, 0n);
  const fee = String(sum(inputs) - sum(outputs));
  const isKnown = inputs.every(
    ({ address }) => address !== undefined && height >= (watched.get(address) ?? Infinity),
  );
  return { feesRaw: isKnown ? [fee] : [fee, null] };
}
