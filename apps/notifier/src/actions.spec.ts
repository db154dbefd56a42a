import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import type { Database, Statement } from '@chainwatch/db';
import { waitFor } from '@chainwatch/testing';
import { giveWorlds, SECRET, type Receiver, type World } from './spec-world.ts';

let world: World;
let receiver: Receiver;
giveWorlds((given) => ({ world, receiver } = given));

const eventIds = (): unknown[] => receiver.requests.map(({ headers }) => headers['x-webhook-event-id']);
const statusOf = async (channelId: string): Promise<string> =>
  (
    await world.rows<{ status: string }>('SELECT status FROM notification_channels WHERE id = $1', [
      channelId,
    ])
  )[0]!.status;

/** As the gateway writes it. */
async function sendTest(channelId: string): Promise<string> {
  const eventId = randomUUID();
  await world.db.query(
    `INSERT INTO events (event_id, project_id, type, sequence, subject_kind, payload) VALUES ($1, $2, 'transaction.detected', 0, 'test', '{"is_test_message":true}')`,
    [eventId, world.projectId],
  );
  await world.db.query(
    `INSERT INTO deliveries (project_id, channel_id, event_id, event_type, status, is_test) VALUES ($1, $2, $3, 'transaction.detected', 'pending', true)`,
    [world.projectId, channelId, eventId],
  );
  return eventId;
}

describe('test messages', () => {
  test.each([
    ['archived', 'is_archived = true'],
    ['failing', `status = 'failing', consecutive_failures = 9, probe_at = now() + interval '1 hour'`],
    ['failed', `status = 'failed', failed_at = now()`],
  ])('go to a channel that is %s', async (name, change) => {
    const channelId = await world.addChannel(receiver.url);
    await world.db.query(`UPDATE notification_channels SET ${change} WHERE id = $1`, [channelId]);
    await world.start({ pollMs: 50 });
    const held = await world.emit();
    await world.waitForStatus(held, 'held');
    await world.waitForStatus(await sendTest(channelId), 'delivered');
    // What arrives proves that the channel works; what it held follows. An archived one stays what its owner made it.
    if (name === 'archived') await world.waitForStatus(held, 'held');
    else await world.waitForStatus(held, 'delivered');
    expect(await world.rows('SELECT is_archived, status, failed_at FROM notification_channels')).toEqual([
      { is_archived: name === 'archived', status: 'active', failed_at: null },
    ]);
  });

  test('are tried once, and count for nothing when they fail', async () => {
    const channelId = await world.addChannel(receiver.url);
    receiver.answer = (_req, res) => void res.writeHead(410).end();
    await world.start({ pollMs: 50, scheduleMs: [0, 20, 20, 20, 20, 20] });
    for (let count = 0; count < 6; count += 1) await world.waitForStatus(await sendTest(channelId), 'failed');
    expect(receiver.requests).toHaveLength(6);
    expect(await world.rows('SELECT status, consecutive_failures FROM notification_channels')).toEqual([
      { status: 'active', consecutive_failures: 0 },
    ]);
  });
});

test('a redelivery has the same event id, another delivery id and the whole schedule, and goes behind what is new', async () => {
  const channelId = await world.addChannel(receiver.url);
  await world.start({ pollMs: 50, scheduleMs: [0, 30] });
  const eventId = await world.emit();
  await world.waitForStatus(eventId, 'delivered');
  receiver.answer = (_req, res) => void res.writeHead(500).end();
  await world.db.query(
    `UPDATE deliveries SET status = 'held', attempt_base = attempt_count, delivered_at = NULL WHERE event_id = $1`,
    [eventId],
  );
  await world.waitForStatus(eventId, 'failed');
  expect(eventIds()).toEqual([eventId, eventId, eventId]);
  expect(new Set(receiver.requests.map(({ headers }) => headers['x-webhook-delivery-id'])).size).toBe(3);
  expect(await world.rows('SELECT number FROM delivery_attempts ORDER BY started_at')).toEqual([
    { number: 1 },
    { number: 2 },
    { number: 3 },
  ]);
  expect(await world.rows('SELECT attempt_count FROM deliveries')).toEqual([{ attempt_count: 3 }]);
  expect(await statusOf(channelId)).toBe('failed');
});

