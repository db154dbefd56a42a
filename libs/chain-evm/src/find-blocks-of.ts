// SPDX-License-Identifier: Apache-2.0
import {
  BlockNotFoundError,
  ChainClientError,
  unwrap,
  type BlockRef,
  type BlocksOfAddresses,
  type BlocksWanted,
} from '@chainwatch/chain-core';
import { traitsAt, type EvmTraits } from './networks.ts';
import { parseRawBlock } from './parse-raw-block.ts';
import type { RawBlock } from './raw-block.ts';
import type { Session } from './session.ts';
import { toSettlementHeader } from './settlement/settlement-header.ts';
import { UnknownParts } from './unknown-parts.ts';
import { verifyHeaderOf } from './parse-header.ts';
import { verifyTransactions } from './verify-transactions.ts';
import { bloomBitsOf, matchesBloom } from './logs-bloom.ts';
import { z } from 'zod';
import { isMissingBlock, isUnsupported } from './classify-node-error.ts';

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

interface Range {
  readonly fromBlock: number;
  readonly toBlock: number;
}

const logsSchema = z.array(
  z.object({ blockNumber: z.string().regex(/^0x[0-9a-f]+$/i), blockHash: z.string().min(1) }),
);
/** Where a transfer's log has its sender and its receiver. */
const POSITIONS = [1, 2];

/**
 * Hashes of the blocks of a range whose logs have one of the addresses, as topics, as sender or receiver, by number: the
 * node's word alone, which may leave out any. `''` where the
 * node refuses the logs of a single block, which must be read then. A range that is refused is halved. Undefined where
 * the node gives no logs at all, which is remembered.
 */
async function findLogBlocks(
  session: Session,
  {
    topics: words,
    range,
    signal,
  }: { readonly topics: readonly string[]; readonly range: Range; readonly signal?: AbortSignal },
): Promise<ReadonlyMap<number, string> | undefined> {
  const search = { session, signal, found: new Map<number, string>() };
  try {
    for (const position of POSITIONS)
      await collect({ ...search, topics: [...Array<null>(position).fill(null), words] }, range);
  } catch (error) {
    if (!isUnsupported(error)) throw error;
    session.capabilities.hasLogs = false;
    return undefined;
  }
  return search.found;
}

interface Search {
  readonly session: Session;
  readonly topics: readonly unknown[];
  readonly found: Map<number, string>;
  readonly signal: AbortSignal | undefined;
}

async function collect(search: Search, { fromBlock, toBlock }: Range): Promise<void> {
  const { session, topics, found, signal } = search;
  try {
    const filter = { fromBlock: toHex(fromBlock), toBlock: toHex(toBlock), topics };
    const parsed = logsSchema.safeParse(await session.transport.call('eth_getLogs', [filter], signal));
    if (!parsed.success)
      throw new ChainClientError('eth_getLogs: expected logs with the numbers and hashes of their blocks');
    for (const { blockNumber, blockHash } of parsed.data)
      found.set(Number(blockNumber), blockHash.toLowerCase());
  } catch (error) {
    if (!isRefused(error)) throw error;
    if (fromBlock === toBlock) return void found.set(fromBlock, '');
    const middle = (fromBlock + toBlock) >> 1;
    await collect(search, { fromBlock, toBlock: middle });
    await collect(search, { fromBlock: middle + 1, toBlock });
  }
}

/** The range has too many blocks or logs for this node, in whatever words. */
function isRefused(error: unknown): boolean {
  if (!(error instanceof ChainClientError) || error.nodeCode === undefined) return false;
  const isHttp = error.nodeCode === 429 || (error.nodeCode >= 500 && error.nodeCode < 600);
  return !isHttp && !isUnsupported(error) && !isMissingBlock(error);
}

const toHex = (number: number): string => `0x${number.toString(16)}`;
