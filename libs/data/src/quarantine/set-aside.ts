// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '../db/index.ts';
import { describeFault } from './is-item-fault.ts';

/** What is set aside, and where it made a step fail. */
export interface SetAside {
  /** The step that it made fail: `balances`, `analysis`, `confirmation`, `progress`, `history`, `backfill`, `mempool`, `assets`, `dispatch`, `records`, `channels`. */
  readonly step: string;
  readonly subject: {
    readonly type: 'address' | 'asset' | 'transaction' | 'event' | 'channel';
    readonly id: string;
  };
  /** Whose it is; absent: of nobody alone. */
  readonly projectId?: string | undefined;
  /** With it the incident ends. */
  readonly addressId?: string | undefined;
  /** Of a balance: which one of the address. */
  readonly assetGid?: string | undefined;
  readonly block: { readonly number: number; readonly hash: string };
  readonly error: unknown;
}

/** Once a day what is set aside is tried again. */
export const RETRY_EVERY = "interval '1 day'";

/** Names in an open transaction what is set aside from now on. What is set aside already keeps its incident. */
export async function setAside(sql: Sql, chainGid: string, items: readonly SetAside[]): Promise<void> {
  if (items.length === 0) return;
  await sql.query(
    `INSERT INTO incidents AS i (chain_gid, kind, status, block_number, block_hash, last_block_number, transaction_hash, expected, got,
       subject_type, subject_id, project_id, address_id, asset_gid, retry_at)
     SELECT $1, 'poison:' || s.step, 'quarantined', s.number, s.hash, s.number, CASE s.type WHEN 'transaction' THEN s.id END,
       'an item that can be processed', s.got, s.type, s.id, s.project_id, s.address_id, s.asset_gid, clock_timestamp() + ${RETRY_EVERY}
     FROM unnest($2::text[], $3::text[], $4::text[], $5::uuid[], $6::uuid[], $7::text[], $8::bigint[], $9::text[], $10::text[])
       AS s (step, type, id, project_id, address_id, asset_gid, number, hash, got)
     -- It may have been deleted since it was tried: then nothing is left to set aside.
     WHERE (s.project_id IS NULL OR EXISTS (SELECT FROM projects p WHERE p.id = s.project_id FOR KEY SHARE))
       AND (s.address_id IS NULL OR EXISTS (SELECT FROM addresses a WHERE a.id = s.address_id FOR KEY SHARE))
     ON CONFLICT (chain_gid, kind, subject_type, subject_id, coalesce(asset_gid, ''), coalesce(project_id, '00000000-0000-0000-0000-000000000000'))
       WHERE status = 'quarantined'
     DO UPDATE SET got = excluded.got, retry_at = excluded.retry_at,
       block_number = excluded.block_number, block_hash = excluded.block_hash, last_block_number = excluded.last_block_number`,
    [
      chainGid,
      items.map(({ step }) => step),
      items.map(({ subject }) => subject.type),
      items.map(({ subject }) => subject.id),
      items.map(({ projectId }) => projectId ?? null),
      items.map(({ addressId }) => addressId ?? null),
      items.map(({ assetGid }) => assetGid ?? null),
      items.map(({ block }) => block.number),
      items.map(({ block }) => block.hash),
      items.map(({ error }) => describeFault(error)),
    ],
  );
}
