// SPDX-License-Identifier: Apache-2.0
import {
  SettledChain,
  startSettledNode,
  type AtomicPlan,
  type ChainBlock,
  type SettledNode,
  type TransactionPlan,
} from '../../../devnet/evm/settled-chain/index.ts';
import type { TestChain } from '../test-chain.ts';

/** Chain time from a block to its settlement, in blocks of a second. */
const SETTLED_AFTER = 5;

/** A generated chain that settles receipts by later headers, as Avalanche since Helicon, with a node that may lie. */
export class SettledTestChain implements TestChain {
  readonly gid = 'eip155:43113';
  readonly family = 'evm';
  readonly ingestor = 'block-ingestor-evm';
  readonly failure = 'outcome';
  chain!: SettledChain;
  node!: SettledNode;
  /** A second one, which does not lie. */
  honest!: SettledNode;

  get url(): string {
    return this.node.url;
  }

  async start(): Promise<void> {
    // Long enough ago that its blocks count as old, whatever this machine does meanwhile.
    this.chain = await SettledChain.create({ startMs: Date.now() - 3_600_000 });
    for (let count = 0; count < SETTLED_AFTER; count += 1) await this.chain.append();
    [this.node, this.honest] = await Promise.all([
      startSettledNode(this.chain),
      startSettledNode(this.chain),
    ]);
  }

  async stop(): Promise<void> {
    await Promise.all([this.node?.stop(), this.honest?.stop()]);
  }

  readHead(): Promise<{ number: number; hash: string }> {
    const head = this.node.head ?? this.chain.last.number;
    return Promise.resolve({ number: head, hash: this.chain.find(head)!.hash });
  }

  /** A block that settles up to `settles`; default: what is old enough. */
  append(
    transactions: readonly TransactionPlan[] = [],
    settles?: number,
    atomic: readonly AtomicPlan[] = [],
  ): Promise<ChainBlock> {
    const { number, settledHeight } = this.chain.last;
    return this.chain.append({
      transactions,
      atomic,
      settles: settles ?? Math.max(settledHeight, number + 1 - SETTLED_AFTER),
    });
  }

  /** Settles all that is there. */
  async finalize(): Promise<void> {
    const { number } = this.chain.last;
    while (this.chain.last.settledHeight < number) await this.append();
  }

  expectTransactions(): never {
    throw new Error('expected a spec that compares by itself');
  }

  findBalanceFaults(): Promise<string[]> {
    return Promise.resolve([]);
  }
}
