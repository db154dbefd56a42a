import type { Sql } from '@chainwatch/db';
import { setAside } from '@chainwatch/quarantine';
import type { Channel } from '../channel-store.ts';
import type { EventRow } from './undispatched.ts';

interface Kept {
  readonly channel: Channel;
  readonly rowId: number;
}

interface FirstKept {
  readonly id: string;
  readonly project_id: string;
  readonly chain_gid: string;
  readonly number: number;
  readonly hash: string;
}

/**
 * Keeps events for channels of their projects whose config cannot be read, and names these to their projects. Which of the
 * events such a channel wants is known once it can be read: then they are delivered as history is (`claimHistory`), in
 * order, behind what comes from then on. Returns the channels that were named now. Idempotent.
 */
export async function keepForUnreadable(
  db: Sql,
  events: readonly EventRow[],
  channels: readonly Channel[],
): Promise<readonly Channel[]> {
  const unreadable = channels.filter(({ isUnreadable }) => isUnreadable === true);
  const kept = unreadable.flatMap((channel) =>
    events
      .filter(({ project_id }) => project_id === channel.projectId)
      .map(({ id }): Kept => ({ channel, rowId: id })),
  );
  if (kept.length === 0) return [];
  await db.query(
    `INSERT INTO historical_dispatches (channel_id, event_row_id)
     SELECT c.id, u.row_id FROM unnest($1::uuid[], $2::bigint[]) AS u (channel_id, row_id) JOIN notification_channels c ON c.id = u.channel_id
     ON CONFLICT DO NOTHING`,
    toColumns(kept),
  );
  return nameUnreadable(db, kept);
}

/** Once for each chain on which events are kept, with the first of them. */
async function nameUnreadable(db: Sql, kept: readonly Kept[]): Promise<readonly Channel[]> {
  const { rows } = await db.query<FirstKept>(
    `SELECT DISTINCT ON (u.channel_id, e.chain_gid) u.channel_id AS id, e.project_id, e.chain_gid,
       coalesce(t.block_number, 0) AS number, coalesce(t.block_hash, '') AS hash
     FROM unnest($1::uuid[], $2::bigint[]) AS u (channel_id, row_id) JOIN event_log e ON e.id = u.row_id
     JOIN blockchains b ON b.gid = e.chain_gid LEFT JOIN transactions t ON t.id = e.transaction_id
     WHERE NOT EXISTS (SELECT FROM incidents i WHERE i.chain_gid = e.chain_gid AND i.kind = 'poison:channels'
       AND i.subject_id = u.channel_id::text AND i.status = 'quarantined')
     ORDER BY u.channel_id, e.chain_gid, e.id`,
    toColumns(kept),
  );
  const channelOf = new Map(kept.map(({ channel }) => [channel.id, channel]));
  for (const { id, project_id: projectId, chain_gid: chainGid, number, hash } of rows)
    await setAside(db, chainGid, [
      {
        ...{ step: 'channels', projectId, error: channelOf.get(id)!.fault },
        subject: { type: 'channel', id },
        block: { number, hash },
      },
    ]);
  return [...new Set(rows.map(({ id }) => channelOf.get(id)!))];
}

const toColumns = (kept: readonly Kept[]): unknown[][] => [
  kept.map(({ channel }) => channel.id),
  kept.map(({ rowId }) => rowId),
];

/** Ends the incidents of channels for which nothing is kept any more. */
export async function endUnreadable(db: Sql): Promise<void> {
  await db.query({
    name: 'end_unreadable_channels',
    text: `UPDATE incidents i SET status = 'resolved', resolved_at = now()
      WHERE kind = 'poison:channels' AND status = 'quarantined'
        AND NOT EXISTS (SELECT FROM historical_dispatches h WHERE h.channel_id = i.subject_id::uuid)`,
  });
}
