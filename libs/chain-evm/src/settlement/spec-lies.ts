// SPDX-License-Identifier: Apache-2.0
import { hashHeader, SettledChain } from '@chainwatch/tool-devnet/settled-chain';
import type { Alter, HeaderFields, Hex } from '@chainwatch/tool-devnet/settled-chain';
import type { Block } from '@chainwatch/chain-core';
import { ALICE, START_MS, TOKEN } from './spec-settled.ts';

// A short chain, and what a lying node may say of it.

/** The block that is read. */
export const SUBJECT = 4;
/** The block whose header settles it. */
export const SETTLER = 8;

/** Blocks 1 and 2 are synchronous; 3 to 6 are settled with 8. */
export async function makeShortChain(): Promise<SettledChain> {
  const chain = await SettledChain.create({ startMs: START_MS });
  const token = { contract: TOKEN, to: ALICE, amountRaw: 1_000n };
  const transactions = [{ token }, { token, from: 1 }, { value: 5n, to: ALICE, isLegacy: true }];
  for (let number = 1; number <= 2; number++) await chain.append({ transactions, isSynchronous: true });
  for (let number = 3; number <= 7; number++) await chain.append({ transactions });
  await chain.append({ settles: 6 });
  await chain.append();
  await chain.append({ settles: 7 });
  return chain;
}

export type Receipts = {
  status: Hex;
  cumulativeGasUsed: Hex;
  gasUsed: Hex;
  logsBloom: Hex;
  effectiveGasPrice: Hex;
  logs: { data: Hex; topics: Hex[] }[];
}[];
export type Lie = (receipts: Receipts) => unknown;

/** What a node may say of receipts. Each leaves the links of the receipts as they should be. */
export const lies: Readonly<Record<string, Lie>> = {
  'the amount of a transfer': (receipts) => (receipts[0]!.logs[0]!.data = `0x${'f'.padStart(64, '0')}`),
  // Nodes may leave the bloom out.
  'the receiver of a transfer': (receipts) => {
    receipts[0]!.logs[0]!.topics[2] = `0x${'b2'.repeat(20).padStart(64, '0')}`;
    Object.assign(receipts[0]!, { logsBloom: null });
  },
  'a status': (receipts) => (receipts[2]!.status = '0x0'),
  'the gas': (receipts) => {
    receipts[2]!.gasUsed = '0x5209';
    receipts[2]!.cumulativeGasUsed = `0x${(Number(receipts[2]!.cumulativeGasUsed) + 1).toString(16)}`;
  },
  'a log left out': (receipts) =>
    Object.assign(receipts[1]!, { logs: [], logsBloom: `0x${'00'.repeat(256)}` }),
  'a log told twice': (receipts) => receipts[1]!.logs.push(receipts[1]!.logs[0]!),
  'a log that is not there': (receipts) => {
    receipts[2]!.logs.push(receipts[1]!.logs[0]!);
    receipts[2]!.logsBloom = receipts[1]!.logsBloom;
  },
};

/** Lies in the receipts of one block, every time. */
export function tellReceipts({ hash }: { readonly hash: Hex }, lie: Lie): Alter {
  return ({ method, params }, result) => {
    if (method === 'eth_getBlockReceipts' && params[0] === hash) lie(result as Receipts);
    return result;
  };
}

/** What is said of a block that is read, or why it is not. */
export const refusalOf = (reading: Promise<unknown>): Promise<unknown> =>
  reading.then(
    (block) => (block as Block).verification ?? 'proved',
    (error: unknown) => error,
  );
/** Serves other headers at some heights, each with the hash of its fields. */
export function tellHeaders(
  chain: SettledChain,
  changes: Readonly<Record<number, (header: HeaderFields) => Partial<HeaderFields>>>,
): Alter {
  const forged = new Map<string, object>();
  for (const [number, change] of Object.entries(changes)) {
    const { header } = chain.find(Number(number))!;
    const fields = { ...header, ...change(header) };
    forged.set(header.number, { ...fields, hash: hashHeader(fields), transactions: [], uncles: [] });
  }
  return ({ method, params }, result) =>
    method === 'eth_getBlockByNumber' ? (forged.get(params[0] as string) ?? result) : result;
}
