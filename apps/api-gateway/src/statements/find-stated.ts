// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import type { StatedAddress } from './stated-address.ts';
import type { StatementRequest } from '../records/statement.ts';

export const ADDRESSES_MAX = 10_000;

type Selector = Pick<StatementRequest, 'address_ids' | 'group' | 'public_key_id'>;

/** The addresses that a request selects, in the order of their text; at most one more than there may be. */
export async function findStated(sql: Sql, projectId: string, selector: Selector): Promise<StatedAddress[]> {
  const { rows } = await sql.query<StatedAddress>(
    `SELECT id, project_id AS "projectId", address, display, label, chain_family AS "chainFamily", is_monitored AS "isMonitored"
     FROM addresses WHERE project_id = $1 AND ${CONDITIONS[nameOf(selector)]} ORDER BY display, id LIMIT ${ADDRESSES_MAX + 1}`,
    [projectId, selector[nameOf(selector)]],
  );
  return rows;
}

const CONDITIONS = {
  address_ids: 'id = ANY ($2::uuid[])',
  group: 'groups @> ARRAY[$2::text]',
  public_key_id: 'public_key_id = $2::uuid',
} as const;

function nameOf({ address_ids: ids, group }: Selector): keyof typeof CONDITIONS {
  if (ids !== undefined) return 'address_ids';
  return group === undefined ? 'public_key_id' : 'group';
}
