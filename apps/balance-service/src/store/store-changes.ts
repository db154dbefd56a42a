// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import { uuidv5, type OwnData } from '@chainwatch/events';
import { OWN_DATA_COLUMNS, ownDataOf, type OwnDataRow } from '@chainwatch/data/outbox';
import { insertDoubts } from './store-doubts.ts';
import { insertEvents, type BalanceEvent } from './insert-events.ts';
import { lockBaseBlocks } from '../plan/base-blocks.ts';
import type { ExplainedChange } from '../plan/explain-change.ts';
import { encodeSums } from '../plan/sums.ts';
import type { Plan } from '../plan/plan-changes.ts';
import type { Correction } from '../plan/read-retroactive-corrections.ts';

interface StoredChanges {
  readonly chainGid: string;
  /** Work that is done with this. */
  readonly readIds: readonly number[];
  readonly plan: Plan;
  readonly now: Date;
}

/**
 * In an open transaction, writes balances, history, adjustments and events, and removes the work that is done.
 * Returns the events. Undefined: the plan's blocks have changed, and nothing is written.
 */
export async function storeChanges(
  sql: Sql,
  { chainGid, readIds, plan, now }: StoredChanges,
): Promise<BalanceEvent[] | undefined> {
  // Addresses are locked first, as by whoever deletes one: their work and balances are deleted with them.
  const [isUnchanged, owned] = await Promise.all([
    lockBaseBlocks(sql, plan.baseBlocks),
    lockAddresses(sql, plan),
  ]);
  if (!isUnchanged) return undefined;
  const changes = plan.changes.filter(({ reading }) => owned.has(reading.addressId));
  const corrections = plan.corrections.filter(({ target }) => owned.has(target.addressId));
  // Sent one after the other without waiting in between. Events come last, because the analyzer waits for
  // their counters.
  const writes = [
    deleteReads(sql, readIds),
    upsertBalances(sql, { chainGid, changes, confirmedNumber: plan.state.confirmedNumber }),
    shiftSums(sql, corrections),
    insertHistory(sql, chainGid, changes),
    insertDoubts(sql, chainGid, plan.doubts),
    replaceAdjustments(sql, {
      chainGid,
      corrected: corrections,
      adjustments: [
        ...corrections,
        ...changes.map(({ reading, adjustmentRaw, adjustedSince }) => ({
          target: reading,
          adjustmentRaw,
          after: adjustedSince,
          block: reading.block,
        })),
      ],
    }),
  ];
  const events = insertEvents(
    sql,
    changes
      .filter((change) => change.isNotified)
      .map((change) => ({ ...change, own: owned.get(change.reading.addressId)! })),
    { chainGid, confirmedNumber: plan.state.confirmedNumber, now },
  );
  await awaitAll([...writes, events]);
  return events;
}

/** What was set aside and could be stored now is set aside no longer. */
function deleteReads(sql: Sql, readIds: readonly number[]): Promise<unknown> {
  return sql.query({
    name: 'delete_balance_reads',
    text: `WITH done AS (DELETE FROM balance_reads WHERE id = ANY($1) RETURNING reason, address_id, asset_gid)
           UPDATE incidents i SET status = 'resolved', resolved_at = now() FROM done d
           WHERE d.reason = 'retry' AND i.status = 'quarantined' AND i.kind = 'poison:balances' AND i.address_id = d.address_id AND i.asset_gid = d.asset_gid`,
    values: [readIds],
  });
}

/** Like Promise.all, but waits until all have ended: no statement may run after the end of the transaction. */
async function awaitAll(writes: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(writes);
  await Promise.all(writes);
}

async function replaceAdjustments(
  sql: Sql,
  {
    chainGid,
    corrected,
    adjustments,
  }: {
    readonly chainGid: string;
    readonly corrected: readonly Correction[];
    readonly adjustments: readonly Adjustment[];
  },
): Promise<void> {
  if (corrected.length > 0) {
    await sql.query('DELETE FROM adjustments WHERE id = ANY($1)', [
      corrected.map(({ target, block }) => adjustmentIdOf(target, block.hash)),
    ]);
  }
  await insertAdjustments(sql, chainGid, adjustments);
}

