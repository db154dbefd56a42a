// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import type { Database } from '@chainwatch/data/db';

interface SpecEvent {
  readonly type?: string;
  readonly chainGid?: string | null;
  readonly transactionId?: string | null;
  readonly isTest?: boolean;
  readonly isHeld?: boolean;
  readonly daysAgo?: number;
  /** Bytes of the event's data. */
  readonly size?: number;
}

/** Commits an event. Returns its event id. */
export async function insertEvent(db: Database, projectId: string, event: SpecEvent = {}): Promise<string> {
  const { type = 'balance.changed', chainGid = 'eip155:1', transactionId = null, isTest = false } = event;
  const { isHeld = false, daysAgo = 0, size = 0 } = event;
  const eventId = randomUUID();
  const at = new Date(Date.now() - daysAgo * 86_400_000);
  const payload = {
    event_id: eventId,
    type,
    api_version: 'v1',
    created_at: at.toISOString(),
    is_test_message: isTest,
    project_id: projectId,
    sequence: 1,
    data: {
      address_id: randomUUID(),
      address: `0x${'0'.repeat(size)}`,
      chain_gid: 'eip155:1',
      asset_gid: 'eip155:1/slip44:60',
      previous: '0',
      current: '1',
      delta: '1',
      block_number: 1,
      block_hash: '0x1',
      is_confirmed: false,
      addresses: [],
    },
  };
  await db.query(
    `INSERT INTO event_log (event_id, project_id, chain_gid, type, sequence, transaction_id, subject_kind, payload, is_held, created_at) VALUES ($1, $2, $3, $4, 1, $5, $6, $7, $8, $9)`,
    [
      eventId,
      projectId,
      chainGid,
      type,
      transactionId,
      isTest ? 'test' : 'balance.changed',
      JSON.stringify(payload),
      isHeld,
      at,
    ],
  );
  return eventId;
}

/** What the notifier does: gives every event that waits the next position of its project. */
export async function givePositions(db: Database): Promise<void> {
  await db.query(
    `WITH taken AS (DELETE FROM unpositioned_events RETURNING event_row_id, project_id),
     raised AS (
       INSERT INTO project_positions AS p (project_id, last_position, history) SELECT project_id, count(*), position_history() FROM taken GROUP BY 1
       ON CONFLICT (project_id) DO UPDATE SET last_position = p.last_position + excluded.last_position RETURNING project_id, last_position)
     INSERT INTO event_positions SELECT project_id, r.last_position + 1 - row_number() OVER (PARTITION BY project_id ORDER BY event_row_id DESC), event_row_id
     FROM taken JOIN raised r USING (project_id)`,
  );
}
