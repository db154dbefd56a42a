// SPDX-License-Identifier: Apache-2.0
import { IncompleteBlockError } from '@chainwatch/chain-core';
import type { BlockHeader } from '@chainwatch/chain-core';
import type { EvmTraits } from '../networks.ts';
import { toBlockHeader } from '../parse-header.ts';
import type { RawHeader } from '../raw-block.ts';

/** Root of a trie without values (Yellow Paper, appendix D). */
export const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';
export const EMPTY_BLOOM = `0x${'00'.repeat(256)}`;

/** What a header says of settlement; its hash was proved. */
export interface SettlementHeader extends BlockHeader {
  /** Unix milliseconds. */
  readonly timestampMs: number;
  readonly transactionsRoot: string;
  /** Over the receipts of the blocks that are settled with this one, in order. */
  readonly receiptsRoot: string;
  readonly logsBloom: string;
  /** False: executed at once, under roots of its own. */
  readonly isAsynchronous: boolean;
  /** Height of the last block settled up to and with this one; of a synchronous block its own. */
  readonly settledHeight: number;
}

/**
 * Whether a later header settles the block: it has the four members of the settlement marker, and they are not all zero
 * (avalanchego, `SettledBy` of its C-Chain hooks;
 * https://github.com/avalanche-foundation/ACPs/blob/main/ACPs/194-streaming-asynchronous-execution/README.md).
 */
export function isAsynchronous(header: RawHeader, { stack }: Pick<EvmTraits, 'stack'>): boolean {
  if (stack !== 'avalanche') return false;
  const marker = [
    header.settledHeight,
    header.settledGasUnix,
    header.settledGasNumerator,
    header.settledExcess,
  ];
  return (
    marker.every((member) => typeof member === 'string') && marker.some((member) => BigInt(member ?? 0) > 0n)
  );
}

/** A proved header. @throws SyntaxError where a quantity has no digits */
export function toSettlementHeader(header: RawHeader, traits: Pick<EvmTraits, 'stack'>): SettlementHeader {
  const known = toBlockHeader(header);
  const isLate = isAsynchronous(header, traits);
  return {
    ...known,
    // The seconds are what the chain goes by; the milliseconds only refine them (avalanchego, `BlockTime`).
    timestampMs: known.timestamp * 1_000 + Number(BigInt(header.timestampMilliseconds ?? 0) % 1_000n),
    transactionsRoot: header.transactionsRoot,
    receiptsRoot: header.receiptsRoot,
    logsBloom: header.logsBloom,
    isAsynchronous: isLate,
    settledHeight: isLate ? Number(BigInt(header.settledHeight ?? 0)) : known.number,
  };
}

/**
 * Checks a header by its parent: linked, settling no less than it and only blocks before, under empty roots where it settles
 * nothing, and asynchronous once the chain is.
 * @throws IncompleteBlockError
 */
export function expectFollows(parent: SettlementHeader, header: SettlementHeader): void {
  expectLinked(parent, header);
  const { number, hash, settledHeight } = header;
  const what = `header of block ${number} ${hash}`;
  if (!header.isAsynchronous) {
    if (parent.isAsynchronous)
      throw new IncompleteBlockError(`${what}: expected what it settles, got nothing`);
    return;
  }
  if (settledHeight < parent.settledHeight || settledHeight >= number)
    throw new IncompleteBlockError(
      `settledHeight of block ${number} ${hash}: expected ${parent.settledHeight} to ${number - 1}, got ${settledHeight}`,
    );
  if (settledHeight > parent.settledHeight) return;
  if (header.receiptsRoot !== EMPTY_ROOT || header.logsBloom !== EMPTY_BLOOM)
    throw new IncompleteBlockError(
      `${what}: expected an empty receiptsRoot and logsBloom, since it settles nothing, got ${header.receiptsRoot}`,
    );
}

function expectLinked(
  parent: Pick<BlockHeader, 'number' | 'hash'>,
  header: Pick<BlockHeader, 'number' | 'hash' | 'parentHash'>,
): void {
  if (header.number === parent.number + 1 && header.parentHash === parent.hash) return;
  throw new IncompleteBlockError(
    `header of block ${header.number} ${header.hash}: expected block ${parent.number + 1} on ${parent.hash}, got one on ${header.parentHash}`,
  );
}
