import type { Sql } from '@chainwatch/db';

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
export interface LeftOutAddress {
  readonly id: string;
  /** Of the transaction that the event is about. */
  readonly transactionId: string | undefined;
}

/**
 * As it is now; of an address that was deleted as earlier events of the same transactions told it.
 *
 * @param keys members of the metadata that somebody filters by; no others are read
 */
export async function readLeftOut(
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