/** Adds to what was counted from the readings of corrections on. */
async function shiftSums(sql: Sql, corrections: readonly Correction[]): Promise<void> {
  const shifts = corrections.filter(({ shift }) => Object.keys(shift).length > 0);
  await awaitAll(
    shifts.map(({ target, block, shift }) =>
      sql.query({
        name: 'shift_sums',
        text: `UPDATE balance_history h SET sums = (
                 SELECT coalesce(jsonb_object_agg(reason, total::text) FILTER (WHERE total <> 0), '{}') FROM (
                   SELECT reason, sum(amount::numeric) AS total FROM (
                     SELECT key, value FROM jsonb_each_text(h.sums) UNION ALL SELECT key, value FROM jsonb_each_text($4::jsonb)) AS e (reason, amount)
                   GROUP BY reason) s)
               WHERE h.address_id = $1 AND h.asset_gid = $2 AND h.block_number >= $3 AND h.sums IS NOT NULL`,
        values: [target.addressId, target.assetGid, block.number, encodeSums(shift)],
      }),
    ),
  );
}

/** While the chain was asked, an address may have been deleted or its monitoring ended. */
async function lockAddresses(sql: Sql, { changes, corrections }: Plan): Promise<Map<string, OwnData>> {
  const ids = [
    ...new Set([
      ...changes.map(({ reading }) => reading.addressId),
      ...corrections.map(({ target }) => target.addressId),
    ]),
  ];
  if (ids.length === 0) return new Map();
  const { rows } = await sql.query<OwnDataRow & { id: string }>({
    name: 'lock_addresses',
    text: `SELECT a.id, ${OWN_DATA_COLUMNS} FROM addresses a WHERE a.id = ANY($1) AND a.is_monitored ORDER BY a.id FOR KEY SHARE`,
    values: [ids],
  });
  return new Map(rows.map((row) => [row.id, ownDataOf(row)]));
}

async function upsertBalances(
  sql: Sql,
  {
    chainGid,
    changes,
    confirmedNumber,
  }: {
    readonly chainGid: string;
    readonly changes: readonly ExplainedChange[];
    readonly confirmedNumber: number;
  },
): Promise<void> {
  if (changes.length === 0) return;
  await sql.query({
    name: 'upsert_balances',
    text: `INSERT INTO balances (address_id, asset_gid, chain_gid, amount_raw, block_number, block_hash, is_confirmed, change_count, told_sums, told_block)
     SELECT t.address_id, t.asset_gid, $1, t.amount_raw, t.number, t.hash, t.number <= $2, t.change_count, t.told_sums, t.told_block
     FROM unnest($3::uuid[], $4::text[], $5::numeric[], $6::bigint[], $7::text[], $8::bigint[], $9::jsonb[], $10::bigint[])
       AS t (address_id, asset_gid, amount_raw, number, hash, change_count, told_sums, told_block)
     ON CONFLICT (address_id, asset_gid) DO UPDATE SET amount_raw = excluded.amount_raw, block_number = excluded.block_number, block_hash = excluded.block_hash,
       is_confirmed = excluded.is_confirmed, change_count = excluded.change_count, told_sums = excluded.told_sums, told_block = excluded.told_block, updated_at = now()`,
    values: [
      chainGid,
      confirmedNumber,
      changes.map(({ reading }) => reading.addressId),
      changes.map(({ reading }) => reading.assetGid),
      changes.map(({ reading }) => reading.amountRaw),
      changes.map(({ block }) => block.number),
      changes.map(({ block }) => block.hash),
      changes.map((change) => change.changeCount),
      changes.map(({ toldSums }) => encodeSums(toldSums)),
      changes.map(({ toldBlock }) => toldBlock),
    ],
  });
}

