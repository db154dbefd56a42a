import { randomUUID } from 'node:crypto';
import type { Database, Statement } from '@chainwatch/db';
import { waitFor } from '@chainwatch/testing';
import type { Receiver } from '@chainwatch/testing-stack';
import { giveWorlds, type World } from './spec-world.ts';

let world: World;
let receiver: Receiver;
giveWorlds((given) => ({ world, receiver } = given));

const CHAIN = 'eip155:31337';
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

/** Each goes in a batch of its own: the one before it has begun when an event is committed. */
async function emitApart(count: number): Promise<string[]> {
  const sent: string[] = [];
  while (sent.length < count) sent.push(await world.emit());
  return sent;
}

async function countDeliveries(where = 'true'): Promise<number> {
  return (await world.rows(`SELECT 1 FROM deliveries WHERE ${where}`)).length;
}

/** Resolves when so many deliveries are stored. */
const stored = (count: number, where?: string): Promise<unknown> =>
  waitFor(async () => (await countDeliveries(where)) === count);

/** An event whose delivery another owner has claimed for 6 s. */
async function insertClaimed(channelId: string): Promise<string> {
  const { eventId } = await world.insertEvent({});
  await world.db.query(
    `INSERT INTO deliveries (id, project_id, channel_id, event_id, event_type, status, next_attempt_at)
     VALUES ($1, $2, $3, $4, 'transaction.detected', 'pending', now() + interval '6 s')`,
    [`01900000-0000-7000-8000-${randomUUID().slice(24)}`, world.projectId, channelId, eventId],
  );
  return eventId;
}

/** The lease of that owner ends. */
const endLease = (eventId: string): Promise<unknown> =>
  world.db.query('UPDATE deliveries SET next_attempt_at = now() WHERE event_id = $1', [eventId]);

/** That owner has recorded its attempt. */
const record = (eventId: string): Promise<unknown> =>
  world.db.query(`UPDATE deliveries SET status = 'delivered', attempt_count = 1 WHERE event_id = $1`, [
    eventId,
  ]);

/** One event is delivered, so that the channel is known; the request of the next one is answered when the test says so. */
async function keepBusy(): Promise<{ readonly firsts: readonly string[]; readonly answer: () => void }> {
  const first = await world.emit();
  await world.waitForStatus(first, 'delivered');
  const gate = createGate();
  receiver.answer = (_req, res) => void gate.opened.then(() => res.end());
  const second = await world.emit();
  await waitFor(() => receiver.requests.length === 2);
  return { firsts: [first, second], answer: gate.open };
}

async function expectInOrder(sent: readonly string[]): Promise<void> {
  for (const eventId of sent) await world.waitForStatus(eventId, 'delivered');
  expect(arrived()).toEqual(sent);
}

