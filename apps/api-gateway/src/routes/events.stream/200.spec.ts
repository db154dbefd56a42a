// SPDX-License-Identifier: Apache-2.0
import type { AddressInfo } from 'node:net';
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { openEventStream, startRedis, waitFor, type EventStreamClient } from '@chainwatch/testing';
import { createCache } from '@chainwatch/platform/cache';
import type { EventFeeds } from '../../events/event-feeds.ts';
import { givePositions, insertEvent } from '../../spec-support/positions.ts';
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

let world: SpecWorld;
let streams: EventStreamClient[] = [];
beforeAll(async () => {
  world = await startSpecWorld({ feeds: { commentMs: 50 } });
}, 60_000);
afterEach(async () => {
  for (const stream of streams) stream.close();
  streams = [];
  await world.db.query('DELETE FROM event_log');
  await world.db.query('DELETE FROM project_positions');
});
afterAll(() => world.stop());

const urlOf = (to: SpecWorld, query = ''): string =>
  `http://127.0.0.1:${(to.server.address() as AddressInfo).port}/v1/events/stream${query}`;

async function open(
  query = '',
  {
    key = world.project.keys.api,
    lastEventId,
    to = world,
  }: { key?: string; lastEventId?: string; to?: SpecWorld } = {},
): Promise<EventStreamClient> {
  const stream = await openEventStream(urlOf(to, query), {
    'x-api-key': key,
    ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
  });
  streams.push(stream);
  return stream;
}

const insert = (event?: Parameters<typeof insertEvent>[2]): Promise<string> =>
  insertEvent(world.db, world.project.projectId, event);
const give = (): Promise<void> => givePositions(world.db);
const idsOf = ({ events }: EventStreamClient): string[] =>
  events.map(({ data }) => JSON.parse(data).event_id as string);

it('tells what becomes visible from now on: type, position, and the event as channels get it', async () => {
  await insert();
  await give();
  const stream = await open();
  expect([
    stream.status,
    stream.headers.get('content-type'),
    stream.headers.get('x-accel-buffering'),
  ]).toEqual([200, 'text/event-stream; charset=utf-8', 'no']);
  await waitFor(() => stream.lastEventId === '1');
  const eventId = await insert();
  await insertEvent(world.db, world.otherProject.projectId);
  await give();
  await waitFor(() => stream.events.length === 1);
  const { rows } = await world.db.query<{ payload: string }>(
    'SELECT payload FROM event_log WHERE event_id = $1',
    [eventId],
  );
  expect(stream.events).toEqual([{ id: '2', type: 'balance.changed', data: rows[0]!.payload }]);
});

it('begins behind `after`, and behind Last-Event-ID before all, and goes on with what is new', async () => {
  const made: string[] = [];
  for (let index = 0; index < 250; index += 1) made.push(await insert());
  await give();
  const [all, some, few] = await Promise.all([
    open('?after=0'),
    open('?after=100'),
    open('?after=0', { lastEventId: '200' }),
  ]);
  made.push(await insert());
  await give();
  await waitFor(() => [all, some, few].every(({ lastEventId }) => lastEventId === '251'));
  expect([idsOf(all), idsOf(some), idsOf(few)]).toEqual([made, made.slice(100), made.slice(200)]);
});

it('passes filtered-out events with an id alone, old ones and new ones', async () => {
  await insert({ isTest: true });
  await insert({ chainGid: 'eip155:10' });
  await give();
  const stream = await open('?after=0&chain_gids=eip155:10');
  await waitFor(() => stream.lastEventId === '2');
  await insert();
  await give();
  await waitFor(() => stream.lastEventId === '3');
  const wanted = await insert({ chainGid: 'eip155:10' });
  await insert();
  await give();
  await waitFor(() => stream.lastEventId === '5');
  expect(idsOf(stream)).toEqual([expect.any(String), wanted]);
  expect(stream.text).toContain('id: 3\n\n');
});

it('comments now and then', async () => {
  const stream = await open();
  await waitFor(() => stream.comments >= 3);
});

it('comments every 15 seconds unless it is told otherwise', async () => {
  const plain = await startSpecWorld({ sharing: world });
  const realNow = performance.now;
  let nowMs = 1_000_000;
  performance.now = () => nowMs;
  try {
    const stream = await open('', { to: plain });
    /** Behind each event the streams are looked after once more. */
    const lookTwice = async (): Promise<void> => {
      for (let count = 0; count < 2; count += 1) {
        const told = stream.events.length;
        await insert();
        await give();
        await waitFor(() => stream.events.length > told);
      }
    };
    await waitFor(() => stream.comments === 1);
    nowMs += 14_999;
    await lookTwice();
    expect(stream.comments).toBe(1);
    nowMs += 1;
    await waitFor(() => stream.comments === 2);
  } finally {
    performance.now = realNow;
    await plain.stop();
  }
});

