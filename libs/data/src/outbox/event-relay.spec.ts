// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { createDatabase, type Database, type Statement } from '../db/index.ts';
import { balanceEventIdOf, type EventEnvelope } from '@chainwatch/events';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { createFakeBroker, startPostgres, type FakeBroker } from '../testing/index.ts';
import { EventRelay } from './event-relay.ts';
import type { OutgoingEvent } from './read-unpublished.ts';

const CHAIN = 'eip155:1';
const OTHER = 'eip155:10';
const silent = { warn: () => undefined, error: () => undefined };

let postgres: PostgresHandle;
let db: Database;
let broker: FakeBroker;
let projectId: string;
let relays: EventRelay<'balance-service'>[];

beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  db = createDatabase({ url: await postgres.createDatabase(), applicationName: 'spec' });
  const { rows } = await db.query<{ id: string }>(
    `WITH w AS (INSERT INTO workspaces (name) VALUES ('w') RETURNING id) INSERT INTO projects (workspace_id, name) SELECT id, 'p' FROM w RETURNING id`,
  );
  projectId = rows[0]!.id;
  broker = createFakeBroker();
  relays = [];
});
afterEach(async () => {
  for (const relay of relays) await relay.stop();
  await db.close();
});

const connect = () => broker.connect('balance-service');
type FakeBus = ReturnType<typeof connect>;

function startRelay(
  chainGids: () => readonly string[] = () => [CHAIN],
  sql: Database = db,
  bus = connect(),
): EventRelay<'balance-service'> {
  const relay = new EventRelay<'balance-service'>({
    db: sql,
    bus,
    logger: silent,
    subjects: ['balance.changed'],
    chainGids,
  });
  relays.push(relay);
  return relay;
}

interface Row {
  readonly chainGid?: string;
  readonly ageSeconds?: number;
  readonly isPublished?: boolean;
  readonly isHeld?: boolean;
  readonly subject?: string;
}

let count = 0;
async function store({
  chainGid = CHAIN,
  ageSeconds = 0,
  isPublished = false,
  isHeld = false,
  subject = 'balance.changed',
}: Row = {}): Promise<OutgoingEvent> {
  count += 1;
  const addressId = randomUUID();
  const envelope: EventEnvelope<'balance.changed'> = {
    event_id: balanceEventIdOf({
      projectId,
      chainGid,
      addressId,
      assetGid: `${chainGid}/slip44:60`,
      changeCount: count,
      blockHash: '0xb1',
      amountRaw: 1n,
    }),
    type: 'balance.changed',
    api_version: 'v1',
    created_at: new Date().toISOString(),
    is_test_message: false,
    project_id: projectId,
    sequence: count,
    data: {
      address_id: addressId,
      address: '0xaa',
      chain_gid: chainGid,
      asset_gid: `${chainGid}/slip44:60`,
      previous: null,
      current: '1',
      delta: null,
      block_number: 1,
      block_hash: '0x1',
      is_confirmed: false,
      addresses: [],
    },
  };
  await db.query(
    `INSERT INTO event_log (event_id, project_id, chain_gid, type, sequence, subject_kind, payload, is_held, created_at, traceparent)
     VALUES ($1, $2, $3, 'balance.changed', $4, $5, $6, $7, now() - $8 * interval '1 second', '00-ab-cd-01')`,
    [envelope.event_id, projectId, chainGid, count, subject, JSON.stringify(envelope), isHeld, ageSeconds],
  );
  if (isPublished)
    await db.query(
      'DELETE FROM unpublished_events WHERE event_row_id = (SELECT id FROM event_log WHERE event_id = $1)',
      [envelope.event_id],
    );
  return {
    eventId: envelope.event_id,
    subject: 'balance.changed',
    chainGid,
    projectId,
    envelope,
    payload: JSON.stringify(envelope),
    traceparent: '00-ab-cd-01',
  };
}

const arrived = (): string[] => broker.payloads('balance.changed').map((payload) => payload.event_id);
const unpublished = async (): Promise<string[]> =>
  (
    await db.query<{ event_id: string }>(
      'SELECT event_id FROM event_log JOIN unpublished_events ON event_row_id = id ORDER BY id',
    )
  ).rows.map((row) => row.event_id);