describe('no event overtakes an older one of its channel', () => {
  test('when the channel changes while the first of several batches is stored', async () => {
    const channelId = await world.addChannel(receiver.url);
    let held = 1;
    const db = intercept('insert_known_deliveries', async (_statement, run) => {
      // Of the first event: those behind it are stored before the channel changes.
      if ((held += 1) > 1) return run();
      await stored(4);
      await world.db.query(`UPDATE notification_channels SET name = 'renamed' WHERE id = $1`, [channelId]);
      return run();
    });
    await world.start(ONE, { db });
    const { firsts, answer } = await keepBusy();
    held = 0;
    const sent = await emitApart(3);
    await stored(5);
    answer();
    await expectInOrder([...firsts, ...sent]);
  });

  test.each(['insert_known_deliveries', 'insert_deliveries', 'select_events'])(
    'when %s of one of several batches fails',
    async (name) => {
      const isRead = name !== 'insert_known_deliveries';
      await world.addChannel(
        receiver.url,
        // Events of a channel with filters are read first.
        isRead ? { config: { filters: { chain_gids: [CHAIN] } } } : {},
      );
      let calls = 1;
      const db = intercept(name, async (_statement, run) => {
        calls += 1;
        if (calls !== 1) return run();
        // Those behind it are stored, unless they wait until its events are read.
        if (name !== 'select_events') await stored(4);
        throw new Error('Connection terminated unexpectedly');
      });
      await world.start(ONE, { db });
      const { firsts, answer } = await keepBusy();
      calls = 0;
      const sent = await emitApart(3);
      await stored(5);
      answer();
      await expectInOrder([...firsts, ...sent]);
      expect(calls).toBeGreaterThan(1);
    },
  );

  test('when the answer to what was stored is lost, which is not sent twice either', async () => {
    await world.addChannel(receiver.url);
    let calls = 1;
    const db = intercept('insert_known_deliveries', async (_statement, run) => {
      calls += 1;
      const result = await run();
      if (calls === 1) throw new Error('Connection terminated unexpectedly');
      return result;
    });
    await world.start({ ...ONE, visibilityMs: 60_000 }, { db });
    const { firsts, answer } = await keepBusy();
    calls = 0;
    const sent = await emitApart(3);
    await stored(5);
    answer();
    await expectInOrder([...firsts, ...sent]);
  });

  test('when a sweep begins while the newer one is committed', async () => {
    await world.addChannel(receiver.url);
    const engine = await world.start(ONE);
    const { eventId: older, projectId } = await world.insertEvent({});
    const { eventId: newer } = await world.insertEvent({});
    // The sweep's time is that of its beginning.
    await world.db.query(`UPDATE event_log SET created_at = now() + interval '20 ms' WHERE event_id = $1`, [
      newer,
    ]);
    await engine.dispatcher.sweep(3_000, 100);
    for (const eventId of [older, newer]) await engine.dispatcher.dispatch({ eventId, projectId });
    await expectInOrder([older, newer]);
  });

  test('when a sweep finds it while the older one is on its way', async () => {
    await world.addChannel(receiver.url);
    const gate = createGate();
    const db = intercept('select_events', async ({ values }, run) => {
      if ((values![0] as string[]).includes(older)) await gate.opened;
      return run();
    });
    const engine = await world.start(ONE, { db });
    const { eventId: older, projectId } = await world.insertEvent({});
    const { eventId: newer } = await world.insertEvent({});
    await world.db.query(`UPDATE event_log SET created_at = now() - interval '1 minute'`);
    const dispatched = engine.dispatcher.dispatch({ eventId: older, projectId });
    expect(await engine.dispatcher.sweep(3_000, 100)).toBe(0);
    gate.open();
    await dispatched;
    await engine.dispatcher.sweep(3_000, 100);
    await expectInOrder([older, newer]);
  });

  test('when its owner died: what that owner has claimed goes first, when its lease ends', async () => {
    const older = await insertClaimed(await world.addChannel(receiver.url));
    await world.start({ ...ONE, pollMs: 50 });
    const newer = await emitApart(3);
    await stored(3, `status = 'held'`);
    expect(arrived()).toEqual([]);
    await endLease(older);
    await expectInOrder([older, ...newer]);
  });

  test('when its owner still sends: what is new waits until that is on record', async () => {
    const older = await insertClaimed(await world.addChannel(receiver.url));
    await world.start({ ...ONE, pollMs: 50 });
    const newer = await emitApart(2);
    await stored(2, `status = 'held'`);
    expect(arrived()).toEqual([]);
    await record(older);
    await expectInOrder(newer);
  });

  test('when a batch is stored for longer than a lease lasts, and those behind it are not sent twice', async () => {
    await world.addChannel(receiver.url);
    let calls = 1;
    let later: readonly string[] = [];
    const db = intercept('insert_known_deliveries', async (_statement, run) => {
      calls += 1;
      // Until those behind it were claimed again.
      if (calls === 1)
        await waitFor(
          async () =>
            (await countDeliveries(`event_id = ANY('{${later.join()}}') AND updated_at > created_at`)) === 2,
        );
      return run();
    });
    await world.start({ ...ONE, visibilityMs: 300, pollMs: 30 }, { db });
    const { firsts, answer } = await keepBusy();
    answer();
    for (const eventId of firsts) await world.waitForStatus(eventId, 'delivered');
    calls = 0;
    const [first] = await emitApart(1);
    later = await emitApart(2);
    await expectInOrder([...firsts, first!, ...later]);
  });

  test('when more of what an owner left is found while the rest is looked at', async () => {
    const channelId = await world.addChannel(receiver.url);
    const sending = await insertClaimed(channelId);
    const gate = createGate();
    let looks = 0;
    const query = async (statement: string | Statement, values?: unknown[]): Promise<unknown> => {
      if (typeof statement !== 'string') return world.db.query(statement);
      const result = await world.db.query(statement, values);
      if (statement.includes('WITH parked AS') && (looks += 1) === 1) await gate.opened;
      return result;
    };
    const engine = await world.start(
      { ...ONE, pollMs: 50 },
      { db: { ...world.db, query: query as Database['query'] } },
    );
    await waitFor(() => looks === 1);
    const older = await insertClaimed(channelId);
    await engine.changeShare();
    gate.open();
    await waitFor(() => looks > 2);
    await record(sending);
    const newer = await emitApart(2);
    await stored(2, `status = 'held'`);
    await endLease(older);
    await expectInOrder([older, ...newer]);
  });
});

test('what is claimed for a channel that goes meanwhile is given back', async () => {
  const channelId = await world.addChannel(receiver.url);
  const { eventId } = await world.insertEvent({});
  await world.db.query(
    `INSERT INTO deliveries (project_id, channel_id, event_id, event_type, status, next_attempt_at)
     VALUES ($1, $2, $3, 'transaction.detected', 'held', now())`,
    [world.projectId, channelId, eventId],
  );
  let isOwner = true;
  const query = async (statement: string | Statement, values?: unknown[]): Promise<unknown> => {
    if (typeof statement !== 'string') return world.db.query(statement);
    const result = await world.db.query(statement, values);
    if (statement.includes(`SET status = 'pending'`)) isOwner = false;
    return result;
  };
  await world.start(
    { pollMs: 50, visibilityMs: 60_000 },
    { db: { ...world.db, query: query as Database['query'] } },
    { owns: () => isOwner, partitions: undefined },
  );
  await waitFor(() => !isOwner);
  await stored(1, `status = 'held' OR next_attempt_at <= now()`);
  expect(arrived()).toEqual([]);
});

test('a replica that lost a channel in a standstill starts nothing more of it', async () => {
  await world.addChannel(receiver.url);
  const gate = createGate();
  receiver.answer = (_req, res) => void gate.opened.then(() => res.end());
  let isOwner = true;
  const engine = await world.start(ONE, {}, { owns: () => isOwner });
  const [first, second] = await emitApart(2);
  await waitFor(() => receiver.requests.length === 1);
  // The second one is claimed, and waits behind the first.
  await world.waitForStatus(second!, 'pending');
  isOwner = false;
  gate.open();
  await world.waitForStatus(first!, 'delivered');
  // It gives back what it has left.
  await engine.changeShare();
  expect(arrived()).toEqual([first]);
  expect(await world.rows('SELECT status FROM deliveries WHERE event_id = $1', [second])).toEqual([
    { status: 'pending' },
  ]);
});
