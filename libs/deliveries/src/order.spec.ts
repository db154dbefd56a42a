// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import type { Database, Statement } from '@chainwatch/data/db';
import { waitFor } from '@chainwatch/testing';
import type { Receiver } from '@chainwatch/data/testing';
import { giveWorlds, type World } from './spec-world.ts';

let world: World;
let receiver: Receiver;
giveWorlds((given) => ({ world, receiver } = given));

const ONE = { concurrencyPerChannel: 1 };
const arrived = (): unknown[] => receiver.requests.map(({ headers }) => headers['x-webhook-event-id']);

/** A database whose statements of that name pass `around` first. */
function intercept(
  name: string,
  around: (statement: Statement, run: () => Promise<unknown>) => Promise<unknown>,
): Database {
  const query = (statement: string | Statement, values?: unknown[]): Promise<unknown> => {
    if (typeof statement === 'string') return world.db.query(statement, values);
    const run = (): Promise<unknown> => world.db.query(statement);
    return statement.name === name ? around(statement, run) : run();
  };
  return { ...world.db, query: query as Database['query'] };
}

function createGate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

async function emitAll(count: number): Promise<string[]> {
  const sent: string[] = [];
  while (sent.length < count) sent.push(await world.emit());
  return sent;
}

/** Resolves when so many deliveries are stored. */
const stored = (count: number, where = 'true'): Promise<unknown> =>
  waitFor(async () => (await world.rows(`SELECT 1 FROM deliveries WHERE ${where}`)).length === count);

/** An untried delivery, older than all others, whose time comes in 6 s. */
async function insertWaiting(channelId: string, lastError: string | null = null): Promise<string> {
  const { eventId } = await world.insertEvent({});
  await world.db.query('DELETE FROM undispatched_events');
  await world.db.query(
    `INSERT INTO deliveries (id, project_id, channel_id, event_id, event_type, status, next_attempt_at, last_error)
     VALUES ($1, $2, $3, $4, 'transaction.detected', 'pending', now() + interval '6 s', $5)`,
    [`01900000-0000-7000-8000-${randomUUID().slice(24)}`, world.projectId, channelId, eventId, lastError],
  );
  return eventId;
}

const makeDue = (eventId: string): Promise<unknown> =>
  world.db.query('UPDATE deliveries SET next_attempt_at = now() WHERE event_id = $1', [eventId]);

async function expectInOrder(sent: readonly string[]): Promise<void> {
  for (const eventId of sent) await world.waitForStatus(eventId, 'delivered');
  expect(arrived()).toEqual(sent);
}

describe('no event overtakes an older one of its channel', () => {
  test.each(['list_undispatched', 'list_channels_by_project_id', 'store_deliveries', 'claim_deliveries'])(
    'when %s fails',
    async (name) => {
      await world.addChannel(receiver.url);
      let calls = 0;
      const db = intercept(name, async (_statement, run) => {
        calls += 1;
        if (calls % 3 === 1) throw new Error('Connection terminated unexpectedly');
        return run();
      });
      await world.start({ ...ONE, pollMs: 50 }, { db });
      await expectInOrder(await emitAll(5));
      expect(calls).toBeGreaterThan(1);
    },
  );

  test('when the answer to what was stored is lost, which is not sent twice either', async () => {
    await world.addChannel(receiver.url);
    let calls = 0;
    const db = intercept('store_deliveries', async (_statement, run) => {
      calls += 1;
      const result = await run();
      if (calls % 2 === 1) throw new Error('Connection terminated unexpectedly');
      return result;
    });
    await world.start({ ...ONE, pollMs: 50 }, { db });
    await expectInOrder(await emitAll(5));
  });

  test('when another replica stores a batch late, whichever channels it owns', async () => {
    await world.addChannel(receiver.url);
    const gate = createGate();
    const batches: number[] = [];
    const late = intercept('store_deliveries', async ({ values }, run) => {
      batches.push((values![0] as unknown[]).length);
      await gate.opened;
      return run();
    });
    const other = await world.start({}, { db: late }, { owns: () => false });
    const sent = await emitAll(3);
    await waitFor(() => batches.length === 1);
    await world.start(ONE);
    await stored(3);
    sent.push(...(await emitAll(3)));
    gate.open();
    other.ring();
    await expectInOrder(sent);
    expect(await world.rows('SELECT FROM deliveries')).toHaveLength(6);
  });

  test('when two replicas store at once', async () => {
    const channelId = await world.addChannel(receiver.url);
    await world.start({ pollMs: 5 }, {}, { owns: () => false });
    await world.start({ ...ONE, pollMs: 5 });
    await expectInOrder(await emitAll(120));
    const rows = await world.rows<{ event_id: string }>(
      'SELECT event_id FROM deliveries WHERE channel_id = $1 ORDER BY id',
      [channelId],
    );
    expect(rows.map(({ event_id: id }) => id)).toEqual(arrived());
  });

  test('when a replica of the former release has it, until that one has sent it', async () => {
    const older = await insertWaiting(await world.addChannel(receiver.url));
    await world.start({ ...ONE, pollMs: 50 });
    const newer = await emitAll(3);
    await stored(4);
    expect(arrived()).toEqual([]);
    await world.db.query(
      `UPDATE deliveries SET status = 'delivered', attempt_count = 1 WHERE event_id = $1`,
      [older],
    );
    await expectInOrder(newer);
  });

  test.each([null, 'status 429'])('when it waits (%p) and its time comes', async (lastError) => {
    const older = await insertWaiting(await world.addChannel(receiver.url), lastError);
    await world.start({ ...ONE, pollMs: 50 });
    const newer = await emitAll(3);
    await stored(4);
    expect(arrived()).toEqual([]);
    await makeDue(older);
    await expectInOrder([older, ...newer]);
  });

  test('when the former release held it because its memory was full', async () => {
    const channelId = await world.addChannel(receiver.url);
    const older: string[] = [];
    for (let count = 0; count < 5; count += 1) older.push(await insertWaiting(channelId));
    await world.db.query(`UPDATE deliveries SET status = 'held' WHERE event_id = ANY($1)`, [
      older.filter((_, index) => index % 2 === 0),
    ]);
    for (const eventId of older) await makeDue(eventId);
    // In the order of their ids, which the spec gave at random.
    const rows = await world.rows<{ event_id: string }>('SELECT event_id FROM deliveries ORDER BY id');
    const { eventId: newer } = await world.insertEvent({});
    await world.start(ONE);
    await expectInOrder([...rows.map(({ event_id: id }) => id), newer]);
  });
});

