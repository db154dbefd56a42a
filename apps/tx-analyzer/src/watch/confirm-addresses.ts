import type { Sql } from '@chainwatch/db';
import { OWN_DATA_COLUMNS, ownDataOf, type OwnDataRow } from '@chainwatch/outbox';
import type { WatchedAddress } from '../model/matched-transaction.ts';

interface Row extends OwnDataRow {
  readonly id: string;
  readonly project_id: string;
  readonly address: string;
  readonly from_block: number;
  readonly is_unused: boolean;
}

/**
 * Which of `addresses` are monitored, by whom and from which block of the chain on: one query to the database,
 * which decides.
 */
export async function confirmAddresses(
  { sql, family, chainGid }: { readonly sql: Sql; readonly family: string; readonly chainGid: string },
  addresses: ReadonlySet<string>,
): Promise<Map<string, WatchedAddress[]>> {
  const confirmed = new Map<string, WatchedAddress[]>();
  if (addresses.size === 0) return confirmed;
  const { rows } = await sql.query<Row>({
    name: 'confirm_addresses',
    text: `SELECT a.id, a.project_id, a.address, COALESCE(w.from_block, 0) AS from_block,
             a.public_key_id IS NOT NULL AND NOT a.is_used AS is_unused, ${OWN_DATA_COLUMNS} FROM addresses a
           LEFT JOIN address_watches w ON w.address_id = a.id AND w.chain_gid = $2
           WHERE a.chain_family = $1 AND a.address = ANY($3::text[]) AND a.is_monitored`,
    values: [family, chainGid, [...addresses]],
  });
  for (const row of rows) {
    const watched: WatchedAddress = {
      id: row.id,
      projectId: row.project_id,
      address: row.address,
      fromBlock: row.from_block,
      isUnused: row.is_unused,
      own: ownDataOf(row),
    };
    const others = confirmed.get(row.address);
    if (others === undefined) confirmed.set(row.address, [watched]);
    else others.push(watched);
  }
  return confirmed;
}
