import type { Sql } from '@chainwatch/db';
import type { ChannelState } from './channel-state.ts';

/** The first probe of a channel that was active waits for an interval. */
export async function updateChannel(
  sql: Sql,
  { after, wasActive }: { readonly after: ChannelState; readonly wasActive: boolean },
  probeIntervalMs: number,
): Promise<void> {
  await sql.query(
    `UPDATE notification_channels SET status = $2, consecutive_failures = $3,
       failure_reason = CASE WHEN $2 = 'active' THEN NULL ELSE $4 END,
       failed_at = CASE WHEN $2 = 'failed' THEN coalesce(failed_at, now()) END,
       probe_at = CASE WHEN $2 = 'failing' AND $5 THEN now() + $6 * interval '1 ms' ELSE probe_at END
     WHERE id = $1`,
    [after.id, after.status, after.consecutiveFailures, after.failureReason, wasActive, probeIntervalMs],
  );
}
