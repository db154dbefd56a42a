// SPDX-License-Identifier: Apache-2.0
import { findPoison, isItemFault, retryAll, setAside } from '@chainwatch/data/quarantine';
import type { Logger, WorkerHealth } from '@chainwatch/platform/telemetry';
import { setTimeout as delay } from 'node:timers/promises';
import {
  describePublicly,
  type Block,
  type BlockRef,
  type ChainClient,
  type UtxoCodec,
  InvalidAddressError,
  type Network,
} from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import { BackfillTurns, writeBackfillProgress, type BackfillBatch } from './backfill-batch.ts';
import type { CoinSearch } from './commit-coins.ts';
import { findEarlierCoins } from './find-earlier-coins.ts';
import { findPassed } from './find-passed.ts';
import type { BlockRing } from '../feed/chain-feed.ts';
import type { PassedBlockReader } from '../match/find-retroactive-candidates.ts';

interface BackfillDeps {
  readonly sql: Sql;
  readonly client: ChainClient;
  /** Reads through the gate that holds back blocks with something unknown. */
  readonly readBlock: (ref: BlockRef, signal: AbortSignal) => Promise<Block>;
  readonly codec: UtxoCodec;
  readonly chainGid: string;
  /** The last blocks that were analysed. */
  readonly ring: Pick<BlockRing, 'firstNumber'>;
  readonly logger: Logger;
  readonly health: WorkerHealth;
  readonly signal: AbortSignal;
  readonly pollMs: number;
  /**
   * Stores the coins in a step of the chain's owner; resolves after the commit, to false when the chain changed
   * below some of them.
   */
  readonly commit: (batch: BackfillBatch, search: CoinSearch) => Promise<boolean>;
  /** Runs while no address waits for its coins: a node makes one scan at a time. */
  readonly whileIdle: (isDue: () => Promise<boolean>) => Promise<void>;
}

const LOOK_MS = 1_000;
const RETRY_MS_MAX = 60_000;

/**
 * Finds the coins that addresses had before they were watched, batch by batch, until the signal aborts. An
 * interrupted batch starts again: none of it is stored before it is complete, because half of the coins would be a
 * wrong balance.
 */
export async function runBackfills(deps: BackfillDeps): Promise<void> {
  const { signal, logger, health, chainGid } = deps;
  const turns = new BackfillTurns(deps.sql, chainGid);
  let failures = 0;
  let isEnrolled = false;
  while (!signal.aborted) {
    let batch: BackfillBatch | undefined;
    try {
      if (!isEnrolled) {
        await enrollAddresses({ ...deps, network: deps.client.network });
        await retryAll(deps.sql, chainGid, 'backfill');
      }
      isEnrolled = true;
      batch = await turns.take();
      // A node on another branch than the analyzer's gets some time.
      const isWhole = batch !== undefined && (await runBatch(deps, batch));
      failures = 0;
      health.succeed();
      if (isWhole) continue;
      if (batch === undefined) await deps.whileIdle(() => turns.isDue());
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      if (!isItemFault(error)) health.fail(describePublicly(error));
      logger.warn({ chain_gid: chainGid, err: error }, 'failed to find earlier coins, will retry');
      if (batch !== undefined)
        await writeBackfillProgress(deps.sql, {
          chainGid,
          batch,
          progress: {
            status: 'pending',
            reason: describePublicly(error),
          },
        }).catch(() => undefined);
      if (batch !== undefined && isItemFault(error)) await runApart(deps, batch).catch(() => undefined);
    }
    const restMs =
      batch === undefined && failures === 0 ? deps.pollMs : Math.min(LOOK_MS * 2 ** failures, RETRY_MS_MAX);
    await delay(restMs, undefined, { signal }).catch(() => undefined);
  }
}

/** A batch failed, and maybe because of one address: halves are tried, and what fails alone is set aside. */
async function runApart(deps: BackfillDeps, { addresses }: BackfillBatch): Promise<void> {
  const { sql, chainGid } = deps;
  const poison = await findPoison(addresses, async (some) => {
    await runBatch(deps, { addresses: some, fromBlock: Math.min(...some.map((one) => one.fromBlock)) });
  });
  await setAside(
    sql,
    chainGid,
    poison.map(({ item: { id, projectId, watchedFrom }, error }) => ({
      ...{ step: 'backfill', projectId, addressId: id, error },
      subject: { type: 'address', id },
      block: { number: watchedFrom, hash: '' },
    })),
  );
}

async function runBatch(
  { sql, client, readBlock, codec, chainGid, ring, signal, commit }: BackfillDeps,
  batch: BackfillBatch,
): Promise<boolean> {
  await writeBackfillProgress(sql, { chainGid, batch, progress: { status: 'running' } });
  const onProgress = (nextBlock: number, toBlock: number): Promise<void> =>
    writeBackfillProgress(sql, {
      chainGid,
      batch,
      progress: { status: 'running', method: 'rescan', nextBlock, toBlock },
    });
  const found = await findEarlierCoins({ client, readBlock, codec, signal, onProgress }, batch);
  const readBody: PassedBlockReader = (ref) => readBlock(ref, signal);
  const passed = await findPassed({ sql, chainGid, codec, readBody, ring }, batch.addresses, found);
  return commit(batch, { found, passed });
}

interface EnrollDeps {
  readonly sql: Sql;
  readonly network: Network;
  readonly codec: UtxoCodec;
  readonly signal: AbortSignal;
}

const PAGE_ROWS = 1_000;

/**
 * Addresses registered while the chain was not active have no backfill on it: this adds one and asks for their
 * balance. Addresses of other networks have none and get none.
 */
async function enrollAddresses({ sql, network, codec, signal }: EnrollDeps): Promise<void> {
  for (let lastId = '00000000-0000-0000-0000-000000000000'; !signal.aborted; ) {
    const { rows } = await sql.query<{ id: string; address: string }>(
      `SELECT a.id, a.address FROM addresses a
       WHERE a.chain_family = $1 AND a.is_monitored AND a.id > $3
         AND NOT EXISTS (SELECT FROM address_backfills b WHERE b.address_id = a.id AND b.chain_gid = $2)
       ORDER BY a.id LIMIT ${PAGE_ROWS}`,
      [network.family, network.gid, lastId],
    );
    const own = rows.filter(({ address }) => isOwn({ network, codec }, address));
    if (own.length > 0)
      await enroll(
        sql,
        network.gid,
        own.map(({ id }) => id),
      );
    if (rows.length < PAGE_ROWS) return;
    lastId = rows.at(-1)!.id;
  }
}

/** Addresses of networks that are not known here are others' too. */
function isOwn({ network, codec }: Pick<EnrollDeps, 'network' | 'codec'>, address: string): boolean {
  try {
    return codec.findAddress(network, codec.matchKeyOf(address)) === address;
  } catch (error) {
    if (error instanceof InvalidAddressError) return false;
    throw error;
  }
}

async function enroll(sql: Sql, chainGid: string, ids: readonly string[]): Promise<void> {
  await sql.query(
    `WITH enrolled AS (
       INSERT INTO address_backfills (address_id, chain_gid)
       SELECT id, $1 FROM addresses WHERE id = ANY($2::uuid[]) ORDER BY id FOR KEY SHARE
       ON CONFLICT (address_id, chain_gid) DO NOTHING RETURNING address_id
     )
     INSERT INTO balance_reads (chain_gid, address_id, reason) SELECT $1, address_id, 'imported' FROM enrolled`,
    [chainGid, ids],
  );
}
