// SPDX-License-Identifier: Apache-2.0
import {
  BlockNotFoundError,
  ChainClientError,
  createFailoverClient,
  type Block,
  type BlockHeader,
  type BlockRef,
  type ChainClient,
  type CoinReader,
  type FailoverClient,
  type MempoolReader,
  type MempoolSnapshot,
  type Network,
  type ReadBlockOptions,
  type TokenMetadata,
  type Transaction,
} from '@chainwatch/chain-core';
import type { OwnData } from '@chainwatch/events';
import { createFakeClient, hashOf, network, TOKEN } from '@chainwatch/data/testing';

/** Nobody said anything of the address. */
export const SILENT: OwnData = { label: null, groups: [], metadata: {} };

export type BlockContent = Partial<
  Pick<Block, 'transactions' | 'balanceChanges' | 'touchedAssets' | 'mentions'>
>;

/** `tx({ from: 'a', to: 'b', amount: 5n })`: one native transfer, or what is given. */
export function makeTransaction(name: string, content: Partial<Transaction> = {}): Transaction {
  return { hash: hashOf(`tx ${name}`), index: 0, isFailed: false, transfers: [], ...content };
}

/** A mempool with the content that a spec sets. It answers slowly or not at all when told to. */
export class SpecMempool implements MempoolReader {
  readonly transactions = new Map<string, Transaction>();
  head: BlockRef | undefined;
  isDown = false;
  snapshots = 0;
  refusals = 0;
  fetched: string[][] = [];

  set(head: BlockRef, ...transactions: readonly Transaction[]): void {
    this.head = head;
    this.transactions.clear();
    for (const transaction of transactions) this.transactions.set(transaction.hash, transaction);
  }

  async readSnapshot(): Promise<MempoolSnapshot> {
    await Promise.resolve();
    if (this.isDown || this.head === undefined) {
      this.refusals += 1;
      throw new ChainClientError('the mempool does not answer');
    }
    this.snapshots += 1;
    return { head: this.head, hashes: [...this.transactions.keys()] };
  }

  async readTransactions(hashes: readonly string[]): Promise<(Transaction | undefined)[]> {
    await Promise.resolve();
    if (this.isDown) throw new ChainClientError('the mempool does not answer');
    this.fetched.push([...hashes]);
    return hashes.map((hash) => this.transactions.get(hash));
  }
}

/** One of several endpoints: how it returns a block of the chain. */
export interface SpecEndpoint {
  readonly label: string;
  /** @throws what the endpoint's client would */
  tell(block: Block, options?: ReadBlockOptions): Block;
  readonly proveSenders?: ChainClient['proveSenders'];
}

const GENESIS: Block = {
  number: 0,
  hash: hashOf('genesis'),
  parentHash: '',
  timestamp: 1_700_000_000,
  transactions: [],
  balanceChanges: [],
  touchedAssets: [],
};

/** A node with the blocks of all branches, whatever is canonical; the specs write the feed themselves. */
export class SpecChain {
  readonly network: Network;
  readonly blocks = new Map<string, Block>();
  readonly tokens = new Map<string, TokenMetadata | undefined>([
    [TOKEN, { name: 'Token', symbol: 'TKN', decimals: 6 }],
  ]);
  /** Hashes the node does not have (any more). */
  readonly missing = new Set<string>();
  /** As ChainClient has it; undefined: the node cannot name blocks of addresses. */
  findBlocksOf: ChainClient['findBlocksOf'];
  /** The node's mempool, if it has one. */
  mempool: SpecMempool | undefined;
  /** Coins by address, if the node has that index. */
  coins: CoinReader | undefined;
  /** The node's head. Default: the newest block. */
  tip: Block | undefined;
  /** Default: one endpoint that returns blocks as they are. */
  endpoints: readonly SpecEndpoint[] = [{ label: 'spec', tell: (block) => block }];
  reads = 0;
  tokenReads = 0;
  /** What tokens were asked about with. */
  readonly movedAsked = new Map<string, bigint>();
  isDown = false;
  /** The error of every block read. */
  fault: Error | undefined;

  constructor(of: Network = network) {
    this.network = of;
  }

  /** Makes a block; `salt` tells branches apart. */
  make(parent: BlockRef | undefined, content: BlockContent = {}, salt = ''): Block {
    const number = (parent?.number ?? 0) + 1;
    const transactions = (content.transactions ?? []).map((transaction, index) => ({
      ...transaction,
      index,
    }));
    const hash = hashOf(
      `${parent?.hash ?? 'genesis'}|${number}|${salt}|${transactions.map((transaction) => transaction.hash).join()}`,
    );
    const block: Block = {
      number,
      hash,
      parentHash: parent?.hash ?? GENESIS.hash,
      timestamp: 1_700_000_000 + number,
      balanceChanges: [],
      touchedAssets: [],
      ...content,
      transactions,
    };
    this.blocks.set(hash, block);
    return block;
  }

  /** Ascending, from the genesis block on. */
  #listCanonical(): BlockHeader[] {
    const headers: BlockHeader[] = [];
    for (
      let block = this.tip ?? [...this.blocks.values()].at(-1);
      block !== undefined;
      block = this.blocks.get(block.parentHash)
    )
      headers.push(block);
    return [...headers, GENESIS].reverse();
  }

  client(): FailoverClient {
    return createFailoverClient(
      this.endpoints.map((endpoint) => this.#connect(endpoint)),
      { cooldownMs: 0 },
    );
  }

  #connect({ label, tell, proveSenders }: SpecEndpoint): ChainClient {
    const assertUp = (): void => {
      if (this.isDown) throw new ChainClientError('the node is down');
    };
    return createFakeClient({
      network: this.network,
      label,
      readHead: async () => {
        assertUp();
        return this.#listCanonical().at(-1)!;
      },
      readHeaders: async (from, to) =>
        this.#listCanonical().filter(({ number }) => number >= from && number <= to),
      readBlock: async (ref, _signal, options) => {
        this.reads += 1;
        await Promise.resolve();
        assertUp();
        if (this.fault !== undefined) throw this.fault;
        const block = this.missing.has(ref.hash)
          ? undefined
          : ref.hash === GENESIS.hash
            ? GENESIS
            : this.blocks.get(ref.hash);
        if (block === undefined) throw new BlockNotFoundError(`no block ${ref.hash}`);
        return tell(block, options);
      },
      readTokens: async (gids, _signal, moved) => {
        this.tokenReads += 1;
        for (const [gid, amountRaw] of moved ?? []) this.movedAsked.set(gid, amountRaw);
        assertUp();
        return gids.map((gid) => this.tokens.get(gid));
      },
      proveSenders,
      findBlocksOf: this.findBlocksOf,
      mempool: this.mempool,
      coins: this.coins,
    });
  }
}
