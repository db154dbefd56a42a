// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { hashApiKey } from '@chainwatch/common/api-key';
import { applyMigrations, createDatabase } from '@chainwatch/data/db';
import pg from 'pg';
import { bootstrap } from '../../db/src/bootstrap.ts';
import { repoDir } from '@chainwatch/testing/host';
import type { StackKeys } from './stack-file.ts';

/** Makes the database `name` on the server unless it is there. @returns its URL */
export async function ensureDatabase(serverUrl: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/**
 * Brings the schema up to date. The first time, or when the keys known are not this database's, it makes a workspace,
 * a project and a key of each type.
 */
export async function prepareDatabase(databaseUrl: string, known: StackKeys | undefined): Promise<StackKeys> {
  await applyMigrations(databaseUrl, join(repoDir, 'prisma'));
  const db = createDatabase({ url: databaseUrl, applicationName: 'stack', poolSize: 1 });
  try {
    if (known) {
      const { rowCount } = await db.query(
        'SELECT 1 FROM api_keys WHERE key_hash = $1 AND revoked_at IS NULL',
        [Buffer.from(hashApiKey(known.api))],
      );
      if (rowCount === 1) return known;
    }
    const { keys } = await bootstrap(db, {
      label: process.env.NAMESPACE_LABEL ?? 'svc',
      workspaceName: 'Local',
      projectName: 'Local',
    });
    return keys;
  } finally {
    await db.close();
  }
}
