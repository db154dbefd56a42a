// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import type { StoredChannel } from './find-channel.ts';
import { failChannel, reactivateChannel } from './reactivate-channel.ts';

interface ChannelChanges {
  readonly name?: string;
  readonly config: object;
  readonly credentialsSealed: string | null;
  /** The channel has a new target, so a failed channel becomes active again. */
  readonly hasNewTarget: boolean;
  /** Why nothing can be sent as it is now. */
  readonly obstacle: string | undefined;
}

export async function storeChannelChanges(
  sql: Sql,
  row: Pick<StoredChannel, 'id' | 'name' | 'status' | 'isArchived'>,
  { name, config, credentialsSealed, hasNewTarget, obstacle }: ChannelChanges,
): Promise<void> {
  await sql.query(
    `UPDATE notification_channels SET name = $2, config = $3, credentials_sealed = $4, updated_at = now() WHERE id = $1`,
    [row.id, name ?? row.name, JSON.stringify(config), credentialsSealed],
  );
  if (obstacle !== undefined) return failChannel(sql, row.id, obstacle);
  if (hasNewTarget && !row.isArchived && row.status !== 'active') await reactivateChannel(sql, row.id);
}
