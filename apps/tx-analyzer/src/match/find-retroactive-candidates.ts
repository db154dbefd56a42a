// SPDX-License-Identifier: Apache-2.0
import type { Block, Outpoint, UtxoCodec } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import type { BlockRing } from '../feed/chain-feed.ts';
import type { RetroactiveAddress } from '../watch/chain-watch.ts';
import { type BlockCandidates, findCandidates } from './find-hits.ts';
import { outpointKey } from '../model/coin.ts';
import { UtxoFinder } from '../utxo/utxo-finder.ts';

const PAGE_BLOCKS = 256;
const WINDOW = 16;

/** Undefined for an orphan whose body is gone. */
export type PassedBlockReader = (ref: {
  readonly number: number;
  readonly hash: string;
}) => Promise<Block | undefined>;

interface PassedBlockDeps {
  readonly sql: Sql;
  readonly chainGid: string;
  readonly ring: Pick<BlockRing, 'firstNumber' | 'from'>;
  readonly readBody: PassedBlockReader;
  /** Of a family of unspent outputs. */
  readonly codec?: UtxoCodec;
  /** Coins of the addresses that the database is about to know. */
  readonly coins?: readonly Outpoint[];
}

/**
 * Finds in blocks already passed what concerns addresses registered meanwhile: in the ring, and on the chain where
 * the ring does not reach back far enough. Keeps only hits in memory, so any number of blocks may be searched.
 */
export async function findRetroactiveCandidates(
  deps: PassedBlockDeps,
  retroactive: readonly RetroactiveAddress[],
  cursorNumber: number,
): Promise<BlockCandidates[]> {
  const from = retroactive.reduce(
    (lowest, entry) => Math.min(lowest, entry.fromBlock),
    Number.MAX_SAFE_INTEGER,
  );
  const ringFirst = deps.ring.firstNumber ?? cursorNumber + 1;
  const find = await createFind(deps, retroactive, from);
  const found: BlockCandidates[] = [];
  const collect = (block: Block | undefined): void => {
    const candidates = block === undefined ? undefined : find(block);
    if (candidates !== undefined) found.push(candidates);
  };
  if (from < ringFirst) for await (const block of readPassed(deps, from, ringFirst - 1)) collect(block);
  for (const block of deps.ring.from(from)) collect(block);
  return found;
}

async function createFind(
  deps: PassedBlockDeps,
  retroactive: readonly RetroactiveAddress[],
  from: number,
): Promise<(block: Block) => BlockCandidates | undefined> {
  const addresses = retroactive.map((entry) => entry.address);
  const { codec } = deps;
  if (codec === undefined) {
    const filter = new Set(addresses);
    return (block) => findCandidates(block, filter);
  }
  const finder = new UtxoFinder({
    scripts: new Set(addresses.map(codec.matchKeyOf)),
    coins: await readSpendable(deps, addresses, from),
  });
  return (block) => {
    const transactions = finder.find(block.transactions);
    return transactions.length === 0 ? undefined : { block, transactions, balanceChanges: [] };
  };
}

/**
 * Coins of `addresses` that blocks from a height on may spend. They are known when somebody else watched the
 * address before.
 */
async function readSpendable(
  { sql, chainGid, coins = [] }: PassedBlockDeps,
  addresses: readonly string[],
  from: number,
): Promise<Set<string>> {
  const { rows } = await sql.query<{ txid: string; vout: number }>(
    'SELECT txid, vout FROM utxos WHERE chain_gid = $1 AND address = ANY($2) AND (spent_block_number IS NULL OR spent_block_number >= $3)',
    [chainGid, addresses, from],
  );
  return new Set([...rows, ...coins].map(outpointKey));
}

/** Canonical blocks of [from, to] that were analysed already, ascending; a few are read at once. */
async function* readPassed(
  deps: PassedBlockDeps,
  from: number,
  to: number,
): AsyncGenerator<Block | undefined> {
  for (let next = from; next <= to; ) {
    const { rows } = await deps.sql.query<{ number: number; hash: string }>(
      `SELECT number, hash FROM analysed_blocks($1, $2, $3, ${PAGE_BLOCKS})`,
      [deps.chainGid, next, to],
    );
    for (let start = 0; start < rows.length; start += WINDOW) {
      yield* await Promise.all(rows.slice(start, start + WINDOW).map((ref) => deps.readBody(ref)));
    }
    if (rows.length < PAGE_BLOCKS) return;
    next = rows.at(-1)!.number + 1;
  }
}
