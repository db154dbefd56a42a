// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import type { OwnTransaction } from '../../records/transaction.ts';
import { readRecords } from '../transactions.list/query-transactions.ts';

/** A transaction of a project. Hexadecimal hashes are kept in lower case; in others the case counts. */
export async function findByHash(
  db: Sql,
  {
    projectId,
    chainGid,
    hash,
  }: { readonly projectId: string; readonly chainGid: string; readonly hash: string },
): Promise<OwnTransaction | undefined> {
  const { rows } = await db.query<{ id: string }>(
    'SELECT id FROM transactions WHERE project_id = $1 AND chain_gid = $2 AND hash = ANY ($3) ORDER BY hash = $4 DESC LIMIT 1',
    [projectId, chainGid, [hash, hash.toLowerCase()], hash],
  );
  const [record] = await readRecords(
    db,
    rows.map(({ id }) => id),
  );
  return record;
}
