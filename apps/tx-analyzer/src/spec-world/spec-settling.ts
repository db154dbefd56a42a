// SPDX-License-Identifier: Apache-2.0
import type { Block, BlockRef, Transaction } from '@chainwatch/chain-core';
import { waitFor } from '@chainwatch/testing';
import { NATIVE } from '@chainwatch/data/testing';
import { makeTransaction, type SpecEndpoint } from './spec-chain.ts';
import type { SpecWorld } from './spec-world.ts';

export const ALICE = '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
const BOB = '0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb';

/** A payment of Bob's. */
export const pay = (name: string, amountRaw = 5n, to = ALICE): Transaction =>
  makeTransaction(name, {
    from: BOB,
    to,
    fee: { assetGid: NATIVE, amountRaw: 1n, payer: BOB },
    transfers: [{ index: 0, type: 'native', assetGid: NATIVE, from: BOB, to, amountRaw }],
  });

/** A chain whose blocks are proved by later headers, as the endpoint `one` tells it. */
export class SettlingChain {
  /** The header that proves a block, by the block's hash. */
  readonly evidence = new Map<string, BlockRef>();
  /** What the node tells of a block before its evidence is there, where that is not the truth. */
  readonly lies = new Map<string, Block>();
  readonly #world: SpecWorld;

  constructor(world: SpecWorld) {
    this.#world = world;
    world.chain.endpoints = [this.settler('one')];
  }

  /** An endpoint whose blocks are settling until their evidence is there. */
  settler(label: string): SpecEndpoint {
    return {
      label,
      tell: (block) => {
        const provedBy = this.evidence.get(block.hash);
        if (provedBy !== undefined) return { ...block, provedBy };
        const told = this.lies.get(block.hash) ?? block;
        return {
          ...told,
          verification: 'settling',
          transactions: told.transactions.map((one) => ({ ...one, verification: 'settling' })),
        };
      },
    };
  }

  /** Blocks from 1 on, with the payments `at` their numbers. Chain time goes on by a second a block. */
  make(count: number, at: Readonly<Record<number, Transaction>> = {}): Block[] {
    const blocks: Block[] = [];
    for (let number = 1; number <= count; number += 1) {
      const payment = at[number];
      const transactions = payment === undefined ? [] : [payment];
      blocks.push(this.#world.chain.make(blocks.at(-1), { transactions }));
    }
    return blocks;
  }

  prove(blocks: readonly Block[], by: Block): void {
    for (const { hash } of blocks) this.evidence.set(hash, { number: by.number, hash: by.hash });
  }

  records() {
    return this.#world.rows<{ status: string; verification: string; is_withheld: boolean }>(
      'SELECT status, verification, is_withheld FROM transactions ORDER BY block_number',
    );
  }

  /** Of the blocks, in order. */
  async verifications(): Promise<(string | null)[]> {
    const rows = await this.#world.rows<{ verification: string | null }>(
      'SELECT verification FROM blocks ORDER BY number',
    );
    return rows.map(({ verification }) => verification);
  }

  /** Until the evidence of blocks up to `settled` is looked at, and the feed is done. */
  async reach(settled: number): Promise<void> {
    await waitFor(
      async () =>
        (await this.#world.rows(`SELECT FROM analyzer_states WHERE settled_number >= ${settled}`)).length > 0,
      { intervalMs: 5, message: `block ${settled} to be settled` },
    );
    await this.#world.settle();
  }
}
