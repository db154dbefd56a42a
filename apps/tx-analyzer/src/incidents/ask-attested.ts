// SPDX-License-Identifier: Apache-2.0
import type { Block, FailoverClient, BlockRef } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import type { Logger } from '@chainwatch/platform/telemetry';
import type { WriterQueue, WriterWork } from '../commit/writer-queue.ts';
import { askWitnesses, type UnprovedBlock } from './ask-witnesses.ts';
import { confirmTransactions } from '../commit/confirm-transactions.ts';
import { attestedDifferently } from '../commit/judge-opinions.ts';
import { recordTaken } from '../commit/write-unknowns.ts';
import type { ChainContext } from '../model/chain-context.ts';
import { isHolding } from '../model/chain-cursor.ts';
import { SqlParams } from '../model/sql-params.ts';
import type { Verdict } from './commit-verdicts.ts';

interface AskDeps {
  readonly sql: Sql;
  readonly client: Pick<FailoverClient, 'clients' | 'readBlockElsewhere'>;
  readonly chain: { readonly gid: string };
  readonly writerQueue: WriterQueue;
  readonly logger: Pick<Logger, 'error'>;
  readonly attestWaitMs: number;
  readonly signal: AbortSignal;
}

/** Blocks that are asked about at once. */
const BLOCKS_MAX = 8;

/**
 * Asks endpoints of other operators about transactions that only one node attests, one request a block, and writes what
 * comes of it. True when more blocks may wait.
 */
export async function askAttested(deps: AskDeps): Promise<boolean> {
  const { client, chain, writerQueue, logger, attestWaitMs: waitMs, signal } = deps;
  const { blocks, hasWaiting } = await findDue(deps);
  if (blocks.length === 0 && !hasWaiting) return false;
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(waitMs)]);
  const verdicts = (await Promise.all(blocks.map((block) => askWitnesses(client, block, inTime)))).flat();
  const contradicted = verdicts.filter(({ verdict }) => verdict === 'contradicted');
  if (contradicted.length > 0)
    logger.error(
      { chain_gid: chain.gid, transactions: contradicted.map(({ hash }) => hash) },
      'endpoints of two operators attested transactions differently',
    );
  signal.throwIfAborted();
  await writerQueue.enqueue(commitAttested({ asked: blocks, verdicts, waitMs }));
  return blocks.length === BLOCKS_MAX && verdicts.length > 0;
}

interface DueRow {
  readonly number: number;
  readonly hash: string;
  readonly transactions: readonly {
    readonly hash: string;
    readonly endpoint: string;
    readonly digest: string;
    readonly logs_digest: string;
    readonly leaves_out: Block['leavesOut'] | null;
  }[];
}

async function findDue({
  sql,
  chain,
  attestWaitMs,
}: AskDeps): Promise<{ readonly blocks: readonly UnprovedBlock[]; readonly hasWaiting: boolean }> {
  const { rows } = await sql.query<DueRow>({
    name: 'find_attested',
    text: `SELECT u.block_number AS number, u.block_hash AS hash, json_agg(json_build_object('hash', u.hash, 'endpoint', u.endpoint, 'digest', encode(u.digest, 'hex'),
         'logs_digest', encode(u.logs_digest, 'hex'), 'leaves_out', u.leaves_out)) AS transactions
       FROM unproved_transactions u WHERE u.chain_gid = $1 AND u.verdict = 'attested' AND u.due_at <= clock_timestamp()
       GROUP BY 1, 2 ORDER BY min(u.due_at), 1, 2 LIMIT ${BLOCKS_MAX}`,
    values: [chain.gid],
  });
  const { rows: waiting } = await sql.query<{ has_waiting: boolean }>({
    name: 'find_waited',
    text: `SELECT EXISTS (SELECT FROM unproved_transactions u JOIN transactions t ON ${IS_WITHHELD_BY} WHERE u.chain_gid = $1 AND ${hasWaited('$2')}) AS has_waiting`,
    values: [chain.gid, attestWaitMs],
  });
  return {
    hasWaiting: waiting[0]!.has_waiting,
    blocks: rows.map(({ number, hash, transactions }) => ({
      number,
      hash,
      transactions: transactions.map(({ logs_digest: logsDigest, leaves_out: leavesOut, ...told }) => ({
        ...told,
        attested: { logsDigest, leavesOut: leavesOut ?? undefined },
      })),
    })),
  };
}

interface AttestedAnswers {
  /** Blocks that others were asked about. */
  readonly asked: readonly BlockRef[];
  readonly verdicts: readonly Verdict[];
  /** A transaction waits no longer than this for an answer. */
  readonly waitMs: number;
}

/** Others are asked for so long. */
const ASKED_FOR = `interval '1 hour'`;

/**
 * One transaction: writes what endpoints of other operators say of attested transactions, releases those that waited long
 * enough, and confirms what is final of both.
 */
function commitAttested({ asked, verdicts, waitMs }: AttestedAnswers): WriterWork<void> {
  return async ({ chain, advance: { cursor }, now }) => {
    const events = await chain.share.transaction(async (sql) => {
      await postpone(sql, chain, asked);
      const agreed = verdicts.filter(({ verdict }) => verdict === 'agreed');
      const isAgreed = agreed.length > 0 && (await agree(sql, chain, agreed));
      for (const block of asked) {
        const contradicted = verdicts.filter(
          ({ verdict, blockHash }) => verdict === 'contradicted' && blockHash === block.hash,
        );
        if (contradicted.length > 0) await contradict(sql, chain, { block, verdicts: contradicted });
      }
      const isReleased = await releaseWaited(sql, chain, waitMs);
      if ((!isAgreed && !isReleased) || cursor.confirmedNumber === undefined) return [];
      const options = { headNumber: cursor.number ?? cursor.confirmedNumber, isHeld: isHolding(cursor), now };
      return confirmTransactions(sql, { chain, finality: { number: cursor.confirmedNumber }, options });
    });
    return { value: undefined, events };
  };
}

