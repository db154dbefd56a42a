// SPDX-License-Identifier: Apache-2.0
import type { BlockRef, UtxoCodec } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import type { BlockRing } from '../feed/chain-feed.ts';
import type { BlockCandidates } from '../match/find-hits.ts';
import { findRetroactiveCandidates, type PassedBlockReader } from '../match/find-retroactive-candidates.ts';
import type { RetroactiveAddress } from '../watch/chain-watch.ts';
import type { BackfillAddress } from './backfill-batch.ts';
import type { EarlierCoins } from './find-earlier-coins.ts';

/** An address of which coins are known up to the block that it counts from. */
export type CoinOwner = Pick<BackfillAddress, 'id' | 'address' | 'watchedFrom'>;

/** What blocks that were analysed meanwhile say of the addresses of a batch. */
export interface PassedBlocks {
  readonly candidates: readonly BlockCandidates[];
  /** Blocks up to this one were searched; undefined: none. */
  readonly upTo: BlockRef | undefined;
}

interface PassedDeps {
  readonly sql: Sql;
  readonly chainGid: string;
  readonly codec: UtxoCodec;
  /** Not asked for the blocks that the ring holds. */
  readonly readBody: PassedBlockReader;
  readonly ring: Pick<BlockRing, 'firstNumber'>;
}

const NO_RING: Pick<BlockRing, 'firstNumber' | 'from'> = { firstNumber: undefined, from: () => [] };

/**
 * Searches the blocks that only a node has, beside the writer: they may be many after a long search for coins. Those
 * that pass in the meantime are left to the writer.
 */
export async function findPassed(
  { sql, chainGid, codec, readBody, ring }: PassedDeps,
  addresses: readonly CoinOwner[],
  { coins }: Pick<EarlierCoins, 'coins'>,
): Promise<PassedBlocks> {
  const { rows } = await sql.query<BlockRef>(
    `SELECT number, hash FROM (
       (SELECT number, hash FROM blocks WHERE chain_gid = $1 AND number < $2 AND status IN ('processed', 'confirmed') ORDER BY number DESC LIMIT 1)
       UNION ALL (SELECT number, hash FROM last_packed_block($1, $2::bigint - 1))) b ORDER BY number DESC LIMIT 1`,
    [chainGid, ring.firstNumber ?? Number.MAX_SAFE_INTEGER],
  );
  const [upTo] = rows;
  const passed = upTo === undefined ? [] : listPassed(addresses, { from: 0, to: upTo.number });
  if (upTo === undefined || passed.length === 0) return { candidates: [], upTo: undefined };
  const deps = { sql, chainGid, codec, readBody, coins, ring: NO_RING };
  return { candidates: await findRetroactiveCandidates(deps, passed, upTo.number), upTo };
}

/** The addresses that count from a block up to `to` on, with the first one from `from` on. */
export function listPassed(
  addresses: readonly CoinOwner[],
  { from, to }: { readonly from: number; readonly to: number },
): RetroactiveAddress[] {
  return addresses
    .filter(({ watchedFrom }) => watchedFrom <= to)
    .map(({ id, address, watchedFrom }) => ({ id, address, fromBlock: Math.max(watchedFrom, from) }));
}
