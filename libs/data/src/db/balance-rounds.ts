// SPDX-License-Identifier: Apache-2.0
import type { BlockRef } from '@chainwatch/chain-core';
import type { Sql } from './database.ts';

/** How far a chain's round is: addresses are read in the order of (address, id). */
export interface RoundPosition {
  /** Undefined: at the beginning. */
  readonly after: { readonly address: string; readonly id: string } | undefined;
  readonly isEnded: boolean;
  /** Since the start of this round, by the database's clock. */
  readonly ageMs: number;
}

interface Row {
  readonly after_address: string | null;
  readonly after_id: string | null;
  readonly is_ended: boolean;
  readonly age_ms: number;
}

/** Undefined: the chain had no round yet. */
export async function readPosition(sql: Sql, chainGid: string): Promise<RoundPosition | undefined> {
  const { rows } = await sql.query<Row>({
    name: 'read_round',
    text: `SELECT after_address, after_id, ended_at IS NOT NULL AS is_ended, extract(epoch FROM now() - started_at)::float * 1000 AS age_ms
           FROM balance_rounds WHERE chain_gid = $1`,
    values: [chainGid],
  });
  const [row] = rows;
  if (row === undefined) return undefined;
  const { after_address: address, after_id: id } = row;
  return {
    after: address === null || id === null ? undefined : { address, id },
    isEnded: row.is_ended,
    ageMs: row.age_ms,
  };
}

/** Begins a round. `final`: the last final block; every reading of the round is of this block or of a later one. */
export async function startRound(sql: Sql, chainGid: string, final: BlockRef | undefined): Promise<void> {
  await sql.query(
    `INSERT INTO balance_rounds (chain_gid, started_at, started_number, started_hash) VALUES ($1, now(), $2, $3)
     ON CONFLICT (chain_gid) DO UPDATE SET previous_at = balance_rounds.started_at, previous_number = balance_rounds.started_number,
       previous_hash = balance_rounds.started_hash, started_at = now(), started_number = excluded.started_number,
       started_hash = excluded.started_hash, after_address = NULL, after_id = NULL, ended_at = NULL`,
    [chainGid, final?.number ?? null, final?.hash ?? null],
  );
}

/** Addresses up to `after` are read. `isLast`: so are all. */
export async function moveRound(
  sql: Sql,
  chainGid: string,
  { after, isLast }: { readonly after: RoundPosition['after']; readonly isLast: boolean },
): Promise<void> {
  await sql.query({
    name: 'move_round',
    text: `UPDATE balance_rounds SET after_address = coalesce($2, after_address), after_id = coalesce($3, after_id), ended_at = CASE WHEN $4 THEN now() END WHERE chain_gid = $1`,
    values: [chainGid, after?.address ?? null, after?.id ?? null, isLast],
  });
}

/** Seconds since the oldest reading: since the round began that has read every address, or the first one. Undefined: there was none. */
export async function readRoundAge(sql: Sql, chainGid: string): Promise<number | undefined> {
  const { rows } = await sql.query<{ age_s: number | null }>({
    name: 'read_round_age',
    text: `SELECT extract(epoch FROM now() - CASE WHEN ended_at IS NULL THEN coalesce(previous_at, started_at) ELSE started_at END)::float AS age_s
           FROM balance_rounds WHERE chain_gid = $1`,
    values: [chainGid],
  });
  return rows[0]?.age_s ?? undefined;
}

/** The chain has no round: nobody can read its balances again, or there is none to read. */
export async function forgetRound(sql: Sql, chainGid: string): Promise<void> {
  await sql.query({
    name: 'forget_round',
    text: 'DELETE FROM balance_rounds WHERE chain_gid = $1',
    values: [chainGid],
  });
}