test('the previous secret stops signing when its overlap ends, without anything being told', async () => {
  const channelId = await world.addChannel(receiver.url, {
    secrets: [SECRET, 'svc_whsec_abcdefghijklmnopqrstuvwxyz0000'],
  });
  await world.start();
  await world.db.query(
    `UPDATE webhook_secrets SET expires_at = now() + interval '3 s' WHERE channel_id = $1 AND state = 'previous'`,
    [channelId],
  );
  await world.waitForStatus(await world.emit(), 'delivered');
  await waitFor(
    async () => (await world.rows(`SELECT 1 FROM webhook_secrets WHERE expires_at < now()`)).length === 1,
  );
  await world.waitForStatus(await world.emit(), 'delivered');
  expect(
    receiver.requests.map(({ headers }) => String(headers['x-webhook-signature']).match(/v1=/g)!.length),
  ).toEqual([2, 1]);
});

const OTHER = randomUUID();

describe('two replicas', () => {
  const share = { shareTiming: { lookMs: 50, beatMs: 1_000, letGoMs: 20 }, sweepIntervalMs: 50 };
  const countShares = async (): Promise<number[]> =>
    (
      await world.rows<{ count: number }>(
        `SELECT count(*)::int AS count FROM owners WHERE kind = 'channels' AND lease_until > clock_timestamp() GROUP BY owner`,
      )
    ).map(({ count }) => count);
  /** Each of them has its half. */
  const settled = (): Promise<unknown> => waitFor(async () => (await countShares()).join() === '16,16');

  test('share the channels, and each channel gets its events in order', async () => {
    const ids = [
      '00',
      '11',
      '22',
      '33',
      '44',
      '55',
      '66',
      '77',
      '88',
      '99',
      'aa',
      'bb',
      'cc',
      'dd',
      'ee',
      'ff',
    ].map((head) => `${head}${randomUUID().slice(2)}`);
    for (const id of ids) await world.addChannel(`${receiver.url}?${id}`, { id });
    const counts = [0, 0];
    for (const index of [0, 1])
      await world.start(
        { concurrencyPerChannel: 1, pollMs: 50 },
        { ...share, sweepAfterMs: 10_000, onAttempt: () => (counts[index]! += 1) },
      );
    await settled();
    const sent: string[] = [];
    for (let count = 0; count < 60; count += 1) sent.push(await world.emit());
    for (const eventId of sent) await world.waitForStatus(eventId, 'delivered');
    expect(receiver.requests).toHaveLength(60 * ids.length);
    expect(Math.min(...counts)).toBeGreaterThan(60);
    const arrived = (id: string): unknown[] =>
      receiver.requests
        .filter(({ url }) => url.endsWith(id))
        .map(({ headers }) => headers['x-webhook-event-id']);
    for (const id of ids) expect(arrived(id)).toEqual(sent);
  });

  test('take over from one that leaves, and complete what a replica did not hear', async () => {
    const ids = ['1', '2', '3', '4', '5', '6', '7', '8'].map((head) => `${head}${randomUUID().slice(1)}`);
    for (const id of ids) await world.addChannel(receiver.url, { id });
    const first = await world.start({ pollMs: 50 }, { ...share, sweepAfterMs: 200 });
    await world.start({ pollMs: 50 }, { ...share, sweepAfterMs: 200 });
    await settled();
    const unheard = await world.emit({ isPublished: false });
    await world.waitForStatus(unheard, 'delivered');
    await first.stop();
    const later = await world.emit();
    await world.waitForStatus(later, 'delivered');
    await waitFor(() => receiver.requests.length === 2 * ids.length);
    await waitFor(async () => (await world.rows('SELECT 1 FROM undispatched_events')).length === 0);
  });

  test('lose nothing of an event when channels come while it is dispatched', async () => {
    const ids = ['00', '22', '44', '66', '88', 'aa', 'cc', 'ee'].map(
      (head) => `${head}${randomUUID().slice(2)}`,
    );
    for (const id of ids) await world.addChannel(receiver.url, { id });
    await world.db.query(
      `INSERT INTO owner_beats (kind, owner, ready, declined, beat_until) VALUES ('channels', $1, '{all}', '{}', now() + interval '1 hour')`,
      [OTHER],
    );
    await world.db.query(
      `INSERT INTO owners (kind, share, owner, token, lease_until)
       SELECT 'channels', lpad(to_hex(n), 2, '0'), $1, 1, now() + interval '1 hour' FROM generate_series(1, 31) AS n`,
      [OTHER],
    );
    const gate = gateTakeover(world.db);
    await world.start({ pollMs: 50 }, { db: gate.db, shareTiming: { lookMs: 20 }, sweepAfterMs: 600_000 });
    // One part is free; what is sent from now on is heard.
    await waitFor(() => gate.seen.owned === 'some');
    await waitForConsumer('tx');
    const eventId = await world.emit();
    await waitFor(async () => (await world.rows('SELECT 1 FROM undispatched_events')).length === 0);
    await world.waitForStatus(eventId, 'delivered');
    expect(
      (await world.rows<{ channel_id: string }>('SELECT channel_id FROM deliveries ORDER BY 1')).map(
        ({ channel_id: id }) => id,
      ),
    ).toEqual(ids);
    expect(gate.seen.ownCount).toBeLessThan(ids.length);
  });
});

