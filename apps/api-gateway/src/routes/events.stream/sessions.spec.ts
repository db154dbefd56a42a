// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { openEventStream, waitFor, type EventStreamClient } from '@chainwatch/testing';
import { makeSessionCookie } from '../../auth/session-cookie.ts';
import { openExport, readExport } from '../../spec-support/open-export.ts';
import { givePositions, insertEvent } from '../../spec-support/positions.ts';
import { startSpecWorld, type SpecWorld } from '../../spec-support/spec-world.ts';

let world: SpecWorld;
let streams: EventStreamClient[] = [];
beforeAll(async () => {
  world = await startSpecWorld();
}, 60_000);
afterEach(() => {
  for (const stream of streams) stream.close();
  streams = [];
});
afterAll(() => world.stop());

const cookieOf = (key: string): string => {
  const { name, value } = makeSessionCookie(world.deps.sealer, key);
  return `${name}=${value}`;
};

async function open(headers: Readonly<Record<string, string>>): Promise<EventStreamClient> {
  const { port } = world.server.address() as AddressInfo;
  const stream = await openEventStream(`http://127.0.0.1:${port}/v1/events/stream`, {
    'sec-fetch-site': 'same-origin',
    ...headers,
  });
  streams.push(stream);
  return stream;
}

async function make(path: string, body: object): Promise<{ id: string; key: string }> {
  return (await world.management.post(path).send(body).expect(201)).body;
}

const makeActor = (): Promise<{ id: string; key: string }> =>
  make('/management/keys', { type: 'mgt', name: 'actor', permissions: ['mgt:key:write'] });

const makeReader = (projectId: string, permissions = ['api:event:read', 'api:address:read']) =>
  make('/management/keys', { type: 'api', name: 'reader', project_id: projectId, permissions });

/** Beside it another stream of the same project stays open, which is nobody's fault. */
async function expectItsEnd(stream: EventStreamClient): Promise<void> {
  const mine = await open({ 'x-api-key': world.project.keys.api });
  expect([stream.status, mine.status]).toEqual([200, 200]);
  await waitFor(() => stream.isOver);
  const eventId = await insertEvent(world.db, world.project.projectId);
  await givePositions(world.db);
  await waitFor(() => mine.events.some(({ data }) => data.includes(eventId)));
  expect([stream.events, mine.isOver]).toEqual([[], false]);
}

describe('a stream that was opened with a session ends', () => {
  it('when the session does', async () => {
    const session = { key: world.project.keys.api, until_ms: Date.now() + 1_500 };
    const sealed = world.deps.sealer.seal(JSON.stringify(session), 'dashboard_session');
    await expectItsEnd(await open({ cookie: `chainwatch_session=${sealed}` }));
  });

  it('when its management key may no longer make keys of the project', async () => {
    const { id, key } = await makeActor();
    const stream = await open({ cookie: cookieOf(key), 'x-project-id': world.project.projectId });
    await waitFor(() => stream.lastEventId !== undefined);
    await world.db.query(`UPDATE api_keys SET permissions = '{mgt:project:read}' WHERE id = $1`, [id]);
    await expectItsEnd(stream);
  });

  it('with its project, though its key lives on', async () => {
    const { id, key } = await makeActor();
    const project = await make('/management/projects', { name: 'short' });
    const stream = await open({ cookie: cookieOf(key), 'x-project-id': project.id });
    await world.management.delete(`/management/projects/${project.id}`).expect(204);
    await expectItsEnd(stream);
    await world.management.get(`/management/keys/${id}`).expect(200);
  });
});

it('a stream ends when its api key may no longer read events', async () => {
  const { id, key } = await makeReader(world.project.projectId);
  const stream = await open({ 'x-api-key': key });
  await world.db.query(`UPDATE api_keys SET permissions = '{api:address:read}' WHERE id = $1`, [id]);
  await expectItsEnd(stream);
});

it('an export is cut when its key may no longer read what it exports', async () => {
  const { id, key } = await makeReader(world.project.projectId);
  await world.db.query(
    `INSERT INTO addresses (id, project_id, chain_family, address, display, kind, format, label, is_monitored)
     SELECT gen_random_uuid(), $1, 'evm', a, a, 'external', 'evm', repeat('x', 250), true
     FROM (SELECT '0x' || lpad(to_hex(n), 40, '0') AS a FROM generate_series(1, 40000) n) made`,
    [world.project.projectId],
  );
  const connected = once(world.server, 'connection') as Promise<[Socket]>;
  // Nobody reads it: it waits for its reader.
  const answer = await openExport({ server: world.server, path: '/addresses', key });
  const [socket] = await connected;
  expect(socket.destroyed).toBe(false);
  await world.db.query(`UPDATE api_keys SET permissions = '{api:event:read}' WHERE id = $1`, [id]);
  await waitFor(() => socket.destroyed);
  expect((await readExport(answer)).isCut).toBe(true);
}, 30_000);

it.each(['api', 'management'] as const)(
  'X-Project-Id in upper case is the same project: events come, with an %s key',
  async (type) => {
    const stream = await open({
      cookie: cookieOf(world.project.keys[type]),
      'x-project-id': world.project.projectId.toUpperCase(),
    });
    expect(stream.status).toBe(200);
    await waitFor(() => stream.lastEventId !== undefined);
    const eventId = await insertEvent(world.db, world.project.projectId);
    await givePositions(world.db);
    await waitFor(() => stream.events.some(({ data }) => data.includes(eventId)));
  },
);

it('an address that is made with X-Project-Id in upper case is announced by the id of its project', async () => {
  await world
    .send('post', '/v1/addresses/external')
    .set({
      Cookie: cookieOf(world.project.keys.management),
      'Sec-Fetch-Site': 'same-origin',
      'X-Project-Id': world.project.projectId.toUpperCase(),
    })
    .send({ value: `0x${randomUUID().replaceAll('-', '').padEnd(40, '0')}`, chain_family: 'evm' })
    .expect(201);
  expect(world.published.at(-1)).toMatchObject({
    kind: 'address.watched',
    payload: { project_id: world.project.projectId },
  });
});
