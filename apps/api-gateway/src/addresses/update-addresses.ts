// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import type { Sql } from '@chainwatch/data/db';
import { groupsSchema, labelSchema, metadataSchema } from '../records/address-input.ts';
import { findNetworkGids } from './parse-address.ts';
import { watchFromHead } from './watch-address.ts';

/** What may be changed of an address, for bodies. */
export const addressChanges = {
  label: labelSchema
    .nullable()
    .optional()
    .meta({ description: 'Optional name. Null removes it.', examples: ['Treasury'] }),
  metadata: metadataSchema.optional().meta({
    description: 'Your own JSON. Replaces the current metadata.',
    examples: [{ customer_id: '1042' }],
  }),
  groups: groupsSchema
    .optional()
    .meta({ description: 'Its groups, in place of those it was in.', examples: [['customers', 'eu']] }),
  is_monitored: z
    .boolean()
    .optional()
    .meta({ description: 'Whether transactions of the address are reported.' }),
};

/** Refuses changes that change nothing. */
export const changesSomething = (changes: object): boolean =>
  Object.keys(addressChanges).some((name) => name in changes);
export const CHANGES_NOTHING = `expected at least one of ${Object.keys(addressChanges).join(', ')}`;

export type AddressChanges = {
  readonly [K in keyof typeof addressChanges]?: z.infer<(typeof addressChanges)[K]>;
};

interface Switched {
  readonly id: string;
  readonly chainFamily: string;
  /** Canonical. */
  readonly address: string;
  readonly isMonitored: boolean;
}

/**
 * Part of a transaction: writes only what the changes name, by the ids of addresses. Resolves to those whose monitoring
 * was switched on or off.
 */
export async function updateAddresses(
  sql: Sql,
  changes: ReadonlyMap<string, AddressChanges>,
): Promise<Switched[]> {
  // Locked in the order in which the services lock addresses, and read again, so that two concurrent requests neither undo
  // each other nor both believe that they switched.
  const { rows } = await sql.query<Omit<Switched, 'isMonitored'> & { was_monitored: boolean }>(
    `SELECT id, chain_family AS "chainFamily", address, is_monitored AS was_monitored
     FROM addresses WHERE id = ANY ($1) ORDER BY id FOR UPDATE`,
    [[...changes.keys()]],
  );
  const switched = rows.flatMap(({ was_monitored, ...row }) => {
    const isMonitored = changes.get(row.id)!.is_monitored;
    return isMonitored === undefined || isMonitored === was_monitored ? [] : [{ ...row, isMonitored }];
  });
  const switchedIds = new Set(switched.map(({ id }) => id));
  const columns = [...changes].map(([id, { label, ...named }]) => ({
    ...{ id, has_label: label !== undefined, label, is_switched: switchedIds.has(id) },
    ...named,
  }));
  // A new watch_xid makes the analyzer look through the blocks from watched_from on, which a new label does not need.
  await sql.query(
    `UPDATE addresses a SET label = CASE WHEN c.has_label THEN c.label ELSE a.label END, metadata = coalesce(c.metadata, a.metadata),
       groups = coalesce(c.groups, a.groups), is_monitored = coalesce(c.is_monitored, a.is_monitored),
       watch_xid = CASE WHEN c.is_switched THEN pg_current_xact_id() ELSE a.watch_xid END, updated_at = now()
     FROM json_to_recordset($1::json) AS c (id uuid, has_label boolean, label text, metadata jsonb, groups text[], is_monitored boolean, is_switched boolean)
     WHERE a.id = c.id`,
    [JSON.stringify(columns)],
  );
  await watchAgain(
    sql,
    switched.filter(({ isMonitored }) => isMonitored),
  );
  return switched;
}

/** Monitored again: the addresses count from now on, as if they were imported now. */
async function watchAgain(sql: Sql, addresses: readonly Switched[]): Promise<void> {
  const groups = new Map<string, { chainFamily: string; networkGids?: readonly string[]; ids: string[] }>();
  for (const { id, chainFamily, address } of addresses) {
    const networkGids = await findNetworkGids(chainFamily, address);
    const key = [chainFamily, ...(networkGids ?? [])].join();
    const group = groups.get(key) ?? { chainFamily, networkGids, ids: [] };
    group.ids.push(id);
    groups.set(key, group);
  }
  for (const [, group] of [...groups].sort(([a], [b]) => (a < b ? -1 : 1))) await watchFromHead(sql, group);
  // A turn of its history that is under way may have matched blocks without it: it is not stored.
  await sql.query('UPDATE address_histories SET revision = revision + 1 WHERE address_id = ANY ($1)', [
    addresses.map(({ id }) => id),
  ]);
}
