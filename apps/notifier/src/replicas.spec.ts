import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import type { Database, Statement } from '@chainwatch/db';
import { waitFor } from '@chainwatch/testing';
import type { Receiver } from '@chainwatch/testing-stack';
import { giveWorlds, type World } from './spec-world.ts';

let world: World;
let receiver: Receiver;
giveWorlds((given) => ({ world, receiver } = given));

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
    // A status says nothing about rows that the other replica has not inserted yet.
    await waitFor(() => receiver.requests.length >= 60 * ids.length);
    expect(receiver.requests).toHaveLength(60 * ids.length);
    expect(Math.min(...counts)).toBeGreaterThan(60);
    const arrived = (id: string): unknown[] =>
      receiver.requests
        .filter(({ url }) => url.endsWith(id))
        .map(({ headers }) => headers['x-webhook-event-id']);
    for (const id of ids) expect(arrived(id)).toEqual(sent);
  });

  test('take waiting deliveries over ahead of what is new, when a replica comes and when one leaves', async () => {
    const ids = ['00', '44', '88', 'cc'].map((head) => `${head}${randomUUID().slice(2)}`);
    for (const id of ids) await world.addChannel(`${receiver.url}?${id}`, { id });
    receiver.answer = (_req, res) => void setTimeout(() => res.end(), 20);
    // What waits is looked for long after what is new has come.
    const options = { concurrencyPerChannel: 1, pollMs: 300 };
    const first = await world.start(options, { ...share, sweepAfterMs: 30_000 });
    await waitFor(async () => (await countShares()).join() === '32');
    const sent: string[] = [];
    const emit = async (count: number): Promise<void> => {
      for (let done = 0; done < count; done += 1) {
        sent.push(await world.emit());
        await delay(5);
      }
    };
    await emit(40);
    await world.start(options, { ...share, sweepAfterMs: 30_000 });
    await emit(60);
    await settled();
    await emit(40);
    await Promise.all([first.stop(), emit(60)]);
    for (const eventId of sent) await world.waitForStatus(eventId, 'delivered');
    await waitFor(() => receiver.requests.length >= sent.length * ids.length);
    for (const id of ids)
      expect(
        receiver.requests
          .filter(({ url }) => url.endsWith(id))
          .map(({ headers }) => sent.indexOf(headers['x-webhook-event-id'] as string)),
      ).toEqual(sent.map((_, index) => index));
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
    expect(gate.seen.ownedDuringWrite).toBe('some');
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
  /** What it looked after when all shares were its own, while the deliveries were being written. */
  ownedDuringWrite: Seen['owned'] | undefined;
  hasTakenOver: boolean;
  isDone: boolean;
}

/**
 * A database in which the other replica dies while the first deliveries are written. It keeps the replica
 * that takes over from looking for what the other one left, until whatever follows that write is done. Before
 * that replica owns all channels its look-ups find nothing, so the first deliveries come from a message.
 */
function gateTakeover(db: Database): { db: Database; seen: Seen } {
  const seen: Seen = {
    owned: 'none',
    ownCount: 0,
    ownedDuringWrite: undefined,
    hasTakenOver: false,
    isDone: false,
  };
  let marking: Promise<unknown> = Promise.resolve();

  async function write(statement: Statement): Promise<unknown> {
    seen.ownCount = (statement.values![0] as string[]).length;
    await db.query('DELETE FROM owner_beats WHERE owner = $1', [OTHER]);
    await db.query('UPDATE owners SET lease_until = clock_timestamp() WHERE owner = $1', [OTHER]);
    await waitFor(async () => {
      const { rows } = await db.query(`SELECT FROM owners WHERE kind = 'channels' AND owner = $1`, [OTHER]);
      return rows.length === 0;
    });
    // It has the shares, and begins with their channels when what is under way is written.
    seen.ownedDuringWrite = seen.owned;
    const result = await db.query(statement);
    void letFollow();
    return result;
  }

  async function letFollow(): Promise<void> {
    // Longer than the time for which marks are gathered.
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