async function waitForConsumer(stream: string): Promise<void> {
  const stranger = await connect({ servers: world.environment.NATS_URL });
  try {
    const manager = await jetstreamManager(stranger);
    await waitFor(async () => (await manager.consumers.list(stream).next()).length > 0);
  } finally {
    await stranger.close();
  }
}

interface Seen {
  /** Of the channels, by the replica that takes over. */
  owned: 'none' | 'some' | 'all';
  ownCount: number;
  hasTakenOver: boolean;
  isDone: boolean;
}

/**
 * A database in which the other replica dies while the first deliveries are written, and which keeps the replica that
 * takes over from looking for what the other one left until whatever follows that write is done. Before it has all
 * channels it finds nothing by looking, so that the first deliveries are those of a message.
 */
function gateTakeover(db: Database): { db: Database; seen: Seen } {
  const seen: Seen = { owned: 'none', ownCount: 0, hasTakenOver: false, isDone: false };
  let marking: Promise<unknown> = Promise.resolve();

  async function write(statement: Statement): Promise<unknown> {
    seen.ownCount = (statement.values![0] as string[]).length;
    await db.query('DELETE FROM owner_beats WHERE owner = $1', [OTHER]);
    await db.query('UPDATE owners SET lease_until = clock_timestamp() WHERE owner = $1', [OTHER]);
    await waitFor(() => seen.hasTakenOver);
    const result = await db.query(statement);
    void letFollow();
    return result;
  }

  async function letFollow(): Promise<void> {
    // Longer than marks are gathered.
    await delay(100);
    await marking;
    seen.isDone = true;
  }

  async function catchUp(text: string, values: unknown[]): Promise<unknown> {
    seen.hasTakenOver ||= seen.owned === 'all';
    if (!seen.hasTakenOver) return { rows: [] };
    await waitFor(() => seen.isDone);
    return db.query(text, values);
  }

  function query(statement: string | Statement, values: unknown[] = []): Promise<unknown> {
    if (typeof statement === 'string' && /FROM notification_channels c\s+WHERE/.test(statement)) {
      const [partitions] = values as [readonly string[] | null];
      if (partitions === null) seen.owned = 'all';
      else if (partitions.length > 0) seen.owned = 'some';
    }
    if (typeof statement === 'string')
      return statement.includes('event_row_id > $1')
        ? catchUp(statement, values)
        : db.query(statement, values);
    if (statement.name === 'insert_deliveries' && seen.ownCount === 0) return write(statement);
    const result = db.query(statement);
    if (statement.name === 'mark_dispatched') marking = result;
    return result;
  }
  return { db: { ...db, query: query as Database['query'] }, seen };
}
