// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';

interface NewChannel {
  readonly id: string;
  readonly projectId: string;
  readonly kind: string;
  readonly name: string;
  readonly config: object;
  readonly credentialsSealed: string | null;
  /** Why nothing can be sent yet. */
  readonly obstacle: string | undefined;
}

export async function insertChannel(sql: Sql, channel: NewChannel): Promise<void> {
  await sql.query(
    `INSERT INTO notification_channels (id, project_id, kind, name, config, credentials_sealed, status, failure_reason, failed_at)
     VALUES ($1, $2, $3, $4, $5, $6, CASE WHEN $7::text IS NULL THEN 'active' ELSE 'failed' END, $7,
             CASE WHEN $7 IS NOT NULL THEN now() END)`,
    [
      channel.id,
      channel.projectId,
      channel.kind,
      channel.name,
      JSON.stringify(channel.config),
      channel.credentialsSealed,
      channel.obstacle ?? null,
    ],
  );
}