it.each(['?after=x', '?after=5', '?page=1', '?sort_by=created_at'])('answers 400 to %s', async (query) => {
  expect((await open(query)).status).toBe(400);
});

it('answers 400 to a Last-Event-ID that is no position, and 410 to one that is too old', async () => {
  expect((await open('', { lastEventId: 'x' })).status).toBe(400);
  await insert({ daysAgo: 31 });
  await insert();
  await give();
  expect((await open('', { lastEventId: '0' })).status).toBe(410);
});

it('a HEAD opens nothing', async () => {
  const answer = await world.send('head', '/v1/events/stream', world.project.keys.api).expect(200);
  expect(answer.headers['content-type']).toBe('text/event-stream; charset=utf-8');
});

it('ends when its key is revoked or expires, those of others go on', async () => {
  const add = async (more: object = {}): Promise<{ id: string; key: string }> =>
    (
      await world.management
        .post('/management/keys')
        .send({
          type: 'api',
          name: 'k',
          project_id: world.project.projectId,
          permissions: ['api:event:read'],
          ...more,
        })
        .expect(201)
    ).body;
  const [revoked, expiring] = [
    await add(),
    await add({ expires_at: new Date(Date.now() + 5_000).toISOString() }),
  ];
  const [one, other, mine] = [
    await open('', { key: revoked.key }),
    await open('', { key: expiring.key }),
    await open(),
  ];
  await world.management.delete(`/management/keys/${revoked.id}`).expect(204);
  // A second is promised.
  await waitFor(() => one.isOver, { timeoutMs: 5_000 });
  await waitFor(() => other.isOver);
  const eventId = await insert();
  await give();
  await waitFor(() => mine.events.length === 1);
  expect([idsOf(mine), one.events, mine.isOver]).toEqual([[eventId], [], false]);
});

