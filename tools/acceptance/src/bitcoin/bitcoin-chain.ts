// SPDX-License-Identifier: Apache-2.0
import { startBcoin, type BcoinHandle, type BcoinOptions } from '@chainwatch/tool-devnet/start-bcoin';
import { findPastFaults, toRaw } from '../compare.ts';
import type { TransactionRecord } from '../transaction-record.ts';
import type { Project } from '../project.ts';
import type { ExpectedTransaction, TestChain, Watched } from '../test-chain.ts';
import { BitcoinActor } from './bitcoin-actor.ts';
import { BitcoinMiner } from './bitcoin-miner.ts';
import { ChainView } from './chain-view.ts';
import { expectTransactions } from './expect-transactions.ts';
import { findRecordFaults } from './find-record-faults.ts';

const CONFIRMATIONS = 6;
const DECIMALS = 8;

/** A Bitcoin regtest node, which mines on command. */
export class BitcoinChain implements TestChain {
  readonly gid = 'bip122:0f9188f13cb7b2c71f2a335e3a4fc328';
  readonly family = 'bitcoin';
  readonly ingestor = 'block-ingestor-bitcoin';
  readonly failure = 'end';
  readonly env = { MEMPOOL_POLL: '200ms', MEMPOOL_GRACE: '5s' };
  readonly #options: BcoinOptions;
  node!: BcoinHandle;
  actor!: BitcoinActor;
  miner!: BitcoinMiner;
  #view!: ChainView;

  constructor(options: BcoinOptions = {}) {
    this.#options = options;
  }

  get url(): string {
    return this.node.url;
  }

  async start(): Promise<void> {
    this.node = await startBcoin(this.#options);
    this.#view = new ChainView(this.node);
    this.actor = new BitcoinActor(this.node, this.#view);
    this.miner = new BitcoinMiner(this.node, this.#view, this.actor);
    await this.actor.start();
  }

  async stop(): Promise<void> {
    await this.node?.stop();
  }

  async readHead(): Promise<{ number: number; hash: string }> {
    const hash = await this.node.call<string>('getbestblockhash');
    return { hash, number: (await this.node.call<{ height: number }>('getblockheader', [hash])).height };
  }

  /** The mempool first. */
  async finalize(): Promise<void> {
    await this.node.mine(CONFIRMATIONS + 2);
  }

  async expectTransactions(
    watched: ReadonlyMap<string, number>,
    from: number,
  ): Promise<Map<string, ExpectedTransaction>> {
    await this.#view.sync();
    return expectTransactions({
      blocks: this.#view.blocks,
      addressOf: (script) => this.actor.book.addressOf(script),
      assetGid: `${this.gid}/slip44:1`,
      watched,
      from,
    });
  }

  findRecordFaults(actual: ReadonlyMap<string, TransactionRecord>): string[] {
    return findRecordFaults(this.actor.created, actual);
  }

  /** What is unspent the node says itself, coin by coin. */
  async findBalanceFaults(project: Project, watched: readonly Watched[]): Promise<string[]> {
    await this.#view.sync();
    const sums = new Map(watched.map(({ address }) => [address, 0n]));
    const candidates = this.#view.blocks.flatMap(({ transactions }) =>
      transactions.flatMap((transaction) =>
        transaction.outs.flatMap(({ script, value }, vout) => {
          const address = this.actor.book.addressOf(Buffer.from(script).toString('hex'));
          return address !== undefined && sums.has(address)
            ? [{ address, txid: transaction.getId(), vout, value }]
            : [];
        }),
      ),
    );
    const answers = await this.node.batch<object | null>(
      'gettxout',
      candidates.map(({ txid, vout }) => [txid, vout, false]),
    );
    candidates.forEach(
      ({ address, value }, index) => answers[index] !== null && sums.set(address, sums.get(address)! + value),
    );
    const faults: string[] = [];
    for (const [address, sum] of sums) {
      const balances = await project.get<Record<string, string>>(`/addresses/${address}/balances`);
      const got = balances[`${this.gid}/slip44:1`];
      if ((toRaw(got, DECIMALS) ?? 0n) !== sum)
        faults.push(`${address}: expected ${sum} satoshi, got ${got}`);
    }
    return [...faults, ...(await this.#findPastFaults(project, watched))];
  }

  #findPastFaults(project: Project, watched: readonly Watched[]): Promise<string[]> {
    return findPastFaults({
      ...{ project, gid: this.gid, watched, head: this.#view.height },
      compare: async (address, block, balances) => {
        const coins = [...this.#view.coinsAt(block).values()].filter(
          ({ script }) => this.actor.book.addressOf(script) === address,
        );
        const held = coins.reduce((sum, { value }) => sum + value, 0n);
        const got = balances[`${this.gid}/slip44:1`];
        if ((toRaw(got, DECIMALS) ?? 0n) === held) return [];
        return [`${address} at ${block}: expected ${held} satoshi, got ${got}`];
      },
    });
  }
}
