// SPDX-License-Identifier: Apache-2.0
import {
  BlockNotFoundError,
  ChainClientError,
  type BalanceChangeReason,
  type BalanceQuery,
  type BlockRef,
  type ChainClient,
} from '@chainwatch/chain-core';
import { createFakeClient, hashOf, NATIVE } from '@chainwatch/data/testing';

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
  /** The block tells it; absent: only the balance shows it. */
  readonly reason?: Exclude<BalanceChangeReason, 'other'> | undefined;
}

export interface SpecBlock extends BlockRef {
  readonly parent: SpecBlock | undefined;
  readonly transactions: readonly SpecTransaction[];
  readonly drifts: readonly Drift[];
  readonly balances: ReadonlyMap<string, bigint>;
}

const keyOf = (address: string, assetGid: string): string => `${address}|${assetGid}`;

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
  onRead: ((signal: AbortSignal | undefined) => Promise<void>) | undefined;
  #salt = 0;

  mine(
    parent: SpecBlock | undefined,
    {
      transactions = [],
      drifts = [],
      hashes = [],
    }: {
      readonly transactions?: readonly Omit<SpecTransaction, 'hash'>[];
      readonly drifts?: readonly Drift[];
      readonly hashes?: readonly string[];
    } = {},
  ): SpecBlock {
    const number = (parent?.number ?? 99) + 1;
    const balances = new Map(parent?.balances ?? []);
    const add = (address: string | undefined, assetGid: string, delta: bigint): void => {
      if (address !== undefined)
        balances.set(keyOf(address, assetGid), (balances.get(keyOf(address, assetGid)) ?? 0n) + delta);
    };
    for (const { assetGid, from, to, amount, received, fee } of transactions) {
      add(from, assetGid, -amount);
      add(to, assetGid, received ?? amount);
      add(from, NATIVE, -(fee ?? 0n));
    }
    for (const { address, assetGid, delta } of drifts) add(address, assetGid, delta);
    const hash = hashOf(`${parent?.hash ?? ''}|${number}|${(this.#salt += 1)}`);
    const block = {
      number,
      hash,
      parent,
      balances,
      drifts,
      transactions: transactions.map((transaction, index) => ({
        ...transaction,
        hash: hashes[index] ?? hashOf(`tx|${hash}|${index}`),
      })),
    };
    this.blocks.set(hash, block);
    return block;
  }

  balanceAt(block: SpecBlock, address: string, assetGid: string): bigint {
    return block.balances.get(keyOf(address, assetGid)) ?? 0n;
  }

  client(): ChainClient {
    return createFakeClient({
      readBalances: async (at, queries, signal) => {
        this.asked.push({ at: { number: at.number, hash: at.hash }, queries });
        await this.onRead?.(signal);
        signal?.throwIfAborted();
        if (this.isDown) throw new ChainClientError('the node is down');
        const block = this.missing.has(at.hash) ? undefined : this.blocks.get(at.hash);
        if (block === undefined) throw new BlockNotFoundError(`no state of ${at.hash}`);
        return queries.map(({ address, assetGid }) =>
          this.deaf.has(assetGid) ? undefined : this.balanceAt(block, address, assetGid),
        );
      },
    });
  }
}
