import type { Block } from '@chainwatch/chain-core';

const BLOCKS_MAX = 256;
const TRANSACTIONS_MAX = 30_000;

/** The last decoded blocks of the chain up to the cursor, for addresses that were registered while they passed. */
export class BlockRing {
  #blocks: Block[] = [];
  #transactionCount = 0;

  get tip(): Block | undefined {
    return this.#blocks.at(-1);
  }

  /** Height of the oldest block that is here. */
  get firstNumber(): number | undefined {
    return this.#blocks[0]?.number;
  }

  push(block: Block): void {
    this.#blocks.push(block);
    this.#transactionCount += block.transactions.length;
    let excess = 0;
    while (this.#blocks.length - excess > BLOCKS_MAX || (this.#transactionCount > TRANSACTIONS_MAX && this.#blocks.length - excess > 1)) {
      this.#transactionCount -= this.#blocks[excess]!.transactions.length;
      excess += 1;
    }
    if (excess > 0) this.#blocks.splice(0, excess);
  }

  /** Removes the tip when it is the orphan; a body that was never there has nothing to remove. */
  popOrphan(hash: string): void {
    if (this.tip?.hash !== hash) return;
    this.#transactionCount -= this.#blocks.pop()!.transactions.length;
  }

  /** Blocks from a height on, ascending. */
  from(number: number): readonly Block[] {
    return this.#blocks.filter((block) => block.number >= number);
  }

  /** Which of `hashes` are transactions of these blocks. */
  findTransactions(hashes: ReadonlySet<string>): Set<string> {
    const found = new Set<string>();
    for (const block of this.#blocks) for (const { hash } of block.transactions) if (hashes.has(hash)) found.add(hash);
    return found;
  }

  clear(): void {
    this.#blocks = [];
    this.#transactionCount = 0;
  }
}
