// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import { conflict } from '@chainwatch/common/problem';
import type { Author } from './record-change.ts';
import { recordChange } from './record-change.ts';
import { lockProject } from './find-project.ts';

interface DeletedProject {
  readonly addresses: readonly { id: string; address: string; chainFamily: string }[];
  readonly keys: readonly { id: string; keyHash: Uint8Array }[];
}

/**
 * Tables with what somebody set up: a project with such rows is in use. History (transactions, events) and keys are
 * always deleted with the project.
 */
const KEPT = [
  ['addresses', 'addresses'],
  ['public_keys', 'public keys'],
  ['notification_channels', 'notification channels'],
] as const;

/** Deletes a project with all its rows. @throws ProblemError 404; 409 if it is in use and `isCascading` is not set */
export async function deleteProject(
  sql: Sql,
  {
    author,
    id,
    isCascading,
  }: { readonly author: Author; readonly id: string; readonly isCascading: boolean },
): Promise<DeletedProject> {
  // From here on nobody can add rows, because a new row locks the project by its foreign key.
  const { name } = await lockProject(sql, { principal: author.principal, id, strength: 'UPDATE' });
  if (!isCascading) await expectUnused(sql, id);
  await recordChange(sql, author, { action: 'project.deleted', targetId: id, from: { name } });
  // First, because the code that adds an asset to projects writes these rows before it asks for balances of addresses.
  await sql.query('DELETE FROM project_assets WHERE project_id = $1', [id]);
  const addresses = await sql.query<{ id: string; address: string; chainFamily: string }>(
    'DELETE FROM addresses WHERE project_id = $1 RETURNING id, address, chain_family AS "chainFamily"',
    [id],
  );
  const keys = await sql.query<{ id: string; keyHash: Buffer }>(
    'DELETE FROM api_keys WHERE project_id = $1 RETURNING id, key_hash AS "keyHash"',
    [id],
  );
  // Deleting channels also deletes their secrets and deliveries; deleting transactions, their transfers.
  await sql.query('DELETE FROM public_keys WHERE project_id = $1', [id]);
  await sql.query('DELETE FROM notification_channels WHERE project_id = $1', [id]);
  await sql.query(
    `WITH gone AS (DELETE FROM event_log WHERE project_id = $1 RETURNING event_id)
     DELETE FROM event_keys k USING gone WHERE k.event_id = gone.event_id`,
    [id],
  );
  // Behind the events: nobody gives positions of this project any more.
  for (const table of ['project_positions', 'transactions', 'project_sequences'])
    await sql.query(`DELETE FROM ${table} WHERE project_id = $1`, [id]);
  await sql.query('DELETE FROM projects WHERE id = $1', [id]);
  return { addresses: addresses.rows, keys: keys.rows };
}

async function expectUnused(sql: Sql, id: string): Promise<void> {
  for (const [table, noun] of KEPT) {
    const { rows } = await sql.query(`SELECT FROM ${table} WHERE project_id = $1 LIMIT 1`, [id]);
    if (rows.length > 0)
      throw conflict(
        `The project has ${noun}: delete them first, or everything together with ?cascade=true.`,
      );
  }
}