test('what waits for a fault of our own holds back nothing, however many there are', async () => {
  const channelId = await world.addChannel(receiver.url);
  for (let count = 0; count < 20; count += 1) await insertWaiting(channelId, 'internal_error');
  await world.start({ ...ONE, pollMs: 50 });
  await expectInOrder(await emitAll(3));
});

test.each([
  ['retries', {}],
  ['retries', { queue: 4 }],
  ['history', {}],
  ['history', { queue: 4 }],
])('an event that comes while %s are claimed stops neither (%j)', async (kind, options) => {
  const channelId = await world.addChannel(receiver.url);
  const behind = [await world.insertEvent({}), await world.insertEvent({})].map(({ eventId }) => eventId);
  await world.db.query('DELETE FROM undispatched_events');
  await world.db.query(
    `INSERT INTO deliveries (id, project_id, channel_id, event_id, event_type, status, next_attempt_at, attempt_count, is_historical)
     SELECT gen_random_uuid(), $1, $2, unnest($3::uuid[]), 'transaction.detected', 'pending', now(), $4, $5`,
    [world.projectId, channelId, behind, kind === 'retries' ? 1 : 0, kind === 'history'],
  );
  let live: string | undefined;
  let looks = 0;
  const claiming = intercept('claim_deliveries', async (_statement, run) => {
    const result = await run();
    if (live !== undefined) return result;
    live = await world.emit();
    await stored(3);
    // The scheduler looks again once it has told of what it stored.
    const before = looks;
    await waitFor(() => looks > before);
    return result;
  });
  const db = {
    ...claiming,
    query: ((statement: string | Statement, values?: unknown[]) => {
      if (typeof statement !== 'string' && statement.name === 'list_undispatched') looks += 1;
      return claiming.query(statement as string, values);
    }) as Database['query'],
  };
  await world.start(options, { db });
  await stored(3, `status = 'delivered'`);
  expect(arrived().toSorted()).toEqual([...behind, live].toSorted());
});

test('what is claimed for a channel that goes meanwhile is not sent', async () => {
  await world.addChannel(receiver.url);
  let isOwner = true;
  const db = intercept('claim_deliveries', async (_statement, run) => {
    const result = await run();
    isOwner = false;
    return result;
  });
  await world.start({ pollMs: 50 }, { db }, { owns: () => isOwner });
  await world.emit();
  await waitFor(() => !isOwner);
  await world.start({ pollMs: 50 });
  await waitFor(() => receiver.requests.length === 1);
  await stored(1, `status = 'delivered'`);
});

test('a replica that lost a channel in a standstill starts nothing more of it', async () => {
  await world.addChannel(receiver.url);
  const gate = createGate();
  receiver.answer = (_req, res) => void gate.opened.then(() => res.end());
  let isOwner = true;
  await world.start({ ...ONE, pollMs: 50 }, {}, { owns: () => isOwner });
  const [first, second] = await emitAll(2);
  await waitFor(() => receiver.requests.length === 1);
  isOwner = false;
  gate.open();
  await world.waitForStatus(first!, 'delivered');
  await world.start({ ...ONE, pollMs: 50 });
  await world.waitForStatus(second!, 'delivered');
  expect(arrived()).toEqual([first, second]);
});

test('leaves a share when what is under way is on record, and starts nothing more of it', async () => {
  const channelId = await world.addChannel(receiver.url);
  const gate = createGate();
  receiver.answer = (_req, res) => void gate.opened.then(() => res.end());
  let isOwner = true;
  const engine = await world.start({ ...ONE, pollMs: 50 }, {}, { owns: () => isOwner });
  const [first] = await emitAll(2);
  await waitFor(() => receiver.requests.length === 1);
  isOwner = false;
  let hasLeft = false;
  const share = (Number.parseInt(channelId.slice(0, 2), 16) >> 3).toString(16).padStart(2, '0');
  const leaving = engine.leave(share).then(() => (hasLeft = true));
  await world.emit();
  await stored(3);
  expect(hasLeft).toBe(false);
  gate.open();
  await leaving;
  expect(await world.rows(`SELECT event_id FROM deliveries WHERE status = 'delivered'`)).toEqual([
    { event_id: first },
  ]);
  expect(arrived()).toEqual([first]);
});
