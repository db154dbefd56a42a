// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import { factsOf, type EventEnvelope } from '@chainwatch/events';
import type { Channel } from '../channel-store.ts';
import type { EventRow } from './undispatched.ts';

/** What users say of addresses, by `leftOutKey`: for events that do not carry it. */
export type LeftOut = ReadonlyMap<
  string,
  { readonly groups: readonly string[]; readonly metadata: Readonly<Record<string, unknown>> }
>;

/** JSON longer than that equals no value of a filter. */
const VALUE_LENGTH_MAX = 8_192;

/** @param transactionId of what was told of an address that is deleted */
export const leftOutKey = (addressId: string, transactionId?: string): string =>
  transactionId === undefined ? addressId : `${addressId} ${transactionId}`;

/** An address of an event that does not carry all that was said of it. */
interface LeftOutAddress {
  readonly id: string;
  /** Of the transaction that the event is about. */
  readonly transactionId: string | undefined;
}

/**
 * Reads what some channel filters by and the events do not carry: metadata that is too long, and everything in
 * events of an earlier release.
 */
export async function findLeftOut(
  planned: Sql,
  events: readonly Pick<EventRow, 'project_id' | 'payload'>[],
  channels: readonly Channel[],
): Promise<LeftOut> {
  const asking = channels.filter(
    ({ filters }) => (filters.groups?.length ?? 0) > 0 || Object.keys(filters.metadata ?? {}).length > 0,
  );
  const projects = new Set(asking.map(({ projectId }) => projectId));
  const keys = new Set(asking.flatMap(({ filters }) => Object.keys(filters.metadata ?? {})));
  const leftOut = events.filter((event) => projects.has(event.project_id)).flatMap(listLeftOut);
  return readLeftOut(planned, leftOut, [...keys]);
}

function listLeftOut({ payload }: Pick<EventRow, 'payload'>): readonly LeftOutAddress[] {
  try {
    const { addresses = [], transactionId } = factsOf(JSON.parse(payload) as EventEnvelope) ?? {};
    return addresses
      .filter(({ groups, metadata }) => groups === undefined || metadata === undefined)
      .map(({ id }) => ({ id, transactionId }));
  } catch {
    // Whoever applies the filters says so.
    return [];
  }
}

/**
 * As it is now; of an address that was deleted as earlier events of the same transactions told it.
 *
 * @param keys members of the metadata that somebody filters by; no others are read
 */
async function readLeftOut(
  planned: Sql,
  addresses: readonly LeftOutAddress[],
  keys: readonly string[],
): Promise<LeftOut> {
  if (addresses.length === 0) return new Map();
  const kept = await readKept(planned, [...new Set(addresses.map(({ id }) => id))], keys);
  const gone = addresses.filter(({ id, transactionId }) => transactionId !== undefined && !kept.has(id));
  return gone.length === 0 ? kept : new Map([...kept, ...(await readTold(planned, gone))]);
}

async function readKept(
  planned: Sql,
  addressIds: readonly string[],
  keys: readonly string[],
): Promise<LeftOut> {
  const { rows } = await planned.query<{
    id: string;
    groups: string[];
    metadata: Record<string, unknown> | null;
  }>({
    name: 'read_left_out',
    text: `SELECT a.id, a.groups,
             (SELECT jsonb_object_agg(k, a.metadata -> k) FROM unnest($2::text[]) k
              WHERE a.metadata ? k AND octet_length((a.metadata -> k)::text) <= ${VALUE_LENGTH_MAX}) AS metadata
           FROM addresses a WHERE a.id = ANY($1::uuid[])`,
    values: [addressIds, keys],
  });
  return new Map(rows.map(({ id, groups, metadata }) => [id, { groups, metadata: metadata ?? {} }]));
}

async function readTold(planned: Sql, addresses: readonly LeftOutAddress[]): Promise<LeftOut> {
  const { rows } = await planned.query<{
    id: string;
    transaction_id: string;
    groups: string[];
    metadata: Record<string, unknown>;
  }>({
    name: 'read_told_of_deleted',
    text: `SELECT DISTINCT ON (d.id, d.transaction_id) d.id, d.transaction_id, told -> 'groups' AS groups, told -> 'metadata' AS metadata
           FROM unnest($1::uuid[], $2::uuid[]) AS d (id, transaction_id)
           CROSS JOIN LATERAL (SELECT id, payload FROM event_log WHERE transaction_id = d.transaction_id OFFSET 0) e
           CROSS JOIN LATERAL jsonb_array_elements(e.payload::jsonb #> '{data,addresses}') told
           WHERE told ->> 'address_id' = d.id::text AND told -> 'metadata_truncated' = 'false' ORDER BY d.id, d.transaction_id, e.id DESC`,
    values: [addresses.map(({ id }) => id), addresses.map(({ transactionId }) => transactionId)],
  });
  return new Map(
    rows.map(({ id, transaction_id, groups, metadata }) => [
      leftOutKey(id, transaction_id),
      { groups, metadata },
    ]),
  );
}
