// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import { describePublicly, type Network } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import type { Logger, WorkerHealth } from '@chainwatch/platform/telemetry';

interface RereadDeps {
  readonly sql: Sql;
  readonly network: Pick<Network, 'gid' | 'family'>;
  readonly health: WorkerHealth;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly pollMs: number;
}

/**
 * After blocks were skipped, asks for the balances of every watched address of the chain, a page at a time: however many
 * there are, no statement is long. The next page is stored with the page before, so another owner goes on there. Tokens that
 * projects registered are asked for beside.
 */
export async function readBalancesAgain(deps: RereadDeps): Promise<void> {
  const { sql, network, health, logger, signal, pollMs } = deps;
  while (!signal.aborted) {
    try {
      while (!signal.aborted && (await askForPage(sql, network)));
      await askForTokenPage(sql, network);
      health.succeed();
    } catch (error) {
      if (signal.aborted) return;
      health.fail(describePublicly(error));
      logger.warn({ chain_gid: network.gid, err: error }, 'failed to queue balance reads, will retry');
    }
    await delay(pollMs, undefined, { signal }).catch(() => undefined);
  }
}

/**
 * Asks for one page, of addresses of any family. What was asked for since the blocks were skipped is not asked for
 * again; an older request may have been answered before them.
 * @returns false if there is none
 */
export async function askForPage(
  sql: Sql,
  { gid, family }: RereadDeps['network'],
  pageRows = 2_000,
): Promise<boolean> {
  const { rowCount } = await sql.query({
    name: 'ask_for_balances_after_skip',
    text: `WITH due AS MATERIALIZED (
             SELECT id, reread_after, reread_asked_at FROM skips WHERE chain_gid = $1 AND reread_after IS NOT NULL
             ORDER BY id LIMIT 1 FOR UPDATE),
           page AS MATERIALIZED (
             SELECT a.id, a.chain_family = $2 AND a.is_monitored AS is_watched FROM addresses a
             WHERE a.id > (SELECT reread_after FROM due) ORDER BY a.id LIMIT $3),
           asked AS (
             INSERT INTO balance_reads (chain_gid, address_id, reason)
             SELECT $1, p.id, 'imported' FROM page p, due
             WHERE p.is_watched AND NOT EXISTS (SELECT FROM balance_reads q WHERE q.address_id = p.id AND q.chain_gid = $1
               AND q.reason = 'imported' AND q.asset_gid IS NULL AND q.created_at >= due.reread_asked_at))
           UPDATE skips s SET reread_after = CASE WHEN (SELECT count(*) FROM page) = $3
             THEN (SELECT id FROM page ORDER BY id DESC LIMIT 1) END
           FROM due WHERE s.id = due.id`,
    values: [gid, family, pageRows],
  });
  return rowCount === 1;
}

/**
 * A project registered a token that its addresses may have held before: asks for their balances of it, a page at a time. The
 * next page comes once the chain's pages before are read, and of several tokens the one that is least advanced comes first,
 * so that a project with many addresses or tokens delays no other one for longer than a page takes.
 * @returns false if there is none, or the last one is not read yet
 */
export async function askForTokenPage(
  sql: Sql,
  { gid, family }: Pick<Network, 'gid' | 'family'>,
  pageRows = 500,
): Promise<boolean> {
  const { rowCount } = await sql.query({
    name: 'ask_for_balances_of_token',
    text: `WITH due AS MATERIALIZED (
             SELECT project_id, asset_gid, read_after, read_after_id FROM project_assets
             WHERE chain_gid = $1 AND read_after IS NOT NULL
               AND NOT EXISTS (SELECT FROM balance_reads WHERE chain_gid = $1 AND reason = 'imported' AND asset_gid IS NOT NULL)
             ORDER BY read_after, read_after_id LIMIT 1 FOR UPDATE),
           page AS MATERIALIZED (
             SELECT a.id, a.created_at, a.chain_family = $2 AND a.is_monitored AS is_watched FROM due, addresses a
             WHERE a.project_id = due.project_id AND (a.created_at, a.id) > (due.read_after, due.read_after_id)
             ORDER BY a.created_at, a.id LIMIT $3),
           asked AS (
             INSERT INTO balance_reads (chain_gid, address_id, asset_gid, reason)
             SELECT $1, p.id, due.asset_gid, 'imported' FROM page p, due WHERE p.is_watched),
           last AS (SELECT created_at, id FROM page ORDER BY created_at DESC, id DESC LIMIT 1)
           UPDATE project_assets t SET
             read_after = CASE WHEN (SELECT count(*) FROM page) = $3 THEN (SELECT created_at FROM last) END,
             read_after_id = CASE WHEN (SELECT count(*) FROM page) = $3 THEN (SELECT id FROM last) END
           FROM due WHERE t.project_id = due.project_id AND t.asset_gid = due.asset_gid`,
    values: [gid, family, pageRows],
  });
  return rowCount === 1;
}
