// SPDX-License-Identifier: Apache-2.0
import { type Logger, type WorkerHealth, gauge } from '@chainwatch/platform/telemetry';
import { setTimeout as delay } from 'node:timers/promises';
import { describePublicly, type FailoverClient, type BlockRef } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import type { ChainContext } from '../model/chain-context.ts';
import type { WriterQueue } from '../commit/writer-queue.ts';
import { askAttested } from './ask-attested.ts';
import { askWitnesses, type UnprovedBlock } from './ask-witnesses.ts';
import { IS_ACCEPTED, IS_ACCEPTED_BLOCK, IS_RELEASED, commitVerdicts } from './commit-verdicts.ts';
import { analyseAgain } from '../reprocess/analyse-again.ts';
import { isWhole } from '../reprocess/plan-reprocess.ts';

interface WitnessDeps {
  readonly sql: Sql;
  readonly client: Pick<FailoverClient, 'clients' | 'readBlock' | 'readBlockElsewhere'>;
  readonly chain: Pick<ChainContext, 'gid' | 'share'>;
  readonly writerQueue: WriterQueue;
  readonly logger: Logger;
  readonly pollMs: number;
  /** How long a transaction that one node attests waits for another operator's endpoint. */
  readonly attestWaitMs: number;
  readonly health: WorkerHealth;
  readonly signal: AbortSignal;
}

/** Blocks that are read again, or that other endpoints are asked about, at once. */
const BLOCKS_MAX = 4;
const WAIT_MS_MAX = 60_000;

/**
 * Handles the incidents of a chain until the signal aborts. Closes those whose block an endpoint returned in a
 * known form after all, releases what the operator accepted, reads blocks again that are unproved, and asks the other endpoints about what one node attests, and
 * about what is final and unproved.
 */
export async function runWitnesses(deps: WitnessDeps): Promise<void> {
  const { chain, logger, health, pollMs, signal } = deps;
  let failures = 0;
  const round = new AskingRound();
  const unproved = new UnprovedBlocks();
  while (!signal.aborted) {
    try {
      const { openCount, untakenCount } = await countIncidents(deps);
      if (untakenCount > 0) await closeUntaken(deps);
      recordIncidents(chain.gid, openCount - untakenCount);
      const { isAccepted, isDelivered } = await findReleasable(deps);
      if (isAccepted) await deps.writerQueue.enqueue(commitVerdicts([]));
      await unproved.prove(deps);
      const isAsking = await askAttested(deps);
      const isMore = !isAsking && (round.isDue || isDelivered) && (await round.ask(deps, isDelivered));
      failures = 0;
      health.succeed();
      if (isAsking || isMore) continue;
    } catch (error) {
      if (signal.aborted) break;
      failures += 1;
      health.fail(describePublicly(error));
      logger.warn({ chain_gid: chain.gid, err: error }, 'failed to process incidents, will retry');
    }
    await delay(Math.min(pollMs * 2 ** Math.min(failures, 10), WAIT_MS_MAX), undefined, { signal }).catch(
      () => undefined,
    );
  }
  forgetIncidents(chain.gid);
}

/**
 * Goes through the blocks that wait for another endpoint, a few at once. Rests longer after each round without an
 * opinion.
 */
class AskingRound {
  #after: Pick<UnprovedBlock, 'number' | 'hash'> = { number: -1, hash: '' };
  #fruitless = 0;
  #dueAtMs = 0;

  get isDue(): boolean {
    return performance.now() >= this.#dueAtMs;
  }

