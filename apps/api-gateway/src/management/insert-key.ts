// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { generateApiKey, hashApiKey, maskApiKey } from '@chainwatch/common/api-key';
import type { ApiKeyType, Permission } from '@chainwatch/common/api-key';
import type { Sql } from '@chainwatch/data/db';
import { recordChange } from './record-change.ts';
import type { Author } from './record-change.ts';

interface NewKey {
  readonly type: ApiKeyType;
  readonly name: string;
  readonly projectId: string | null;
  readonly permissions: readonly Permission[];
  readonly expiresAt: Date | null;
}

/** Stores the hash of a new key. Returns the key itself for the answer; it is stored nowhere. */
export async function insertKey(
  sql: Sql,
  { author, label, added }: { readonly author: Author; readonly label: string; readonly added: NewKey },
): Promise<{ id: string; key: string }> {
  const key = generateApiKey({ label, type: added.type, randomBytes });
  const { rows } = await sql.query<{ id: string }>(
    `INSERT INTO api_keys (type, workspace_id, project_id, name, mask, key_hash, permissions, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id`,
    [
      added.type,
      author.principal.workspaceId,
      added.projectId,
      added.name,
      maskApiKey(key),
      Buffer.from(hashApiKey(key)),
      added.permissions,
      added.expiresAt,
    ],
  );
  const id = rows[0]!.id;
  const to = {
    type: added.type,
    name: added.name,
    mask: maskApiKey(key),
    project_id: added.projectId,
    permissions: added.permissions,
    expires_at: added.expiresAt,
  };
  await recordChange(sql, author, { action: 'key.created', targetId: id, to });
  return { id, key };
}
