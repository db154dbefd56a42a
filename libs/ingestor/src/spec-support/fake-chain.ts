// SPDX-License-Identifier: Apache-2.0
import { ChainClientError, WrongChainError, type BlockHeader, type BlockRef } from '@chainwatch/chain-core';
import type { FollowClient } from '../chain-follower.ts';

/** A tree of blocks; the chain's canonical branch is the one that ends in `tip`. */
export class FakeChain {
  readonly blocks = new Map<string, BlockHeader>();
  tip: BlockHeader;
  readonly #hasGaps: boolean;
  readonly #blocksPerSecond: number;
  #count = 0;

  /** `hasGaps`: every third block or so follows numbers without a block. Headers tell seconds, which several blocks may share. */
  constructor({ hasGaps = false, blocksPerSecond = 1 } = {}) {
    this.#hasGaps = hasGaps;
    this.#blocksPerSecond = blocksPerSecond;
    this.tip = this.#add('0xgenesis', 0);
  }

  /** Mines on the tip. */
  extend(count: number): void {
    for (let mined = 0; mined < count; mined += 1)
      this.tip = this.#add(this.tip.hash, this.tip.number + 1 + this.#gap(), this.tip.number);
  }

  /** Replaces the last `depth` blocks with `length` others. */
  fork(depth: number, length: number): void {
    this.tip = this.ancestor(this.tip, Math.min(depth, this.tip.number));
    this.extend(length);
  }

  /** Replaces the chain with one of another genesis and this many blocks on it. */
  beginAnew(height: number): void {
    this.tip = this.#add('0xgenesis', 0);
    this.extend(height);
  }

  ancestor(from: BlockHeader, depth: number): BlockHeader {
    let block = from;
    for (let step = 0; step < depth; step += 1) block = this.blocks.get(block.parentHash) ?? block;
    return block;
  }

  at(tip: BlockHeader, number: number): BlockHeader | undefined {
    const below = this.#atOrBelow(tip, number);
    return below?.number === number ? below : undefined;
  }

  /** Canonical blocks of [from, tip], ascending. */
  branch(from: number): BlockHeader[] {
    return this.range(this.tip, from, this.tip.number);
  }

  range(tip: BlockHeader, from: number, to: number): BlockHeader[] {
    const headers: BlockHeader[] = [];
    let block = this.#atOrBelow(tip, to);
    for (; block !== undefined && block.number >= from; block = this.blocks.get(block.parentHash))
      headers.unshift(block);
    return headers;
  }

  #atOrBelow(tip: BlockHeader, number: number): BlockHeader | undefined {
    let block: BlockHeader | undefined = tip;
    while (block !== undefined && block.number > number) block = this.blocks.get(block.parentHash);
    return block;
  }

  #gap(): number {
    return this.#hasGaps && this.#count % 3 === 0 ? 1 + (this.#count % 5) : 0;
  }

  #add(parentHash: string, number: number, parentNumber?: number): BlockHeader {
    this.#count += 1;
    const block = {
      number,
      hash: `0x${this.#count.toString(16).padStart(64, '0')}`,
      parentHash,
      ...(this.#hasGaps && parentNumber !== undefined && { parentNumber }),
      timestamp: 1_700_000_000 + Math.floor(number / this.#blocksPerSecond),
    };
    this.blocks.set(block.hash, block);
    return block;
  }
}

/** A node of a fake chain that lags, fails and changes its mind between calls. */
export class FakeNode implements FollowClient {
  readonly chain: FakeChain;
  /** Its head is that many blocks behind. */
  lag = 0;
  /** So many of the next calls fail. */
  failures = 0;
  isWrongChain = false;
  /** Runs before each call: the chain moves while it is read. */
  beforeCall: () => void = () => undefined;
  agreeing = 1;
  calls = 0;

  constructor(chain: FakeChain) {
    this.chain = chain;
  }

  get head(): BlockHeader {
    return this.chain.ancestor(this.chain.tip, Math.min(this.lag, this.chain.tip.number));
  }

  async verifyChain(): Promise<void> {
    await this.#call();
    if (this.isWrongChain) throw new WrongChainError('expected chain 1, got 2');
  }

  async readHead(): Promise<BlockHeader> {
    await this.#call();
    return this.head;
  }

  async findHeaderByNumber(number: number): Promise<BlockHeader | undefined> {
    await this.#call();
    return this.chain.at(this.head, number);
  }

  async findHeaderByHash(hash: string): Promise<BlockHeader | undefined> {
    await this.#call();
    return this.chain.blocks.get(hash);
  }

  async readHeaders(from: number, to: number): Promise<BlockHeader[]> {
    await this.#call();
    return this.chain.range(this.head, from, to);
  }

  async countAgreeing(_ref: BlockRef): Promise<number> {
    await this.#call();
    return this.agreeing;
  }

  async #call(): Promise<void> {
    this.calls += 1;
    this.beforeCall();
    if (this.failures > 0) {
      this.failures -= 1;
      throw new ChainClientError('the node did not answer');
    }
  }
}
