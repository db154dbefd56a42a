// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { createDatabase, type Database } from '../db/index.ts';
import { waitFor } from '@chainwatch/testing';

const CHAIN = 'eip155:31337';
export const WEBHOOK_SECRET = 'svc_whsec_0123456789ABCDEFGHIJKLMNOPQRST';

export interface SpecChannel {
  readonly kind?: string;
  readonly config?: object;
  readonly credentials?: object;
  readonly secrets?: readonly string[];
  readonly id?: string;
  readonly projectId?: string;
}

export interface SpecEvent {
  readonly type?: string;
  readonly projectId?: string;
  readonly transfers?: readonly object[];
  readonly addresses?: readonly object[];
  /** Default: one of its own. */
  readonly transactionId?: string;
  readonly traceparent?: string;
  readonly isHeld?: boolean;
  /** Members of the transaction that differ. */
  readonly transaction?: object;
}

export interface InsertedEvent {
  readonly eventId: string;
  readonly type: string;
  readonly projectId: string;
  readonly sequence: number;
  readonly chainGid: string;
  /** The subject that it is published on. */
  readonly kind: 'tx.detected' | 'tx.confirmed';
  readonly event: object;
}

/** Channels and events in a database, for specs of what is between them. Sealing is left out: the columns hold plain text. */
export interface DeliveryRows {
  readonly db: Database;
  readonly projectId: string;
  addChannel(url: string, more?: SpecChannel): Promise<string>;
  addProject(): Promise<string>;
  insertEvent(more?: SpecEvent): Promise<InsertedEvent>;
  waitForStatus(eventId: string, status: string, timeoutMs?: number): Promise<void>;
  rows<T extends object>(sql: string, values?: unknown[]): Promise<T[]>;
}

export async function createDeliveryRows(databaseUrl: string): Promise<DeliveryRows> {
  const db = createDatabase({ url: databaseUrl, applicationName: 'deliveries-spec' });
  const projectId = await addProject(db);
  const sequences = new Map<string, number>();
  const rows: DeliveryRows['rows'] = async (sql, values) => (await db.query(sql, values)).rows as never;
  return {
    db,
    projectId,
    addChannel: (url, more) => addChannel(db, url, { projectId, ...more }),
    addProject: () => addProject(db),
    async insertEvent({
      type = 'transaction.detected',
      projectId: project = projectId,
      transfers = [],
      addresses = [],
      transactionId = randomUUID(),
      traceparent,
      isHeld = false,
      transaction = {},
    } = {}) {
      const eventId = randomUUID();
      const sequence = (sequences.get(project) ?? 0) + 1;
      sequences.set(project, sequence);
      const event = buildEvent({
        ...{ eventId, type, projectId: project, sequence },
        ...{ transactionId, transfers, addresses, transaction },
      });
      const kind = type === 'transaction.confirmed' ? 'tx.confirmed' : 'tx.detected';
      await db.query(
        `INSERT INTO event_log (event_id, project_id, chain_gid, type, sequence, subject_kind, payload, traceparent, is_held, transaction_id) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
        [
          ...[eventId, project, CHAIN, type, sequence, kind],
          ...[JSON.stringify(event), traceparent ?? null, isHeld, transactionId],
        ],
      );
      return { eventId, type, projectId: project, sequence, chainGid: CHAIN, kind, event };
    },
    waitForStatus: (eventId, status, timeoutMs) => waitForStatus(rows, { eventId, status, timeoutMs }),
    rows,
  };
}

async function addChannel(
  db: Database,
  url: string,
  {
    kind = 'webhook',
    config = {},
    credentials,
    secrets = kind === 'webhook' ? [WEBHOOK_SECRET] : [],
    id = randomUUID(),
    projectId,
  }: SpecChannel,
): Promise<string> {
  await db.query(
    `INSERT INTO notification_channels (id, project_id, kind, name, config, credentials_sealed) VALUES ($1, $2, $5, 'w', $3, $4)`,
    [id, projectId, { url, ...config }, credentials === undefined ? null : JSON.stringify(credentials), kind],
  );
  for (const [position, secret] of secrets.entries()) {
    await db.query(
      `INSERT INTO webhook_secrets (channel_id, secret_sealed, mask, state) VALUES ($1, $2, '', $3)`,
      [id, secret, position === 0 ? 'current' : 'previous'],
    );
  }
  return id;
}

async function waitForStatus(
  rows: DeliveryRows['rows'],
  { eventId, status, timeoutMs }: { eventId: string; status: string; timeoutMs: number | undefined },
): Promise<void> {
  let seen: { status: string }[] = [];
  await waitFor(
    async () => {
      seen = await rows('SELECT status, last_error, attempt_count FROM deliveries WHERE event_id = $1', [
        eventId,
      ]);
      return seen.length > 0 && seen.every((row) => row.status === status);
    },
    {
      timeoutMs,
      message: () => `deliveries of ${eventId} to be ${status}, they are ${JSON.stringify(seen)}`,
    },
  );
}

async function addProject(db: Database): Promise<string> {
  const { rows } = await db.query<{ id: string }>(
    `WITH w AS (INSERT INTO workspaces (name) VALUES ('w') RETURNING id) INSERT INTO projects (workspace_id, name) SELECT id, 'p' FROM w RETURNING id`,
  );
  return rows[0]!.id;
}

function buildEvent({
  eventId,
  type,
  projectId,
  sequence,
  transactionId,
  transfers,
  addresses,
  transaction: differing,
}: {
  readonly eventId: string;
  readonly type: string;
  readonly projectId: string;
  readonly sequence: number;
  readonly transactionId: string;
  readonly transfers: readonly object[];
  readonly addresses: readonly object[];
  readonly transaction: object;
}): object {
  const at = new Date().toISOString();
  const transaction = {
    id: transactionId,
    chain_gid: CHAIN,
    hash: `0x${sequence}`,
    status: 'detected',
    direction: 'in',
    block_number: 1,
    block_hash: '0x1',
    block_timestamp: at,
    tx_index: 0,
    confirmations: 1,
    required_confirmations: 12,
    fee: null,
    transfers,
    replaced_by: null,
    verification: 'proved',
    detected_at: at,
    confirmed_at: null,
    reorged_at: null,
    ...differing,
  };
  return {
    event_id: eventId,
    type,
    api_version: 'v1',
    created_at: at,
    is_test_message: false,
    project_id: projectId,
    sequence,
    data: { transaction, balance_changes: [], addresses, truncated: false },
  };
}
