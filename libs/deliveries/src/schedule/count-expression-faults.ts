// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';

/** An event that the expression of a channel could not be evaluated for: it does not match. */
export interface ExpressionFault {
  readonly eventRowId: number;
  readonly channelId: string;
  readonly reason: string;
}

/**
 * Adds faults (`f`: SQL of rows with channel_id and error) to the counts that their channels show.
 * In the order of ids: two replicas never wait for each other.
 */
export const addFaults = (
  f: string,
): string => `INSERT INTO channel_expression_errors AS e (channel_id, count, last_error, last_at)
  SELECT f.channel_id, count(*), max(f.error), clock_timestamp() FROM ${f} JOIN notification_channels c ON c.id = f.channel_id
  GROUP BY f.channel_id ORDER BY f.channel_id
  ON CONFLICT (channel_id) DO UPDATE SET count = e.count + EXCLUDED.count, last_error = EXCLUDED.last_error, last_at = EXCLUDED.last_at`;

/** Of events that one replica alone looks at. */
export async function countExpressionFaults(db: Sql, faults: readonly ExpressionFault[]): Promise<void> {
  if (faults.length === 0) return;
  await db.query(addFaults('unnest($1::uuid[], $2::text[]) AS f (channel_id, error)'), [
    faults.map(({ channelId }) => channelId),
    faults.map(({ reason }) => reason),
  ]);
}
