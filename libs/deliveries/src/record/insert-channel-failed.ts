import type { Sql } from '@chainwatch/db';
import { uuidv5, type EventEnvelope } from '@chainwatch/events';

interface FailedChannel {
  readonly id: string;
  readonly projectId: string;
  readonly kind: string;
  readonly name: string;
  readonly failureReason: string | null;
}

/**
 * Inserts the event `channel.failed` in the transaction in which the channel fails. It is dispatched from the
 * table to the project's other channels that want it. It belongs to no chain, so its sequence is counted
 * under none.
 */
export async function insertChannelFailed(
  sql: Sql,
  { id, projectId, kind, name, failureReason }: FailedChannel,
): Promise<void> {
  const failedAt = new Date().toISOString();
  const { rows } = await sql.query<{ value: number }>(
    `INSERT INTO project_sequences (project_id, chain_gid, value) VALUES ($1, '', 1)
     ON CONFLICT (project_id, chain_gid) DO UPDATE SET value = project_sequences.value + 1 RETURNING value`,
    [projectId],
  );
  const event: EventEnvelope<'channel.failed'> = {
    event_id: uuidv5([projectId, 'channel.failed', id, failedAt].join('|')),
    type: 'channel.failed',
    api_version: 'v1',
    created_at: failedAt,
    is_test_message: false,
    project_id: projectId,
    sequence: rows[0]!.value,
    data: {
      channel: {
        id,
        kind,
        name,
        failed_at: failedAt,
        failure_reason: failureReason ?? '',
      },
    },
  };
  await sql.query(
    `INSERT INTO event_log (event_id, project_id, type, sequence, subject_kind, payload, created_at) VALUES ($1, $2, $3, $4, 'channel.failed', $5, $6)`,
    [event.event_id, projectId, event.type, event.sequence, JSON.stringify(event), failedAt],
  );
}
