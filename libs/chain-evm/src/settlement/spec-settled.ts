// SPDX-License-Identifier: Apache-2.0
import { SettledChain, startSettledNode } from '@chainwatch/tool-devnet/settled-chain';
import type {
  BlockPlan,
  ChainBlock,
  Hex,
  SettledNode,
  TransactionPlan,
} from '@chainwatch/tool-devnet/settled-chain';
import type { Block, BlockRef, ChainClient, Network } from '@chainwatch/chain-core';
import { evmFamily } from '../evm-family.ts';
import { evmNetworks } from '../networks.ts';

// A generated chain that settles late, and clients of a node that serves it.

export const trueFuji = evmNetworks.find(({ name }) => name === 'avalanche-fuji') as Network;
/** Its node is asked for new headers at every turn, since specs move its head at once. */
export const fuji: Network = { ...trueFuji, blockTimeMs: 0 };
export const TOKEN: Hex = `0x${'7c'.repeat(20)}`;
export const ALICE: Hex = `0x${'a1'.repeat(20)}`;
export const START_MS = 1_700_000_000_000;

/** Numbers that look random and are the same in each run (mulberry32). */
export function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

export function transactionOf(random: (below: number) => number): TransactionPlan {
  const amountRaw = BigInt(1 + random(1_000_000));
  const kind = random(5);
  const who = { from: random(4), isLegacy: random(3) === 0 };
  if (kind === 0) return { ...who, to: ALICE, value: amountRaw };
  if (kind === 1)
    return { ...who, to: TOKEN, token: { contract: TOKEN, to: ALICE, amountRaw }, isFailed: true };
  const logs = kind === 4 ? [{ address: TOKEN, topics: [], data: '0x1234' as Hex }] : [];
  return { ...who, to: TOKEN, token: { contract: TOKEN, to: ALICE, amountRaw }, logs };
}

/**
 * 200 blocks: 40 as before Helicon, then asynchronous ones. Some are empty, some headers settle nothing, others several
 * blocks.
 */
export async function makeLongChain(): Promise<SettledChain> {
  const random = createRandom(11);
  const chain = await SettledChain.create({ firstNumber: 1_000, startMs: START_MS });
  for (let index = 1; index < 200; index++) {
    const transactions = Array.from({ length: random(4) }, () => transactionOf(random));
    await chain.append(
      index < 40 ? { transactions, isSynchronous: true } : { transactions, ...settleSome(chain, random) },
    );
  }
  // What is left is settled at the end, several blocks with each header.
  for (let end = chain.last.number; chain.last.settledHeight < end; )
    await chain.append({ settles: Math.min(end, chain.last.settledHeight + 4) });
  return chain;
}

/** As a rule up to five blocks behind; every third header settles nothing. */
function settleSome(chain: SettledChain, random: (below: number) => number): BlockPlan {
  const { number, settledHeight } = chain.last;
  const goal = Math.max(settledHeight, number - 4 - random(3));
  return { settles: random(3) === 0 ? settledHeight : goal };
}

/** The header that settles a block, in truth. */
export function settlerOf(chain: SettledChain, { number }: ChainBlock): ChainBlock | undefined {
  return chain.blocks.find(
    (block) => block.number > number && !block.isSynchronous && block.settledHeight >= number,
  );
}

export const refOf = ({ number, hash }: ChainBlock): BlockRef => ({ number, hash });

/** A node, and clients of it that end with it. */
export interface Rig {
  readonly node: SettledNode;
  connect(network?: Network): ChainClient;
  /** Reads a block with a client of its own. */
  readFresh(block: ChainBlock, options?: { readonly takeUnknown: boolean }): Promise<Block>;
  /** How often a method was asked. */
  count(method: string): number;
  /** The node tells the truth again, to its head, and was asked nothing. */
  reset(): void;
  stop(): Promise<void>;
}

export async function startRig(chain: SettledChain): Promise<Rig> {
  const node = await startSettledNode(chain);
  const clients: ChainClient[] = [];
  const connect = (network = fuji): ChainClient => {
    const client = evmFamily.createClient({ network, endpointUrl: node.url, timeoutMs: 5_000 });
    clients.push(client);
    return client;
  };
  return {
    node,
    connect,
    async readFresh(block, options) {
      const client = evmFamily.createClient({ network: fuji, endpointUrl: node.url, timeoutMs: 5_000 });
      try {
        return await client.readBlock(refOf(block), undefined, options);
      } finally {
        client.close();
      }
    },
    count: (method) => node.asked.filter((call) => call.method === method).length,
    reset() {
      node.alter = undefined;
      node.head = undefined;
      node.asked.length = 0;
    },
    async stop() {
      for (const client of clients) client.close();
      await node.stop();
    },
  };
}

/** `proved`, or what is said of it and of each of its transactions, which must agree. */
export function standingOf(block: Block): string {
  const ofTransactions = new Set(block.transactions.map(({ verification = 'proved' }) => verification));
  expect(ofTransactions.size).toBeLessThanOrEqual(1);
  const [standing = 'proved'] = ofTransactions;
  expect(block.verification ?? 'proved').toBe(standing);
  expect(block.unknowns).toBeUndefined();
  return standing;
}

/** What a decoded block tells of transfers, for comparing with the chain's own plan. */
export function amountsOf(block: Block): bigint[] {
  return block.transactions.flatMap(({ transfers }) => transfers.map(({ amountRaw }) => amountRaw));
}

export function amountsIn(block: ChainBlock): bigint[] {
  return block.made.flatMap(({ json, receipt }) => [
    ...(receipt.isFailed || json['value'] === '0x0' ? [] : [BigInt(json['value'] as string)]),
    ...receipt.logs.filter(({ topics }) => topics.length === 3).map(({ data }) => BigInt(data)),
  ]);
}
