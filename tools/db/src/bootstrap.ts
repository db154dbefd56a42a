// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import {
  generateApiKey,
  hashApiKey,
  isOperatorPermission,
  maskApiKey,
  permissionsOf,
} from '@chainwatch/common/api-key';
import { listFamilies } from '@chainwatch/chain-registry';
import type { ApiKeyType } from '@chainwatch/common/api-key';
import { createDatabase } from '@chainwatch/data/db';
import type { Database, Sql } from '@chainwatch/data/db';
import { KubernetesSecret, readClusterAccess } from './kubernetes-secret.ts';
import { readDatabaseUrl } from './read-database-url.ts';
import { ArgumentError, runTool } from './run-tool.ts';

export interface Bootstrap {
  readonly workspaceId: string;
  /** The first workspace acts for the installation: its keys alone may change chains. */
  readonly isOperator: boolean;
  readonly projectId: string;
  /** Plain text, shown this once: only hashes are stored. */
  readonly keys: { readonly api: string; readonly rpc: string; readonly management: string };
}

export interface BootstrapOptions {
  /** Namespace label of the keys, `svc`. */
  readonly label: string;
  readonly workspaceName?: string;
  readonly projectName?: string;
  /** Nothing is made where the database has a workspace. @throws NotFirstError */
  readonly isFirst?: boolean;
  /** Keeps what was made before it counts: nothing was made when this fails. */
  readonly keep?: (made: Bootstrap) => Promise<void>;
}

export class NotFirstError extends Error {
  constructor() {
    super('expected a database without a workspace, got one that has one');
    this.name = 'NotFirstError';
  }
}

/** Makes a workspace, a project and one key of each type with every permission that it can have, in one transaction. */
export async function bootstrap(
  db: Pick<Database, 'transaction'>,
  options: BootstrapOptions,
): Promise<Bootstrap> {
  return db.transaction(async (sql) => {
    const { id: workspaceId, isOperator } = await insertWorkspace(sql, options.workspaceName ?? 'Default');
    if (options.isFirst === true && !isOperator) throw new NotFirstError();
    const projects = await sql.query<{ id: string }>(
      'INSERT INTO projects (workspace_id, name) VALUES ($1, $2) RETURNING id',
      [workspaceId, options.projectName ?? 'Default'],
    );
    const projectId = projects.rows[0]!.id;
    const makeKey = (type: ApiKeyType) =>
      insertKey(sql, {
        type,
        workspaceId,
        isOperator,
        projectId: type === 'api' ? projectId : null,
        label: options.label,
      });
    const made = {
      workspaceId,
      isOperator,
      projectId,
      keys: { api: await makeKey('api'), rpc: await makeKey('rpc'), management: await makeKey('mgt') },
    };
    await options.keep?.(made);
    return made;
  });
}

/** Two that are made at once take turns: one of them is the first. */
async function insertWorkspace(sql: Sql, name: string): Promise<{ id: string; isOperator: boolean }> {
  await sql.query('LOCK TABLE workspaces IN SHARE ROW EXCLUSIVE MODE');
  const { rows } = await sql.query<{ id: string; isOperator: boolean }>(
    'INSERT INTO workspaces (name, is_operator) SELECT $1, NOT EXISTS (SELECT FROM workspaces WHERE is_operator) RETURNING id, is_operator AS "isOperator"',
    [name],
  );
  return rows[0]!;
}

const families = listFamilies().map(({ name }) => name);

interface NewKey {
  readonly type: ApiKeyType;
  readonly workspaceId: string;
  readonly isOperator: boolean;
  readonly projectId: string | null;
  readonly label: string;
}

async function insertKey(sql: Sql, key: NewKey): Promise<string> {
  const text = generateApiKey({ label: key.label, type: key.type, randomBytes });
  const permissions = permissionsOf(key.type, families).filter(
    (permission) => key.isOperator || !isOperatorPermission(permission),
  );
  await sql.query(
    `INSERT INTO api_keys (type, workspace_id, project_id, name, mask, key_hash, permissions) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [
      key.type,
      key.workspaceId,
      key.projectId,
      `bootstrap ${key.type}`,
      maskApiKey(text),
      Buffer.from(hashApiKey(text)),
      permissions,
    ],
  );
  return text;
}

/**
 * Makes the first keys and keeps them in the Secret, which then has `api`, `rpc`, `management`, `workspace_id` and
 * `project_id`. Where the Secret is, or the database has a workspace, nothing is made: a Job that runs again with each release makes no
 * second ones where somebody took the keys away.
 * @returns whether it made them
 */
export async function bootstrapIntoSecret(
  db: Pick<Database, 'transaction'>,
  secret: Pick<KubernetesSecret, 'exists' | 'create' | 'delete'>,
  options: BootstrapOptions,
): Promise<boolean> {
  if (await secret.exists()) return false;
  let isKept = false;
  try {
    await bootstrap(db, {
      ...options,
      isFirst: true,
      keep: async ({ keys, workspaceId, projectId }) => {
        await secret.create({ ...keys, workspace_id: workspaceId, project_id: projectId });
        isKept = true;
      },
    });
  } catch (error) {
    // Keys that the database did not take open nothing.
    if (isKept) await secret.delete();
    if (error instanceof NotFirstError) return false;
    throw error;
  }
  return true;
}

/**
 * `tsx tools/db/src/bootstrap.ts`: prints the result once as JSON; `--kubernetes-secret <name>` prints nothing secret.
 * NAMESPACE_LABEL is the label of the keys.
 */
async function main(secretName: string | undefined): Promise<void> {
  if (secretName === '') throw new ArgumentError('expected --kubernetes-secret with a name, got nothing');
  const options = { label: process.env.NAMESPACE_LABEL ?? 'svc' };
  const db = createDatabase({ url: readDatabaseUrl(), applicationName: 'bootstrap', poolSize: 1 });
  try {
    if (secretName === undefined) return console.log(JSON.stringify(await bootstrap(db, options)));
    const secret = new KubernetesSecret(readClusterAccess(), secretName);
    const isMade = await bootstrapIntoSecret(db, secret, options);
    console.log(JSON.stringify({ secret: secretName, isMade }));
  } finally {
    await db.close();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runTool({ 'kubernetes-secret': { type: 'string' } }, ({ 'kubernetes-secret': name }) => main(name));
}
