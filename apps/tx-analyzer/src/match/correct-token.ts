// SPDX-License-Identifier: Apache-2.0
import { splitAssetGid } from '@chainwatch/common/caip';
import type { TokenMetadata } from '@chainwatch/chain-core';
import type { Database, Sql } from '@chainwatch/data/db';
import { tokenIdOf } from '@chainwatch/events';
import { endSetAside } from '@chainwatch/data/quarantine';
import { multiplierJson } from './refresh-multipliers.ts';

/** Kind of the incident of a token that events told with other decimals than it has; its asset follows. */
export const DECIMALS_INCIDENT = 'decimals:';
/** An entry of the audit log names so many events at most, the incident what fits its text. */
const EVENTS_MAX = 1_000;
const NAMED_MAX = 10;
const NOBODY = '00000000-0000-0000-0000-000000000000';

interface Correction {
  readonly chainGid: string;
  readonly gid: string;
  /** What the chain says now; undefined: the contract answers as no token does. */
  readonly found: TokenMetadata | undefined;
}

/**
 * Stores what an active token says of itself now, and resolves to its decimals and kind. Where other decimals were told before, the audit
 * logs of those who were told and an incident name the events. What a contract does not say any more is kept, but for 0, which
 * the release before put in place of no answer.
 */
export async function correctToken(
  db: Database,
  { chainGid, gid, found }: Correction,
): Promise<{ readonly decimals: number | undefined; readonly isNft: boolean }> {
  return db.transaction(async (sql) => {
    // The analyzer and whoever reads lists wait, as for decimals that become known (apply_decimals.sql).
    await sql.query('SELECT FROM analyzer_states WHERE chain_gid = $1 FOR UPDATE', [chainGid]);
    const { rows } = await sql.query<{ decimals: number | null; type: string }>(
      'SELECT decimals, type FROM assets WHERE gid = $1 FOR UPDATE',
      [gid],
    );
    const before = rows[0]?.decimals ?? undefined;
    const isNft = found === undefined ? rows[0]?.type === 'nft' : found.isNft === true;
    const decimals = found?.decimals ?? (before === 0 || isNft ? undefined : before);
    await sql.query(
      `UPDATE assets SET name = coalesce($2, name), symbol = coalesce($3, symbol), decimals = $4, is_reread_due = false, type = $5,
         ui_multiplier = $6, ui_read_at = CASE WHEN $6::jsonb IS NOT NULL THEN now() ELSE ui_read_at END,
         attempt_count = CASE WHEN is_reread_due THEN 0 ELSE attempt_count END, updated_at = now() WHERE gid = $1`,
      [
        gid,
        found?.name ?? null,
        found?.symbol ?? null,
        decimals ?? null,
        isNft ? 'nft' : 'fungible',
        multiplierJson(found),
      ],
    );
    await endSetAside(sql, chainGid, { step: 'assets', subjectIds: [gid] });
    if (before !== undefined && before !== decimals)
      await nameWrongEvents(sql, { chainGid, gid, before, decimals });
    return { decimals, isNft };
  });
}

interface Wrong {
  readonly chainGid: string;
  readonly gid: string;
  readonly before: number;
  readonly decimals: number | undefined;
}

interface WrongEvent {
  readonly event_id: string;
  readonly workspace_id: string;
  readonly block_number: number;
  readonly block_hash: string;
  readonly hash: string | null;
}

async function nameWrongEvents(sql: Sql, wrong: Wrong): Promise<void> {
  const events = await findWrongEvents(sql, wrong);
  const { gid, before, decimals } = wrong;
  for (const workspaceId of new Set(events.map(({ workspace_id }) => workspace_id))) {
    const own = events.filter(({ workspace_id }) => workspace_id === workspaceId);
    await sql.query(
      `INSERT INTO audit_logs (workspace_id, actor_type, actor_key_id, actor_name, actor_mask, action, target_type, target_id, changes, request_id)
       VALUES ($1, 'service', $2, 'tx-analyzer', '', 'token.corrected', 'token', $3, $4, '')`,
      [
        workspaceId,
        NOBODY,
        tokenIdOf(gid),
        JSON.stringify({
          gid: { from: gid, to: gid },
          decimals: { from: before, to: decimals ?? null },
          events_told_wrong: { from: null, to: own.slice(0, EVENTS_MAX).map(({ event_id }) => event_id) },
        }),
      ],
    );
  }
  if (events.length > 0) await openIncident(sql, wrong, events);
}

