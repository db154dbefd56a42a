// SPDX-License-Identifier: Apache-2.0
import type { Block, Network } from '@chainwatch/chain-core';
import { decodeTraced } from './read-verified.ts';
import { evmNetworks, readTraits } from './networks.ts';
import { parseRawBlock, parseRawReceipts } from './parse-raw-block.ts';
import type { RawLog, RawTransaction } from './raw-block.ts';
import type { BlockTraces } from './read-traces.ts';
import { assemble, fixedItems, type Case, type Made, type Shape } from './spec-block.ts';
import { verifyBlock } from './verify-block.ts';

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** One of this build by its name, or another as it is. */
export const networkNamed = (of: string | Network): Network =>
  typeof of === 'string' ? evmNetworks.find(({ name }) => name === of)! : of;

/** `0xabab…`, of 20 bytes. */
export const account = (byte: string): string => `0x${byte.repeat(20)}`;

/** A log of an ERC-20 transfer. */
export const transferLog = (
  contract: string,
  [from, to]: readonly [string, string],
  amount: bigint,
): RawLog => ({
  address: contract,
  topics: [TRANSFER, ...[from, to].map((of) => `0x${of.slice(2).padStart(64, '0')}`)],
  data: `0x${amount.toString(16).padStart(64, '0')}`,
});

/** A payment of 5 wei from a1… to b2…, with these logs. */
export const makeItem = (
  tx: Partial<RawTransaction> = {},
  { logs = [], ...over }: Partial<Made> = {},
): Made => {
  const item = fixedItems()[0]!;
  return { ...item, logs, ...over, tx: { ...item.tx, ...tx } };
};

/** What a test changes in a node's answers before they are read. */
export interface Changes extends Shape {
  readonly number?: number;
  readonly block?: (block: Record<string, unknown>) => object;
  readonly receipt?: (receipt: Record<string, unknown>, index: number) => object;
  readonly traces?: BlockTraces['transactions'];
}

/** A generated block as a client of the network reads it. @throws IncompleteBlockError */
export async function readMade(
  name: string | Network,
  items: readonly Made[],
  { number = 40_000_000, block = (it) => it, receipt = (it) => it, traces, ...shape }: Changes = {},
): Promise<Block> {
  const { stack } = readTraits(networkNamed(name));
  return readCase(name, await assemble(items, number, { stack, ...shape }), { block, receipt, traces });
}

/** The same of answers that are there already. */
export async function readCase(
  name: string | Network,
  made: Case,
  { block = (it) => it, receipt = (it) => it, traces }: Changes = {},
): Promise<Block> {
  const network = networkNamed(name);
  const traits = readTraits(network);
  const json = <T>(text: string): T => (JSON.parse(text) as { result: T }).result;
  const verified = await verifyBlock(
    made.ref,
    {
      block: parseRawBlock(block(json(made.body)), traits.stack),
      receipts: parseRawReceipts(json<Record<string, unknown>[]>(made.receipts).map(receipt)),
    },
    traits,
  );
  return decodeTraced(network, verified, traces && { transactions: traces });
}
