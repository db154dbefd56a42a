import { countTransactions, type Block } from '@chainwatch/chain-core';

const BLOCKS_MAX = 256;
const TRANSACTIONS_MAX = 30_000;
/** Memory for blocks held as the node sent them. */
const BYTES_MAX = 32 * 1024 * 1024;

/** The last decoded blocks up to the cursor, for addresses that were registered while they passed. */
export class BlockRing {
  #blocks: Block[] = [];
  #transactionCount = 0;
  #byteLength = 0;

  get tip(): Block | undefined {
    return this.#blocks.at(-1);
  }

  /** Height of the oldest block that is here. */
  get firstNumber(): number | undefined {
    return this.#blocks[0]?.number;
  }

  push(block: Block): void {
    this.#blocks.push(block);
    this.#weigh(block, 1);
    let excess = 0;
    while (this.#blocks.length - excess > BLOCKS_MAX || (this.#isHeavy && this.#blocks.length - excess > 1)) {
      this.#weigh(this.#blocks[excess]!, -1);
      excess += 1;
    }
    if (excess > 0) this.#blocks.splice(0, excess);
  }

  /** Removes the tip when it is the orphan. An orphan whose body was never in the ring has nothing to remove. */
  popOrphan(hash: string): void {
    if (this.tip?.hash !== hash) return;
    this.#weigh(this.#blocks.pop()!, -1);
  }

  /** Blocks from a height on, ascending. */
  from(number: number): readonly Block[] {
    return this.#blocks.filter((block) => block.number >= number);
  }

  /** Which of `hashes` are transactions of these blocks. */
  findTransactions(hashes: ReadonlySet<string>): Set<string> {
    const found = new Set<string>();
    for (const block of this.#blocks)
      for (const { hash } of block.transactions) if (hashes.has(hash)) found.add(hash);
    return found;
  }

  clear(): void {
    this.#blocks = [];
    this.#transactionCount = 0;
    this.#byteLength = 0;
  }

  get #isHeavy(): boolean {
    return this.#transactionCount > TRANSACTIONS_MAX || this.#byteLength > BYTES_MAX;
  }

  #weigh(block: Block, sign: 1 | -1): void {
    this.#transactionCount += sign * countTransactions(block);
    this.#byteLength += sign * (block.byteLength ?? 0);
  }
}
