// SPDX-License-Identifier: Apache-2.0
import { bloomBitsOf, matchesBloom } from './logs-bloom.ts';

/** A block as its proved header tells it. */
export interface BloomHeader {
  readonly number: number;
  readonly logsBloom: string;
  readonly gasUsed: bigint;
  readonly transactionCount: number;
  /** Height of the last block whose logs this bloom covers: its own, or an earlier one where blocks settle late. */
  readonly settledHeight: number;
  /** Its own bloom covers earlier blocks. */
  readonly isAsynchronous: boolean;
}

/** What a transaction costs that runs no code. */
const TRANSFER_GAS = 21_000n;
const IS_EMPTY = /^0x0*$/;

/**
 * Numbers of the blocks of a page, ascending and without gap, whose blooms leave it open that a log names one of `topics`:
 * all but those that have none for certain. A list of logs that says less than these is not believed.
 *
 * A bloom may be empty because a chain does not fill it (EIP-7668 proposes that). So an empty one says something only of a
 * block that ran no code, or where the header of a later block of the page has one that is not.
 *
 * @param listed blocks with a log of theirs: where one's bloom does not have it, the chain's blooms say nothing
 */
export function findBloomBlocks(
  page: readonly BloomHeader[],
  topics: readonly string[],
  listed: ReadonlySet<number>,
): ReadonlySet<number> {
  const entries = topics.map(bloomBitsOf);
  const open = new Set<number>();
  const wrong = page.some(
    ({ number, isAsynchronous, logsBloom }) =>
      !isAsynchronous && listed.has(number) && !matchesBloom(logsBloom, entries),
  );
  const lastFilled = page.findLastIndex(({ logsBloom }) => !IS_EMPTY.test(logsBloom));
  page.forEach((block, position) => {
    const { number, transactionCount } = block;
    if (transactionCount === 0) return;
    const covering = findCovering(page, position);
    if (
      wrong ||
      covering === undefined ||
      (IS_EMPTY.test(covering.logsBloom)
        ? position > lastFilled && mayRunCode(block)
        : matchesBloom(covering.logsBloom, entries))
    )
      open.add(number);
  });
  return open;
}

/** The header whose bloom covers a block's logs; undefined where it is not of the page. */
function findCovering(page: readonly BloomHeader[], position: number): BloomHeader | undefined {
  const block = page[position];
  if (block?.isAsynchronous !== true) return block;
  return page
    .slice(position + 1)
    .find((later) => later.isAsynchronous && later.settledHeight >= block.number);
}

const mayRunCode = ({ gasUsed, transactionCount, isAsynchronous }: BloomHeader): boolean =>
  isAsynchronous || gasUsed > TRANSFER_GAS * BigInt(transactionCount);