it('closes a reader that leaves a mebibyte unread, and keeps the others', async () => {
  const stream = await open();
  const socket: Socket = connect((world.server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(`GET /v1/events/stream HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${world.project.keys.api}\r\n\r\n`);
  await once(socket, 'readable');
  const closed = once(socket, 'close');
  let count = 0;
  let isClosed = false;
  void closed.then(() => (isClosed = true));
  // Nobody reads from it: first the buffers of both sides of the connection fill up.
  while ((await world.db.query('SELECT 1')) && count < 400 && world.deps.feeds !== undefined && !isClosed) {
    for (let index = 0; index < 10; index += 1) await insert({ size: 60_000 });
    count += 10;
    await give();
    await waitFor(() => stream.lastEventId === String(count));
    if ((await countConnections()) === 1) break;
  }
  expect(await countConnections()).toBe(1);
  expect(idsOf(stream)).toHaveLength(count);
  socket.destroy();
}, 120_000);

function countConnections(): Promise<number> {
  return new Promise((resolve, reject) =>
    world.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
}

it('when its process drains, asks the client to come again a little later, and a new one, too', async () => {
  const draining = await startSpecWorld({ sharing: world });
  const stream = await open('', { to: draining });
  await waitFor(() => stream.lastEventId === '0');
  (draining.deps.feeds as EventFeeds).close();
  await waitFor(() => stream.isOver);
  expect(stream.retryMs).toBeGreaterThanOrEqual(1_000);
  const late = await open('', { to: draining });
  await waitFor(() => late.isOver);
  expect([late.status, late.events]).toEqual([200, []]);
  expect(late.retryMs).toBeGreaterThanOrEqual(1_000);
  await draining.stop();
});

describe('places', () => {
  it('of a workspace are counted over replicas and projects, up to its quota; one more is 429, and free again when a stream ends', async () => {
    const redis = await startRedis();
    const caches = [createCache(redis.url), createCache(redis.url)];
    await waitFor(() => caches.every(({ isReady }) => isReady));
    const replicas = await Promise.all(
      caches.map((slots) => startSpecWorld({ sharing: world, feeds: { slots } })),
    );
    const quotas = `/management/workspaces/${world.project.workspaceId}/quotas`;
    await world.management.put(quotas).send({ streams: 3 }).expect(200);
    const { body: sibling } = await world.management
      .post('/management/projects')
      .send({ name: 'Sibling' })
      .expect(201);
    const { body: siblingKey } = await world.management
      .post('/management/keys')
      .send({ type: 'api', name: 's', project_id: sibling.id, permissions: ['api:event:read'] })
      .expect(201);
    try {
      const [first] = [
        await open('', { to: replicas[0] }),
        await open('', { to: replicas[1], key: siblingKey.key }),
        await open('', { to: replicas[0] }),
      ];
      for (const [to, key] of [
        [replicas[0], world.project.keys.api],
        [replicas[1], siblingKey.key],
      ] as const) {
        const refused = await open('', { to, key });
        expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '15']);
        await waitFor(() => refused.text.includes('quota of streams'));
      }
      expect((await open('', { to: replicas[1], key: world.otherProject.keys.api })).status).toBe(200);
      first!.close();
      await waitFor(async () => (await open('', { to: replicas[1] })).status === 200);
      // More room counts at once; less ends no stream.
      await world.management.put(quotas).send({ streams: 4 }).expect(200);
      expect((await open('', { to: replicas[0] })).status).toBe(200);
      await world.management.put(quotas).send({ streams: 1 }).expect(200);
      expect((await open('', { to: replicas[0] })).status).toBe(429);
    } finally {
      for (const stream of streams) stream.close();
      for (const replica of replicas) await replica.stop();
      await Promise.all(caches.map((cache) => cache.close()));
      await redis.stop();
    }
  });

  it('are exactly the quota when more come at once to several replicas and projects, while Redis answers late', async () => {
    const redis = await startRedis();
    // Half of the commands of a busy gateway took longer than this.
    const caches = [createCache(redis.url, { timeoutMs: 100 }), createCache(redis.url, { timeoutMs: 100 })];
    await waitFor(() => caches.every(({ isReady }) => isReady));
    const replicas = await Promise.all(
      caches.map((slots) => startSpecWorld({ sharing: world, feeds: { slots } })),
    );
    const quotas = `/management/workspaces/${world.project.workspaceId}/quotas`;
    await world.management.put(quotas).send({ streams: 40 }).expect(200);
    const { body: sibling } = await world.management
      .post('/management/projects')
      .send({ name: 'Late sibling' })
      .expect(201);
    const { body: siblingKey } = await world.management
      .post('/management/keys')
      .send({ type: 'api', name: 's', project_id: sibling.id, permissions: ['api:event:read'] })
      .expect(201);
    const other = connect(redis.port, '127.0.0.1');
    try {
      const opening: ReturnType<typeof open>[] = [];
      for (let index = 0; index < 50; index += 1) {
        const key = index % 3 === 0 ? siblingKey.key : world.project.keys.api;
        opening.push(open('', { to: replicas[index % 2], key }));
        if (index % 10 !== 9) continue;
        await Promise.all(opening);
        other.write('CLIENT PAUSE 200 ALL\r\n');
        await once(other, 'data');
      }
      const statuses = (await Promise.all(opening)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(40);
      expect(statuses.filter((status) => status === 429)).toHaveLength(10);
    } finally {
      other.destroy();
      await world.management.put(quotas).send({}).expect(200);
      for (const stream of streams) stream.close();
      for (const replica of replicas) await replica.stop();
      await Promise.all(caches.map((cache) => cache.close()));
      await redis.stop();
    }
  }, 60_000);

  it('are free again when a request took too long and was answered with 503', async () => {
    const cache = createCache(undefined);
    let goOn!: () => void;
    const gate = new Promise<void>((resolve) => (goOn = resolve));
    let held = 0;
    const holdSlot: typeof cache.holdSlot = async (slot) => {
      // Who has a place and keeps it is not one more.
      if (slot.isKept) return cache.holdSlot(slot);
      await gate;
      held += 1;
      return cache.holdSlot(slot);
    };
    const slow = await startSpecWorld({
      sharing: world,
      app: { requestTimeoutMs: 500 },
      feeds: { slots: { holdSlot, freeSlot: cache.freeSlot } },
    });
    const quotas = `/management/workspaces/${world.project.workspaceId}/quotas`;
    await world.management.put(quotas).send({ streams: 1 }).expect(200);
    try {
      expect((await open('', { to: slow })).status).toBe(503);
      goOn();
      await waitFor(() => held === 1);
      // Long before the place lapses by itself.
      await waitFor(async () => (await open('', { to: slow })).status === 200, { timeoutMs: 10_000 });
    } finally {
      await world.management.put(quotas).send({}).expect(200);
      for (const stream of streams) stream.close();
      await slow.stop();
    }
  });
});