  /**
   * True when more blocks may wait that something comes of.
   *
   * @param isDelivered the operator's setting delivers what no other endpoint contradicts
   */
  async ask(deps: WitnessDeps, isDelivered: boolean): Promise<boolean> {
    const { client, chain, writerQueue, logger, pollMs, signal } = deps;
    const blocks = await findWaiting(deps, this.#after);
    this.#after = blocks.at(-1) ?? { number: -1, hash: '' };
    let verdictCount = 0;
    for (const block of blocks) {
      const verdicts = await askWitnesses(client, block, signal);
      const contradicted = verdicts.filter(({ verdict }) => verdict === 'contradicted');
      if (contradicted.length > 0)
        logger.error(
          {
            chain_gid: chain.gid,
            height: block.number,
            hash: block.hash,
            transactions: contradicted.map(({ hash }) => hash),
          },
          'another endpoint told unproved transactions differently',
        );
      if (verdicts.length > 0 || isDelivered)
        await writerQueue.enqueue(commitVerdicts(verdicts, [block.hash]));
      verdictCount += isDelivered ? block.transactions.length : verdicts.length;
    }
    this.#fruitless = blocks.length === 0 || verdictCount > 0 ? 0 : this.#fruitless + 1;
    this.#dueAtMs =
      performance.now() +
      (this.#fruitless === 0 ? 0 : Math.min(pollMs * 2 ** Math.min(this.#fruitless, 10), WAIT_MS_MAX));
    return blocks.length === BLOCKS_MAX && verdictCount > 0;
  }
}

/** The block that waited was passed without the incident: an endpoint returned it in a known form. */
const IS_UNTAKEN = `i.status = 'open' AND i.last_block_number IS NULL AND i.block_number <= s.cursor_number`;

async function closeUntaken({ chain }: WitnessDeps): Promise<void> {
  await chain.share.transaction((sql) =>
    sql.query(
      `UPDATE incidents i SET status = 'resolved', resolved_at = now() FROM analyzer_states s
       WHERE s.chain_gid = $1 AND i.chain_gid = s.chain_gid AND ${IS_UNTAKEN}`,
      [chain.gid],
    ),
  );
}

async function countIncidents({
  sql,
  chain,
}: WitnessDeps): Promise<{ openCount: number; untakenCount: number }> {
  const { rows } = await sql.query<{ open: number; untaken: number }>(
    `SELECT count(*)::int AS open, count(*) FILTER (WHERE ${IS_UNTAKEN})::int AS untaken
     FROM incidents i LEFT JOIN analyzer_states s ON s.chain_gid = i.chain_gid WHERE i.chain_gid = $1 AND i.status = 'open'`,
    [chain.gid],
  );
  return { openCount: rows[0]!.open, untakenCount: rows[0]!.untaken };
}

/** Whether the operator accepted what waits, and whether the setting delivers what is final and waits. */
async function findReleasable({
  sql,
  chain,
}: WitnessDeps): Promise<{ isAccepted: boolean; isDelivered: boolean }> {
  const { rows } = await sql.query<{ accepted: boolean; delivered: boolean }>({
    name: 'find_releasable',
    text: `SELECT EXISTS (SELECT FROM unproved_transactions u WHERE u.chain_gid = $1 AND ${IS_ACCEPTED})
         OR EXISTS (SELECT FROM transactions t JOIN unproved_transactions u ON ${IS_RELEASED} WHERE t.chain_gid = $1)
         OR EXISTS (SELECT FROM blocks b WHERE b.chain_gid = $1 AND ${IS_ACCEPTED_BLOCK}) AS accepted,
       EXISTS (SELECT FROM unproved_transactions u JOIN blockchains b ON b.gid = u.chain_gid JOIN analyzer_states s ON s.chain_gid = b.gid
         WHERE u.chain_gid = $1 AND u.verdict = 'waiting' AND b.unproved = 'deliver' AND u.block_number <= s.confirmed_number) AS delivered`,
    values: [chain.gid],
  });
  return { isAccepted: rows[0]!.accepted, isDelivered: rows[0]!.delivered };
}

async function findWaiting(
  { sql, chain }: WitnessDeps,
  after: Pick<UnprovedBlock, 'number' | 'hash'>,
): Promise<UnprovedBlock[]> {
  const { rows } = await sql.query<{
    number: number;
    hash: string;
    transactions: { hash: string; endpoint: string; digest: string }[];
  }>(
    `SELECT u.block_number AS number, u.block_hash AS hash, json_agg(json_build_object('hash', u.hash, 'endpoint', u.endpoint, 'digest', encode(u.digest, 'hex'))) AS transactions
     FROM unproved_transactions u JOIN analyzer_states s ON s.chain_gid = u.chain_gid
     WHERE u.chain_gid = $1 AND u.verdict = 'waiting' AND u.block_number <= s.confirmed_number AND (u.block_number, u.block_hash) > ($2, $3)
     GROUP BY 1, 2 ORDER BY 1, 2 LIMIT ${BLOCKS_MAX}`,
    [chain.gid, after.number, after.hash],
  );
  return rows;
}

const open = gauge('chainwatch_chain_incidents_open', {
  description: "Kinds of content in the chain's blocks that this release does not know.",
});

function recordIncidents(chainGid: string, count: number): void {
  open.set(count, { chain_gid: chainGid });
}

/** The chain's next owner tells it. */
function forgetIncidents(chainGid: string): void {
  open.forget({ chain_gid: chainGid });
}

interface ProvingDeps {
  readonly sql: Sql;
  readonly client: Pick<FailoverClient, 'readBlock'>;
  readonly chain: Pick<ChainContext, 'gid'>;
  readonly writerQueue: WriterQueue;
  readonly pollMs: number;
  readonly signal: AbortSignal;
}

/**
 * Reads final blocks again whose list of transactions is one node's word: it may have left payments out, about which nobody
 * can be asked. Once an endpoint gives the block in a form that is proved, that is the truth. Rests longer after each time
 * that nothing comes of it.
 */
class UnprovedBlocks {
  #after = -1;
  #fruitless = 0;
  #dueAtMs = 0;

  async prove({ sql, client, chain, writerQueue, pollMs, signal }: ProvingDeps): Promise<void> {
    if (performance.now() < this.#dueAtMs) return;
    const refs = await findUnproved(sql, chain.gid, this.#after);
    this.#after = refs.length < BLOCKS_MAX ? -1 : refs.at(-1)!.number;
    const read = await Promise.all(refs.map((ref) => client.readBlock(ref, signal).catch(() => undefined)));
    const proved = read.filter((block) => block !== undefined && isWhole(block)).map((block) => block!);
    if (proved.length > 0) await writerQueue.enqueue(analyseAgain(proved, () => Promise.resolve()));
    this.#fruitless = refs.length === 0 || proved.length > 0 ? 0 : this.#fruitless + 1;
    this.#dueAtMs = performance.now() + Math.min(pollMs * 2 ** Math.min(this.#fruitless, 10), WAIT_MS_MAX);
  }
}

async function findUnproved(sql: Sql, chainGid: string, after: number): Promise<BlockRef[]> {
  const { rows } = await sql.query<{ number: number; hash: string }>({
    name: 'find_unproved_blocks',
    text: `SELECT b.number, b.hash FROM analyzer_states s JOIN blocks b ON b.chain_gid = s.chain_gid AND b.number > $2 AND b.number <= s.confirmed_number
           WHERE s.chain_gid = $1 AND b.verification = 'unproved' AND b.status IN ('processed', 'confirmed') ORDER BY b.number LIMIT ${BLOCKS_MAX}`,
    values: [chainGid, after],
  });
  return rows;
}