/** Whoever did not answer is asked again, ever more seldom. */
async function postpone(sql: Sql, chain: ChainContext, asked: readonly BlockRef[]): Promise<void> {
  if (asked.length === 0) return;
  await sql.query(
    `UPDATE unproved_transactions SET due_at = clock_timestamp() + least(greatest(clock_timestamp() - created_at, interval '1 second'), interval '1 minute')
     WHERE chain_gid = $1 AND block_hash = ANY($2) AND verdict = 'attested'`,
    [chain.gid, asked.map(({ hash }) => hash)],
  );
}

/** False when nothing was withheld that could be released. */
async function agree(sql: Sql, chain: ChainContext, verdicts: readonly Verdict[]): Promise<boolean> {
  const params = new SqlParams();
  const source = unnestVerdicts(params, verdicts);
  const gid = params.add(chain.gid, 'text');
  const { rows } = await sql.query<{ was_withheld: boolean }>(
    `WITH agreed AS (
       DELETE FROM unproved_transactions u USING ${source} AS v (block_hash, hash, digest)
       WHERE u.chain_gid = ${gid} AND u.block_hash = v.block_hash AND u.hash = v.hash AND u.digest = v.digest AND u.verdict = 'attested'
       RETURNING u.block_hash, u.hash
     ), before AS (
       SELECT t.id, t.is_withheld FROM transactions t JOIN agreed a ON t.chain_gid = ${gid} AND t.block_hash = a.block_hash AND t.hash = a.hash
       WHERE t.verification = 'attested'
     )
     UPDATE transactions t SET verification = 'agreed', is_withheld = false FROM before WHERE t.id = before.id RETURNING before.is_withheld AS was_withheld`,
    params.values,
  );
  return rows.some((row) => row.was_withheld);
}

/** An incident, and nobody is credited: what was confirmed before stays, as the other endpoint may be the liar. */
async function contradict(
  sql: Sql,
  chain: ChainContext,
  { block, verdicts }: { readonly block: BlockRef; readonly verdicts: readonly Verdict[] },
): Promise<void> {
  const incidentIds = await recordTaken(sql, chain, {
    ...block,
    unknowns: [attestedDifferently(verdicts.map(({ hash }) => hash))],
  });
  const params = new SqlParams();
  const source = unnestVerdicts(params, verdicts);
  const gid = params.add(chain.gid, 'text');
  const ids = params.add(incidentIds, 'uuid[]');
  await sql.query(
    `WITH contradicted AS (
       UPDATE unproved_transactions u SET verdict = 'contradicted', incident_ids = ${ids} FROM ${source} AS v (block_hash, hash, digest)
       WHERE u.chain_gid = ${gid} AND u.block_hash = v.block_hash AND u.hash = v.hash AND u.digest = v.digest AND u.verdict = 'attested'
       RETURNING u.block_hash, u.hash
     ), named AS (UPDATE incidents SET is_contradicted = true WHERE id = ANY(${ids}))
     UPDATE transactions t SET verification = 'unproved', is_unproved = true, is_withheld = true FROM contradicted c
     WHERE t.chain_gid = ${gid} AND t.block_hash = c.block_hash AND t.hash = c.hash AND t.verification = 'attested' AND t.confirmed_at IS NULL`,
    params.values,
  );
}

/** What nobody contradicted in time is confirmed as ever, and asked about for a while. */
async function releaseWaited(sql: Sql, chain: ChainContext, waitMs: number): Promise<boolean> {
  const { rowCount } = await sql.query(
    `UPDATE transactions t SET is_withheld = false FROM unproved_transactions u
     WHERE u.chain_gid = $1 AND ${hasWaited('$2')} AND ${IS_WITHHELD_BY}`,
    [chain.gid, waitMs],
  );
  await sql.query(
    `DELETE FROM unproved_transactions WHERE chain_gid = $1 AND verdict = 'attested' AND incident_ids = '{}' AND created_at < clock_timestamp() - ${ASKED_FOR}`,
    [chain.gid],
  );
  return (rowCount ?? 0) > 0;
}

/** Condition on a row `u` of unproved_transactions: time alone releases what nobody ever contradicted. */
const hasWaited = (waitMs: string): string =>
  `u.verdict = 'attested' AND u.incident_ids = '{}' AND u.created_at <= clock_timestamp() - ${waitMs} * interval '1 ms'`;

/** Condition on a row `u` of unproved_transactions and a transaction `t`. */
const IS_WITHHELD_BY = `t.is_withheld AND t.verification = 'attested' AND t.chain_gid = u.chain_gid AND t.block_hash = u.block_hash AND t.hash = u.hash`;

function unnestVerdicts(params: SqlParams, verdicts: readonly Verdict[]): string {
  return params.unnest(verdicts, [
    ['text', ({ blockHash }) => blockHash],
    ['text', ({ hash }) => hash],
    ['bytea', ({ digest }) => digest],
  ]);
}
