import type { Sql } from '@chainwatch/db';

interface NewChannel {
  readonly id: string;
  readonly projectId: string;
  readonly kind: string;
  readonly name: string;
  readonly config: object;
  readonly credentialsSealed: string | null;
}

export async function insertChannel(sql: Sql, channel: NewChannel): Promise<void> {
  await sql.query(
    `INSERT INTO notification_channels (id, project_id, kind, name, config, credentials_sealed) VALUES ($1, $2, $3, $4, $5, $6)`,
    [
      channel.id,
      channel.projectId,
      channel.kind,
      channel.name,
      JSON.stringify(channel.config),
      channel.credentialsSealed,
    ],
  );
}
