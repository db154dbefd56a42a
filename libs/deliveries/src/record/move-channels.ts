// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/db';
import type { FinishedAttempt } from './decide-outcome.ts';

/** The actor of what a service does on its own. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

/**
 * Stores where receivers say that they are now, with a row in the audit log. A channel that somebody changed meanwhile, or
 * that another attempt moved already, stays as it is.
 */
export async function moveChannels(sql: Sql, finished: readonly FinishedAttempt[]): Promise<void> {
  for (const { job, attempt } of finished) {
    if (attempt.move === undefined || attempt.isShared === true) continue;
    const { from, to } = attempt.move;
    const changes = Object.fromEntries(
      Object.entries(to).map(([name, value]) => [name, { from: from[name] ?? null, to: value }]),
    );
    await sql.query(
      `WITH moved AS (
         UPDATE notification_channels SET config = config || $3::jsonb, updated_at = now()
         WHERE id = $1 AND config @> $2::jsonb RETURNING id, project_id
       )
       INSERT INTO audit_logs (workspace_id, actor_type, actor_key_id, actor_name, actor_mask, action, target_type, target_id, changes, request_id)
       SELECT p.workspace_id, 'service', $4, 'notifier', '', 'channel.moved', 'channel', m.id, $5, ''
       FROM moved m JOIN projects p ON p.id = m.project_id`,
      [job.channelId, JSON.stringify(from), JSON.stringify(to), NOBODY, JSON.stringify(changes)],
    );
  }
}