/** Those of transactions first, each in the order of blocks. */
async function findWrongEvents(sql: Sql, { chainGid, gid, before }: Wrong): Promise<readonly WrongEvent[]> {
  const told = await sql.query<WrongEvent>(
    `SELECT e.event_id, j.workspace_id, x.block_number, x.block_hash, x.hash
     FROM (SELECT DISTINCT transaction_id FROM transfers WHERE asset_gid = $1) r JOIN transactions x ON x.id = r.transaction_id
     JOIN event_log e ON e.transaction_id = x.id JOIN projects j ON j.id = e.project_id
     WHERE x.block_number IS NOT NULL AND EXISTS (SELECT FROM jsonb_array_elements(e.payload::jsonb #> '{data,transaction,transfers}') m
       WHERE m ->> 'asset_gid' = $1 AND (m ->> 'decimals')::int = $2)
     ORDER BY x.block_number, e.id`,
    [gid, before],
  );
  const balances = await sql.query<WrongEvent>(
    `SELECT e.event_id, j.workspace_id, (e.payload::jsonb #>> '{data,block_number}')::bigint AS block_number,
       e.payload::jsonb #>> '{data,block_hash}' AS block_hash, NULL AS hash
     FROM assets a CROSS JOIN (
       SELECT project_id FROM project_assets WHERE asset_gid = $1
       UNION SELECT o.project_id FROM balances b JOIN addresses o ON o.id = b.address_id WHERE b.asset_gid = $1) p
     JOIN projects j ON j.id = p.project_id
     JOIN event_log e ON e.project_id = j.id AND e.type = 'balance.changed' AND NOT e.is_held AND e.subject_kind <> 'test'
       AND e.chain_gid = $2 AND e.created_at >= a.created_at
     WHERE a.gid = $1 AND e.payload::jsonb #>> '{data,asset_gid}' = $1 AND e.payload::jsonb #>> '{data,current}' IS NOT NULL
     ORDER BY block_number, e.id`,
    [gid, chainGid],
  );
  return [...told.rows, ...balances.rows];
}

/** One of a token is open at a time: it grows. */
async function openIncident(
  sql: Sql,
  { chainGid, gid, before, decimals }: Wrong,
  events: readonly WrongEvent[],
): Promise<void> {
  const { namespace, reference } = splitAssetGid(gid);
  const inOrder = events.toSorted((a, b) => a.block_number - b.block_number);
  const [first, last] = [inOrder[0]!, inOrder.at(-1)!];
  const named = events.slice(0, NAMED_MAX).map(({ event_id }) => event_id);
  const rest = events.length - named.length;
  await sql.query(
    `INSERT INTO incidents AS i (chain_gid, kind, block_number, block_hash, last_block_number, transaction_hash, expected, got)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ON CONFLICT (chain_gid, kind) WHERE status = 'open' DO UPDATE SET
       last_block_number = GREATEST(i.last_block_number, EXCLUDED.last_block_number), expected = EXCLUDED.expected, got = EXCLUDED.got`,
    [
      chainGid,
      `${DECIMALS_INCIDENT}${namespace}:${reference}`,
      first.block_number,
      first.block_hash,
      last.block_number,
      events.find(({ hash }) => hash !== null)?.hash ?? null,
      decimals === undefined ? 'decimals that nobody knows' : `${decimals} decimals`,
      `${before} decimals in ${events.length} events: ${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`,
    ],
  );
}
