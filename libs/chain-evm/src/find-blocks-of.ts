// SPDX-License-Identifier: Apache-2.0
import { BlockNotFoundError, ChainClientError, unwrap } from '@chainwatch/chain-core';
import type { BlockRef, BlocksOfAddresses, BlocksWanted } from '@chainwatch/chain-core';
import { findBloomBlocks, type BloomHeader } from './find-bloom-blocks.ts';
import { traitsAt } from './networks.ts';
import type { EvmTraits } from './networks.ts';
import { findLogBlocks } from './find-log-blocks.ts';
import { parseRawBlock } from './parse-raw-block.ts';
import type { RawBlock } from './raw-block.ts';
import type { Session } from './session.ts';
import { toSettlementHeader } from './settlement/settlement-header.ts';
import { UnknownParts } from './unknown-parts.ts';
import { verifyHeaderOf } from './parse-header.ts';
import { verifyTransactions } from './verify-transactions.ts';

/** Blocks of one answer, and bodies that are asked for at once. */
const PAGE_BLOCKS = 64;
const BODIES_AT_ONCE = 16;

/**
 * The blocks whose logs name an address, and those with a transaction from or to one: receipts are then read of these
 * alone. The node's list of logs is not believed where it says less than the blooms of the headers: an index may be behind,
 * have holes, or be another node's behind the same URL. Where the node traces, payments out of contracts show in the trace
 * of any block, so all are read; so they are where it gives no logs, and where a part of the blocks is no transaction of
 * theirs (Polygon's state syncs, HyperEVM's payments from HyperCore).
 * @throws BlockNotFoundError when the node does not have all of these blocks
 */
export async function findBlocksOf(
  session: Session,
  { addresses, fromBlock, toBlock: wanted }: BlocksWanted,
  signal?: AbortSignal,
): Promise<BlocksOfAddresses | undefined> {
  const { capabilities, traits } = session;
  const isStrict = traitsAt(traits, fromBlock).roots === 'strict';
  const isCovered = traits.stack !== 'bor' && traits.stack !== 'hyperevm';
  if (capabilities.trace !== 'none' || !capabilities.hasLogs || !isCovered || !isStrict) return undefined;
  const own = new Set(addresses.map((address) => address.toLowerCase()));
  const range = { fromBlock, toBlock: Math.min(wanted, fromBlock + PAGE_BLOCKS - 1) };
  const topics = [...own].map((address) => `0x${address.slice(2).padStart(64, '0')}`);
  const logged = await findLogBlocks(session, { topics, range, signal });
  if (logged === undefined) return undefined;
  const seen = await readPage(session, { own, range, logged, signal });
  const unlisted = findBloomBlocks(
    seen.flatMap(({ header }) => (header === undefined ? [] : [header])),
    topics,
    new Set([...logged].flatMap(([number, hash]) => (hash === '' ? [] : [number]))),
  );
  return {
    refs: seen.flatMap(({ ref, isNamed }) => (isNamed || unlisted.has(ref.number) ? [ref] : [])),
    toBlock: range.toBlock,
  };
}

interface SeenBlock {
  readonly ref: BlockRef;
  /** The node's list, or one of its transactions, names an address; or not all of it is known. */
  readonly isNamed: boolean;
  /** Absent where the hash does not prove it. */
  readonly header?: BloomHeader;
}

/** The blocks of a page, linked by their parents. */
async function readPage(
  session: Session,
  {
    own,
    range: { fromBlock, toBlock },
    logged,
    signal,
  }: {
    readonly own: ReadonlySet<string>;
    readonly range: { readonly fromBlock: number; readonly toBlock: number };
    readonly logged: ReadonlyMap<number, string>;
    readonly signal: AbortSignal | undefined;
  },
): Promise<SeenBlock[]> {
  const seen: SeenBlock[] = [];
  for (let from = fromBlock; from <= toBlock; from += BODIES_AT_ONCE) {
    const to = Math.min(toBlock, from + BODIES_AT_ONCE - 1);
    for (const block of await readBodies(session, { from, to, signal })) {
      const ref = { number: Number(block.number), hash: block.hash };
      const parent = seen.at(-1)?.ref;
      if (
        ref.number !== fromBlock + seen.length ||
        (parent !== undefined && block.parentHash !== parent.hash)
      )
        throw new ChainClientError(
          `block ${fromBlock + seen.length}: expected parent ${parent?.hash}, got block ${ref.number} on ${block.parentHash}`,
        );
      const told = logged.get(ref.number);
      if (told !== undefined && told !== '' && told !== block.hash)
        throw new ChainClientError(`logs of block ${ref.number}: expected hash ${block.hash}, got ${told}`);
      const traits = traitsAt(session.traits, ref.number);
      const isProved = verifyHeaderOf(ref, block, traits).length === 0;
      seen.push({
        ref,
        isNamed: told !== undefined || !isProved || (await concerns(block, { traits, own })),
        header: isProved ? toBloomHeader(block, traits) : undefined,
      });
    }
  }
  return seen;
}

function toBloomHeader(block: RawBlock, traits: EvmTraits): BloomHeader {
  const { number, logsBloom, isAsynchronous, settledHeight } = toSettlementHeader(block, traits);
  const transactionCount = block.transactions.length;
  return {
    number,
    logsBloom,
    isAsynchronous,
    settledHeight,
    transactionCount,
    gasUsed: BigInt(block.gasUsed),
  };
}

async function readBodies(
  { transport, traits }: Session,
  { from, to, signal }: { readonly from: number; readonly to: number; readonly signal?: AbortSignal },
): Promise<RawBlock[]> {
  const numbers = Array.from({ length: to - from + 1 }, (_, position) => from + position);
  const calls = numbers.map((number) => ({
    method: 'eth_getBlockByNumber',
    params: [`0x${number.toString(16)}`, true],
  }));
  return (await transport.callMany(calls, signal)).map((answer, position) => {
    const result = unwrap(answer);
    if (result === null) throw new BlockNotFoundError(`block ${numbers[position]} is not known to the node`);
    return parseRawBlock(result, traits.stack);
  });
}

/** Whether a body, proved to be the block's, has a transaction of an address; also true where not all of it is known. */
async function concerns(
  block: RawBlock,
  { traits, own }: { readonly traits: EvmTraits; readonly own: ReadonlySet<string> },
): Promise<boolean> {
  const { unknown, missing } = await verifyTransactions(block, block.transactions, {
    traits,
    encodings: new Map(),
    parts: new UnknownParts([]),
  });
  if (unknown.size > 0 || missing.length > 0) return true;
  // A contract's address is not in the transaction that creates it.
  return block.transactions.some(
    ({ from, to }) => own.has(from.toLowerCase()) || typeof to !== 'string' || own.has(to.toLowerCase()),
  );
}
