import { createHash } from 'node:crypto';
import { BlockNotFoundError, ChainClientError, type BalanceQuery, type BlockRef, type ChainClient, type Network } from '@chainwatch/chain-core';

export const NATIVE = 'eip155:31337/slip44:60';
export const TOKEN = 'eip155:31337/erc20:0x1111111111111111111111111111111111111111';
export const OTHER_TOKEN = 'eip155:31337/erc20:0x2222222222222222222222222222222222222222';

export const network: Network = {
  gid: 'eip155:31337',
  name: 'local',
  shortName: 'local',
  displayName: 'Local',
  imageUrl: 'https://example.com/local.svg',
  family: 'evm',
  isTestnet: true,
  aliases: [],
  native: { gid: NATIVE, symbol: 'ETH', name: 'Ether', decimals: 18 },
  tokenNamespace: 'erc20',
  confirmation: { type: 'depth', depth: 3 },
  blockTimeMs: 1_000,
};

export interface SpecTransaction {
  readonly hash: string;
  readonly assetGid: string;
  readonly from?: string;
  readonly to?: string;
  readonly amount: bigint;
  /** What arrives, where the token takes a part of it. */
  readonly received?: bigint;
  /** Paid by `from` in native coin. */
  readonly fee?: bigint;
}

/** A change that no transfer explains. */
export interface Drift {
  readonly address: string;
  readonly assetGid: string;
  readonly delta: bigint;
}

export interface SpecBlock extends BlockRef {
  readonly parent: SpecBlock | undefined;
  readonly transactions: readonly SpecTransaction[];
  readonly balances: ReadonlyMap<string, bigint>;
}

const keyOf = (address: string, assetGid: string): string => `${address}|${assetGid}`;
const hashOf = (text: string): string => `0x${createHash('sha256').update(text).digest('hex')}`;

/** A node with the state of the blocks of all branches. */
export class SpecChain {
  readonly blocks = new Map<string, SpecBlock>();
  /** Hashes whose state the node does not have (any more). */
  readonly missing = new Set<string>();
  /** Contracts that do not answer. */
  readonly deaf = new Set<string>();
  readonly asked: { readonly at: BlockRef; readonly queries: readonly BalanceQuery[] }[] = [];
  isDown = false;
  /** Runs while the chain is being asked. */
  onRead: (() => Promise<void>) | undefined;
  #salt = 0;

  mine(parent: SpecBlock | undefined, transactions: readonly Omit<SpecTransaction, 'hash'>[] = [], drifts: readonly Drift[] = [], hashes: readonly string[] = []): SpecBlock {
    const number = (parent?.number ?? 99) + 1;
    const balances = new Map(parent?.balances ?? []);
    const add = (address: string | undefined, assetGid: string, delta: bigint): void => {
      if (address !== undefined) balances.set(keyOf(address, assetGid), (balances.get(keyOf(address, assetGid)) ?? 0n) + delta);
    };
    for (const { assetGid, from, to, amount, received, fee } of transactions) {
      add(from, assetGid, -amount);
      add(to, assetGid, received ?? amount);
      add(from, NATIVE, -(fee ?? 0n));
    }
    for (const { address, assetGid, delta } of drifts) add(address, assetGid, delta);
    const hash = hashOf(`${parent?.hash ?? ''}|${number}|${(this.#salt += 1)}`);
    const block = { number, hash, parent, balances, transactions: transactions.map((transaction, index) => ({ ...transaction, hash: hashes[index] ?? hashOf(`tx|${hash}|${index}`) })) };
    this.blocks.set(hash, block);
    return block;
  }

  balanceAt(block: SpecBlock, address: string, assetGid: string): bigint {
    return block.balances.get(keyOf(address, assetGid)) ?? 0n;
  }

  client(): ChainClient {
    const unused = (): never => {
      throw new Error('the balance service does not ask for this');
    };
    return {
      network,
      label: 'spec',
      verifyChain: async () => undefined,
      readHead: unused,
      findFinalized: unused,
      findHeaderByNumber: unused,
      findHeaderByHash: unused,
      readHeaders: unused,
      readBlock: unused,
      readBalances: async (at, queries, signal) => {
        this.asked.push({ at: { number: at.number, hash: at.hash }, queries });
        await this.onRead?.();
        signal?.throwIfAborted();
        if (this.isDown) throw new ChainClientError('the node is down');
        const block = this.missing.has(at.hash) ? undefined : this.blocks.get(at.hash);
        if (block === undefined) throw new BlockNotFoundError(`no state of ${at.hash}`);
        return queries.map(({ address, assetGid }) => (this.deaf.has(assetGid) ? undefined : this.balanceAt(block, address, assetGid)));
      },
      close: () => undefined,
    };
  }
}
