// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { createBus, type Bus } from '@chainwatch/data/bus';
import type { Database } from '@chainwatch/data/db';
import { uuidv5, type EventEnvelope } from '@chainwatch/events';

const CHAIN = 'eip155:31337';

export interface MadeEvent {
  readonly eventId: string;
  readonly projectId: string;
  readonly event: EventEnvelope<'transaction.detected'>;
}

/** Events as the analyzer commits and publishes them, without a chain. Bodies have 1.4 KB. */
export class EventSource {
  readonly #db: Database;
  readonly #bus: Bus<'tx-analyzer'>;
  #sequence = 0;

  private constructor(db: Database, bus: Bus<'tx-analyzer'>) {
    this.#db = db;
    this.#bus = bus;
  }

  static async open(db: Database, natsUrl: string): Promise<EventSource> {
    return new EventSource(db, await createBus('tx-analyzer', { url: natsUrl }));
  }

  /** Commits `count` events, shared evenly among the projects, in turn. Held ones are nobody's until they are released. */
  async commit(projectIds: readonly string[], count: number, isHeld = false): Promise<MadeEvent[]> {
    const made: MadeEvent[] = [];
    for (let index = 0; index < count; index += 1)
      made.push(this.#make(projectIds[this.#sequence % projectIds.length]!));
    for (let at = 0; at < count; at += 2_000) {
      const batch = made.slice(at, at + 2_000);
      await this.#db.query(
        `INSERT INTO event_log (event_id, project_id, chain_gid, type, sequence, subject_kind, payload, is_held)
         SELECT u.event_id, u.project_id, $4, 'transaction.detected', 1, 'tx.detected', u.payload, $5 FROM unnest($1::uuid[], $2::uuid[], $3::text[]) WITH ORDINALITY AS u (event_id, project_id, payload, n) ORDER BY n`,
        [
          batch.map(({ eventId }) => eventId),
          batch.map(({ projectId }) => projectId),
          batch.map(({ event }) => JSON.stringify(event)),
          CHAIN,
          isHeld,
        ],
      );
    }
    return made;
  }

  /** As if the held events had been committed now. */
  async release(): Promise<void> {
    await this.#db.query('UPDATE event_log SET is_held = false, created_at = now() WHERE is_held');
  }

  async publish({ eventId, projectId, event }: MadeEvent): Promise<void> {
    await this.#bus.publish('tx.detected', {
      tokens: [CHAIN, projectId],
      payload: event,
      messageId: eventId,
      type: event.type,
    });
  }

  close(): Promise<void> {
    return this.#bus.close();
  }

  #make(projectId: string): MadeEvent {
    this.#sequence += 1;
    const hash = `0x${this.#sequence.toString(16).padStart(64, '0')}`;
    const eventId = uuidv5([projectId, hash, randomUUID()].join('|'));
    return { eventId, projectId, event: buildEvent(eventId, { projectId, hash, sequence: this.#sequence }) };
  }
}

interface Made {
  readonly projectId: string;
  readonly hash: string;
  readonly sequence: number;
}

function buildEvent(
  eventId: string,
  { projectId, hash, sequence }: Made,
): EventEnvelope<'transaction.detected'> {
  const at = new Date().toISOString();
  const [from, to] = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`];
  const assetGid = `${CHAIN}/erc20:0x${'3'.repeat(40)}`;
  const transfer = {
    index: 0,
    type: 'token' as const,
    asset_gid: assetGid,
    from,
    to,
    amount: '25',
    amount_raw: '25000000',
    decimals: 6,
    log_index: 3,
    memo: null,
    monitored_addresses: [to],
  };
  const transaction: EventEnvelope<'transaction.detected'>['data']['transaction'] = {
    id: eventId,
    chain_gid: CHAIN,
    hash,
    status: 'detected',
    direction: 'in',
    block_number: sequence,
    block_hash: hash,
    block_timestamp: at,
    tx_index: 0,
    confirmations: 1,
    required_confirmations: 12,
    fee: null,
    memo: null,
    matures_at_block: null,
    transfers: [transfer],
    replaced_by: null,
    verification: 'proved',
    detected_at: at,
    confirmed_at: null,
    reorged_at: null,
  };
  const change = {
    address_id: projectId,
    address: to,
    asset_gid: assetGid,
    delta: '50',
    delta_raw: '50000000',
  };
  return {
    event_id: eventId,
    type: 'transaction.detected',
    api_version: 'v1',
    created_at: at,
    is_test_message: false,
    project_id: projectId,
    sequence,
    data: { transaction, balance_changes: [change], addresses: [], truncated: false },
  };
}

interface NewChannel {
  readonly url: string;
  readonly secretSealed: (secretId: string) => string;
}

/** A project for each webhook channel, straight in the database: many at once, without the API. */
export async function addProjects(db: Database, channels: readonly NewChannel[]): Promise<string[]> {
  const projectIds: string[] = [];
  for (const channel of channels) projectIds.push(await addProject(db, [channel]));
  return projectIds;
}

export async function addProject(db: Database, channels: readonly NewChannel[]): Promise<string> {
  const [workspaceId, projectId] = [randomUUID(), randomUUID()];
  await db.query(`INSERT INTO workspaces (id, name) VALUES ($1, 'deliveries')`, [workspaceId]);
  await db.query(`INSERT INTO projects (id, workspace_id, name) VALUES ($1, $2, 'deliveries')`, [
    projectId,
    workspaceId,
  ]);
  for (const { url, secretSealed } of channels) {
    const [channelId, secretId] = [randomUUID(), randomUUID()];
    await db.query(
      `INSERT INTO notification_channels (id, project_id, kind, name, config) VALUES ($1, $2, 'webhook', 'deliveries', $3)`,
      [channelId, projectId, JSON.stringify({ url, event_types: ['transaction.detected'] })],
    );
    await db.query(
      `INSERT INTO webhook_secrets (id, channel_id, secret_sealed, mask, state) VALUES ($1, $2, $3, '', 'current')`,
      [secretId, channelId, secretSealed(secretId)],
    );
  }
  return projectId;
}
