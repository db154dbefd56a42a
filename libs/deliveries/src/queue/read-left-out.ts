import type { Sql } from '@chainwatch/db';

/** What users say of addresses now, by id: for events that do not carry it. */
export type LeftOut = ReadonlyMap<
  string,
  { readonly groups: readonly string[]; readonly metadata: Readonly<Record<string, unknown>> }
>;

/** JSON longer than that equals no value of a filter. */
const VALUE_LENGTH_MAX = 8_192;

/** @param keys members of the metadata that somebody filters by; no others are read */
export async function readLeftOut(
  planned: Sql,
  addressIds: readonly string[],
  keys: readonly string[],
): Promise<LeftOut> {
  if (addressIds.length === 0) return new Map();
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