async function insertHistory(sql: Sql, chainGid: string, changes: readonly ExplainedChange[]): Promise<void> {
  const rows = changes.flatMap(({ reading, isAnchor, sums }) => {
    const { parent, baselineRaw } = reading;
    const base =
      parent === undefined || baselineRaw === undefined
        ? []
        : [{ reading, block: parent, amountRaw: baselineRaw, sums: {} }];
    return isAnchor ? [...base, { reading, block: reading.block, amountRaw: reading.amountRaw, sums }] : base;
  });
  if (rows.length === 0) return;
  await sql.query({
    name: 'insert_history',
    text: `INSERT INTO balance_history (address_id, asset_gid, chain_gid, block_number, block_hash, amount_raw, sums)
     SELECT t.address_id, t.asset_gid, $1, t.number, t.hash, t.amount_raw, t.sums
     FROM unnest($2::uuid[], $3::text[], $4::bigint[], $5::text[], $6::numeric[], $7::jsonb[]) AS t (address_id, asset_gid, number, hash, amount_raw, sums)
     ON CONFLICT (address_id, asset_gid, block_number, block_hash) DO UPDATE SET amount_raw = excluded.amount_raw, sums = excluded.sums`,
    values: [
      chainGid,
      rows.map(({ reading }) => reading.addressId),
      rows.map(({ reading }) => reading.assetGid),
      rows.map(({ block }) => block.number),
      rows.map(({ block }) => block.hash),
      rows.map(({ amountRaw }) => amountRaw),
      rows.map(({ sums }) => encodeSums(sums)),
    ],
  });
}

interface Adjustment {
  readonly target: { readonly addressId: string; readonly projectId: string; readonly assetGid: string };
  readonly adjustmentRaw: bigint;
  readonly after: number;
  readonly block: { readonly number: number; readonly hash: string };
}

const adjustmentIdOf = ({ addressId, assetGid }: Adjustment['target'], blockHash: string): string =>
  uuidv5(['adjustment', addressId, assetGid, blockHash].join('|'));

/** A second difference at the same block adds to the first one. */
async function insertAdjustments(
  sql: Sql,
  chainGid: string,
  adjustments: readonly Adjustment[],
): Promise<void> {
  const byId = new Map<string, Adjustment>();
  for (const adjustment of adjustments) {
    if (adjustment.adjustmentRaw === 0n) continue;
    const id = adjustmentIdOf(adjustment.target, adjustment.block.hash);
    const same = byId.get(id);
    byId.set(
      id,
      same === undefined
        ? adjustment
        : { ...same, adjustmentRaw: same.adjustmentRaw + adjustment.adjustmentRaw },
    );
  }
  if (byId.size === 0) return;
  const rows = [...byId];
  await sql.query(
    `INSERT INTO adjustments (id, address_id, project_id, chain_gid, asset_gid, amount_raw, from_block, block_number, block_hash)
     SELECT t.id, t.address_id, t.project_id, $1, t.asset_gid, t.amount_raw, t.from_block, t.number, t.hash
     FROM unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::numeric[], $7::bigint[], $8::bigint[], $9::text[])
       AS t (id, address_id, project_id, asset_gid, amount_raw, from_block, number, hash)
     ON CONFLICT (id) DO UPDATE SET amount_raw = adjustments.amount_raw + excluded.amount_raw`,
    [
      chainGid,
      rows.map(([id]) => id),
      rows.map(([, { target }]) => target.addressId),
      rows.map(([, { target }]) => target.projectId),
      rows.map(([, { target }]) => target.assetGid),
      rows.map(([, { adjustmentRaw }]) => adjustmentRaw),
      rows.map(([, { after }]) => after),
      rows.map(([, { block }]) => block.number),
      rows.map(([, { block }]) => block.hash),
    ],
  );
}
