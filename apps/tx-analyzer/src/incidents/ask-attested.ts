// SPDX-License-Identifier: Apache-2.0
import type { Block, FailoverClient } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/db';
import type { Logger } from '@chainwatch/telemetry';
import type { WriterQueue } from '../commit/writer-queue.ts';
import { askWitnesses, type UnprovedBlock } from './ask-witnesses.ts';
import { commitAttested, hasWaited, IS_WITHHELD_BY } from './commit-attested.ts';

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
