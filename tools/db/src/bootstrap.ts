import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { generateApiKey, hashApiKey, maskApiKey, permissionsOf } from '@chainwatch/api-key';
import type { ApiKeyType } from '@chainwatch/api-key';
import { createDatabase } from '@chainwatch/db';
import type { Database, Sql } from '@chainwatch/db';
import { readDatabaseUrl } from './read-database-url.ts';

export interface Bootstrap {
  readonly workspaceId: string;
  readonly projectId: string;
  /** Plain text, shown this once: only hashes are stored. */
  readonly keys: { readonly api: string; readonly rpc: string; readonly management: string };
}

export interface BootstrapOptions {
  /** Namespace label of the keys, `svc`. */
  readonly label: string;
  readonly workspaceName?: string;
  readonly projectName?: string;
}

/** Makes a workspace, a project and one key of each type with every permission of its type, in one transaction. */
export async function bootstrap(db: Pick<Database, 'transaction'>, options: BootstrapOptions): Promise<Bootstrap> {
  return db.transaction(async (sql) => {
    const workspaceId = await insertReturningId(sql, 'INSERT INTO workspaces (name) VALUES ($1) RETURNING id', [options.workspaceName ?? 'Default']);
    const projectId = await insertReturningId(sql, 'INSERT INTO projects (workspace_id, name) VALUES ($1, $2) RETURNING id', [
      workspaceId,
      options.projectName ?? 'Default',
    ]);
    const makeKey = (type: ApiKeyType) => insertKey(sql, { type, workspaceId, projectId: type === 'api' ? projectId : null, label: options.label });
    return { workspaceId, projectId, keys: { api: await makeKey('api'), rpc: await makeKey('rpc'), management: await makeKey('mgt') } };
  });
}

async function insertKey(sql: Sql, key: { type: ApiKeyType; workspaceId: string; projectId: string | null; label: string }): Promise<string> {
  const text = generateApiKey({ label: key.label, type: key.type, randomBytes });
  await sql.query(
    `INSERT INTO api_keys (type, workspace_id, project_id, name, mask, key_hash, permissions) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [key.type, key.workspaceId, key.projectId, `bootstrap ${key.type}`, maskApiKey(text), Buffer.from(hashApiKey(text)), permissionsOf(key.type)],
  );
  return text;
}

async function insertReturningId(sql: Sql, text: string, values: unknown[]): Promise<string> {
  const { rows } = await sql.query<{ id: string }>(text, values);
  return rows[0]!.id;
}

/** `tsx tools/db/src/bootstrap.ts`: prints the result once as JSON. NAMESPACE_LABEL is the label of the keys. */
async function main(): Promise<void> {
  const db = createDatabase({ url: readDatabaseUrl(), applicationName: 'bootstrap', poolSize: 1 });
  try {
    console.log(JSON.stringify(await bootstrap(db, { label: process.env.NAMESPACE_LABEL ?? 'svc' })));
  } finally {
    await db.close();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
}
