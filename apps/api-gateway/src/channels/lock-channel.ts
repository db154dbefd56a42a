// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import { notFound } from '@chainwatch/common/problem';
import type { StoredChannel } from './find-channel.ts';

type Locked = Pick<StoredChannel, 'name' | 'config' | 'credentialsSealed' | 'status' | 'isArchived'>;

/** The channel as nobody else can change it until the transaction ends. @throws ProblemError 404 */
export async function lockChannel<C extends { readonly id: string }>(sql: Sql, row: C): Promise<C & Locked> {
  const { rows } = await sql.query<Locked>(
    `SELECT name, config, credentials_sealed AS "credentialsSealed", status, is_archived AS "isArchived"
     FROM notification_channels WHERE id = $1 FOR UPDATE`,
    [row.id],
  );
  const [locked] = rows;
  if (locked === undefined) throw notFound(`There is no notification channel ${row.id} in this project.`);
  return { ...row, ...locked };
}
