import type { Sql } from '@chainwatch/db';
import type { ChannelState } from './channel-state.ts';

/** Channels are locked before deliveries, and by id, so that two replicas never wait for each other. */
export async function lockChannels(
  sql: Sql,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ChannelState>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql.query<ChannelState>(
    `SELECT id, project_id AS "projectId", kind, name, status, is_archived AS "isArchived",
       consecutive_failures AS "consecutiveFailures", failure_reason AS "failureReason"
     FROM notification_channels WHERE id = ANY($1::uuid[]) ORDER BY id FOR NO KEY UPDATE`,
    [ids],
  );
  return new Map(rows.map((row) => [row.id, row]));
}