describe('EventRelay', () => {
  it('publishes committed events in order, under their own ids and traces, and marks them', async () => {
    const relay = startRelay();
    const events = [await store(), await store(), await store()];
    relay.publish(events);
    await waitFor(async () => (await unpublished()).length === 0);
    expect(arrived()).toEqual(events.map((event) => event.eventId));
    expect(broker.messages.map(({ tokens, options }) => [tokens, options])).toEqual(
      events.map((event) => [
        [CHAIN, projectId],
        {
          messageId: event.eventId,
          sequence: event.envelope.sequence,
          type: event.envelope.type,
          json: JSON.stringify(event.envelope),
          traceparent: '00-ab-cd-01',
        },
      ]),
    );
  });

  it('sweeps what a crash left behind, the oldest first, without being told', async () => {
    const events = [await store({ ageSeconds: 5 }), await store({ ageSeconds: 4 })];
    startRelay();
    await waitFor(async () => (await unpublished()).length === 0);
    expect(arrived()).toEqual(events.map((event) => event.eventId));
  });

  it('leaves alone what is held, too young, of another chain or of another service', async () => {
    const relay = startRelay();
    await relay.catchUp();
    const left = [
      await store({ ageSeconds: 9, isHeld: true }),
      await store(),
      await store({ ageSeconds: 9, chainGid: OTHER }),
      await store({ ageSeconds: 9, subject: 'tx.detected' }),
    ];
    const due = await store({ ageSeconds: 9 });
    await relay.sweep(2_000);
    expect(arrived()).toEqual([due.eventId]);
    expect(await unpublished()).toEqual(left.map((event) => event.eventId));
  });

  it('leaves alone what is published and only waits for its mark', async () => {
    const marks: (() => void)[] = [];
    const query = async (statement: string | Statement, values?: unknown[]): Promise<unknown> => {
      if (typeof statement !== 'string' && statement.name === 'mark_published' && marks.length === 0)
        await new Promise<void>((resolve) => marks.push(resolve));
      return db.query(statement as string, values);
    };
    // The broker keeps one message of an id: what is sent is counted before it.
    const sent: unknown[] = [];
    const connected = connect();
    const publish: FakeBus['publish'] = (...args) => {
      sent.push(args[1].messageId);
      return connected.publish(...args);
    };
    const relay = startRelay(
      () => [CHAIN],
      { ...db, query: query as Database['query'] },
      Object.assign(Object.create(connected) as FakeBus, { publish }),
    );
    const event = await store({ ageSeconds: 9 });
    relay.publish([event]);
    await waitFor(() => marks.length === 1);
    await relay.sweep();
    expect(sent).toEqual([event.eventId]);
    marks[0]!();
    await waitFor(async () => (await unpublished()).length === 0);
  });

  it('sweeps more than one page', async () => {
    const relay = startRelay();
    for (let number = 0; number < 510; number += 1) await store({ ageSeconds: 9 });
    await relay.sweep();
    expect(arrived()).toHaveLength(510);
    expect(await unpublished()).toEqual([]);
  });

  it('keeps events while the bus is away, and brings them when it is back', async () => {
    const relay = startRelay();
    broker.isUp = false;
    const event = await store({ ageSeconds: 9 });
    relay.publish([event]);
    await relay.sweep();
    expect(await unpublished()).toEqual([event.eventId]);
    broker.isUp = true;
    await waitFor(async () => (await unpublished()).length === 0);
    expect(arrived()).toEqual([event.eventId]);
  });

  it('keeps the order of the table for what came while the bus was away', async () => {
    const relay = startRelay();
    await relay.catchUp();
    broker.isUp = false;
    const events = [await store(), await store(), await store()];
    relay.publish(events.slice(0, 2));
    broker.isUp = true;
    // The bus would take it at once, before the ones that wait.
    relay.publish(events.slice(2));
    await relay.catchUp();
    expect(arrived()).toEqual(events.map((event) => event.eventId));
  });

  it('lets nothing new pass one that the bus did not take', async () => {
    const refused: unknown[] = [];
    const connected = connect();
    const publish: FakeBus['publish'] = async (...args) => {
      if (refused.length < 2) {
        refused.push(args[1].messageId);
        throw new Error('no leader');
      }
      return connected.publish(...args);
    };
    const relay = startRelay(
      () => [CHAIN],
      db,
      Object.assign(Object.create(connected) as FakeBus, { publish }),
    );
    await relay.catchUp();
    const events = [await store(), await store(), await store()];
    relay.publish(events.slice(0, 1));
    await waitFor(() => refused.length > 0);
    for (const event of events.slice(1)) relay.publish([event]);
    await relay.catchUp();
    expect(refused).toEqual([events[0]!.eventId, events[0]!.eventId]);
    expect(arrived()).toEqual(events.map((event) => event.eventId));
  });

  it('publishes more than may be under way at once in the order of the table', async () => {
    const relay = startRelay();
    await relay.catchUp();
    const events: OutgoingEvent[] = [];
    for (let number = 0; number < 600; number += 1) events.push(await store());
    relay.publish(events.slice(0, 599));
    relay.publish(events.slice(599));
    await relay.catchUp();
    await waitFor(() => arrived().length === 600);
    expect(arrived()).toEqual(events.map((event) => event.eventId));
  });

  it('publishes what is recent again when the stream is lost, each chain by its owner', async () => {
    await startRelay().catchUp();
    const others = startRelay(() => [OTHER]);
    await others.catchUp();
    await store({ ageSeconds: 3_600, isPublished: true });
    const other = await store({ ageSeconds: 60, isPublished: true, chainGid: OTHER });
    const recent = [
      await store({ ageSeconds: 60, isPublished: true }),
      await store({ ageSeconds: 30, isPublished: true }),
    ];
    broker.wipe();
    await waitFor(async () => arrived().length === 3 && (await unpublished()).length === 0);
    expect(arrived().filter((id) => id !== other.eventId)).toEqual(recent.map((event) => event.eventId));
  });

  it('publishes again, too, what belongs to a chain that is owned only after the loss', async () => {
    let owned: string[] = [];
    const relay = startRelay(() => owned);
    await relay.catchUp();
    const event = await store({ ageSeconds: 60, isPublished: true });
    broker.wipe();
    await relay.catchUp();
    expect([arrived(), await unpublished()]).toEqual([[], [event.eventId]]);
    owned = [CHAIN];
    await relay.catchUp();
    expect(arrived()).toEqual([event.eventId]);
  });

  it('notices at its start that the stream was lost while nobody was there', async () => {
    const first = startRelay();
    const event = await store();
    await first.catchUp();
    await first.stop();
    expect([arrived(), await unpublished()]).toEqual([[event.eventId], []]);
    broker.wipe();
    await startRelay().catchUp();
    expect(arrived()).toEqual([event.eventId]);
  });

  it('notices that the stream forgot what it had stored last, and nothing when it did not', async () => {
    const seen = (): Promise<{ last_seq: number }[]> =>
      db.query<{ last_seq: number }>('SELECT last_seq FROM stream_incarnations').then(({ rows }) => rows);
    const first = startRelay();
    await first.catchUp();
    const events = [await store(), await store()];
    first.publish(events);
    await first.stop();
    expect(await seen()).toEqual([{ last_seq: 2 }]);
    const sent: unknown[] = [];
    const connected = connect();
    const bus = Object.assign(Object.create(connected) as FakeBus, {
      publish: (async (...args) => void sent.push(args[1].messageId)) satisfies FakeBus['publish'],
    });
    await startRelay(() => [CHAIN], db, bus).catchUp();
    expect(sent).toEqual([]);
    bus.streamState = () => ({ ...connected.streamState('balance'), lastSeq: 1 });
    bus.readStream = async () => bus.streamState('balance');
    await startRelay(() => [CHAIN], db, bus).catchUp();
    expect(sent).toEqual(events.map((event) => event.eventId));
    // What the bus said then is what is known now.
    await startRelay(() => [CHAIN], db, bus).catchUp();
    expect(sent).toHaveLength(2);
  });

  it('does not count as published what a stream had stored that was lost before the mark', async () => {
    const connected = connect();
    const publish: FakeBus['publish'] = async (...args) => {
      await connected.publish(...args);
      // Another replica notices the loss first.
      if (broker.messages.length === 1 && connected.streamState('balance').incarnation === '1') {
        await db.query(`UPDATE stream_incarnations SET incarnation = 'another'`);
      }
    };
    const relay = startRelay(
      () => [CHAIN],
      db,
      Object.assign(Object.create(connected) as FakeBus, { publish }),
    );
    await relay.catchUp();
    const event = await store();
    relay.publish([event]);
    await relay.stop();
    expect(await unpublished()).toEqual([event.eventId]);
  });

  it('marks what is under way before it stops', async () => {
    const relay = startRelay();
    relay.publish([await store()]);
    await relay.stop();
    expect(await unpublished()).toEqual([]);
  });
});
