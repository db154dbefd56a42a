// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { operations, routeTable } from '../route-table.ts';
import { addDelivery, openPortal, type SpecPortal } from '../spec-support/portal.ts';
import { startSpecWorld } from '../spec-support/spec-world.ts';
import type { SpecWorld } from '../spec-support/spec-world.ts';

/** Typed a second time on purpose: what a customer's page may ask changes in two places or not at all. */
const FOR_PORTALS = [
  'GET /events/:event_id',
  'GET /notification_channels',
  'GET /notification_channels/:notification_channel_id',
  'POST /notification_channels/:notification_channel_id/actions/test',
  'GET /notification_channels/:notification_channel_id/deliveries',
  'GET /notification_channels/:notification_channel_id/deliveries/:delivery_id',
  'POST /notification_channels/:notification_channel_id/deliveries/:delivery_id/actions/redeliver',
  'POST /notification_channels/:notification_channel_id/deliveries/actions/recover',
  'GET /portal_sessions/:portal_session_id',
];
const DENIED = 'A portal session is for its channels and their deliveries, and for nothing else.';
const READ = ['api:notification_channel:read', 'api:delivery:read'];

type Method = Parameters<SpecWorld['send']>[0];
const methodOf = (route: { readonly method: string }): Method => route.method.toLowerCase() as Method;

interface Thing {
  readonly channelId: string;
  readonly deliveryId: string;
  readonly eventId: string;
}

let world: SpecWorld;
let mine: Thing;
/** Of the same project and kind, of the session's other channel that sends texts, and of another tenant. */
let sibling: Thing;
let chat: Thing;
let foreign: Thing;
let portal: SpecPortal;
/** Of the same project, on the sibling. */
let other: SpecPortal;
beforeAll(async () => {
  world = await startSpecWorld({ app: { corsOrigins: ['*'] } });
  const add = async (key: string, path: string, body: object): Promise<Thing> => {
    const { body: channel } = await world.send('post', `/v1${path}`, key).send(body).expect(201);
    const { id, eventId } = await addDelivery(world, { key, channelId: channel.id, status: 'failed' });
    return { channelId: channel.id, deliveryId: id, eventId };
  };
  const { api } = world.project.keys;
  const hook = { url: 'https://1.1.1.1/' };
  mine = await add(api, '/channels', {
    ...hook,
    name: 'a mine',
    auth: { type: 'bearer', token: 'hunter2hunter2' },
  });
  sibling = await add(api, '/channels', { ...hook, name: 'b sibling' });
  chat = await add(api, '/channels/telegram', {
    ...{ name: 'c chat', chat_id: 1 },
    bot_token: '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsawx',
  });
  foreign = await add(world.otherProject.keys.api, '/channels', { ...hook, name: 'd foreign' });
  portal = await openPortal(world, [mine.channelId, chat.channelId]);
  other = await openPortal(world, [sibling.channelId]);
});
afterAll(async () => {
  expect(world.failures).toEqual([]);
  await world.stop();
});

/** The values of a route's parameters, of one thing. */
const valuesOf = (thing: Thing): Readonly<Record<string, string>> => ({
  notification_channel_id: thing.channelId,
  channel_id: thing.channelId,
  delivery_id: thing.deliveryId,
  event_id: thing.eventId,
  portal_session_id: thing === mine ? portal.id : other.id,
});
const fill = (path: string, values: Readonly<Record<string, string>>): string =>
  path.replace(/:(\w+)/g, (_, name: string) => values[name] ?? 'x');
const bodyOf = ({
  path,
  example,
}: {
  readonly path: string;
  readonly example?: unknown;
}): object | undefined =>
  path.endsWith('/recover') ? { since: '2020-01-01T00:00:00Z' } : (example as object | undefined);
const channelIdsOf = async (query = ''): Promise<string[]> =>
  (await portal.ask('get', `/notification_channels${query}`).expect(200)).body.items.map(
    ({ id }: { id: string }) => id,
  );

describe('what a portal token opens', () => {
  it('is what was decided, and nothing that was added since', () => {
    const opened = routeTable.filter(({ isForPortals }) => isForPortals);
    const names = opened.map(({ method, path }) =>
      `${method} ${path}`
        .replace(/ \/channels/, ' /notification_channels')
        .replace(':channel_id', ':notification_channel_id'),
    );
    expect([...new Set(names)].sort()).toEqual([...FOR_PORTALS].sort());
  });

  it.each(Object.values(operations).map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s is refused, or shows its own alone',
    async (_name, route) => {
      const ask = (values: Readonly<Record<string, string>>, query = '') =>
        portal.ask(methodOf(route), fill(route.path, values) + query).send(bodyOf(route));
      if (!route.isForPortals) {
        for (const thing of [mine, sibling, foreign]) {
          const { status, body } = await ask(valuesOf(thing), route.path === '/search' ? '?q=a' : '');
          expect([status, body.detail]).toEqual([403, DENIED]);
        }
        return;
      }
      const own = await ask(valuesOf(mine));
      expect(own.status).toBeLessThan(300);
      const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
      // Whatever it names one of, in every place: as unknown as what there never was.
      for (const thing of [sibling, foreign]) {
        for (const name of names) {
          const shown = async (id: string) => {
            const { status, text } = await ask({ ...valuesOf(mine), [name]: id });
            return { status, text: text.replaceAll(id, '<id>') };
          };
          const answer = await shown(valuesOf(thing)[name]!);
          expect(answer).toEqual(await shown(randomUUID()));
          expect(answer.status).toBe(404);
        }
        for (const hidden of [thing.channelId, thing.deliveryId, thing.eventId, 'sibling', 'foreign'])
          expect(own.text).not.toContain(hidden);
      }
    },
  );

  it('is no other route: a path that does not exist, another method', async () => {
    await portal.ask('get', '/nothing').expect(404);
    await portal.ask('put', '/notification_channels').expect(405);
  });
});

describe('lists of a portal session', () => {
  it.each([
    '',
    '?kind=webhook',
    '?search=a',
    '?sort_by=name',
    '?is_archived=false',
    '?limit=1',
    '?page=1&limit=100',
  ])('have its channels alone, and count no other: %s', async (query) => {
    for (const path of ['/notification_channels', '/channels']) {
      const { body } = await portal.ask('get', `${path}${query}`).expect(200);
      const ids: string[] = body.items.map(({ id }: { id: string }) => id);
      expect(ids.every((id) => [mine.channelId, chat.channelId].includes(id))).toBe(true);
      expect(body.meta.total).toBe(query.includes('kind') ? 1 : 2);
    }
    expect(JSON.stringify((await portal.ask('get', `/channels${query}`)).body)).not.toContain('sibling');
  });

  it('end where its channels end, whoever made the cursor', async () => {
    const { body: first } = await world.api.get('/channels?sort_by=name&limit=1').expect(200);
    const rest = await channelIdsOf(
      `?sort_by=name&limit=1&cursor=${encodeURIComponent(first.meta.next_cursor)}`,
    );
    expect(rest).toEqual([chat.channelId]);
    const { body: all } = await portal.ask('get', '/channels?sort_by=name&limit=1').expect(200);
    expect(all.items).toMatchObject([{ id: mine.channelId }]);
    await portal
      .ask('get', `/channels?sort_by=name&limit=1&cursor=${all.meta.next_cursor}&kind=webhook`)
      .expect(400);
  });

  it('have the deliveries of one channel under its own name alone, by every filter', async () => {
    const of = async (thing: Thing, query: string) =>
      portal.ask('get', `/channels/${thing.channelId}/deliveries${query}`);
    for (const query of [
      '',
      '?statuses=failed,held',
      `?event_id=${mine.eventId}`,
      '?event_types=transaction.detected',
    ]) {
      const path = `/channels/${mine.channelId}/deliveries${query}`;
      const [{ body }, { body: all }] = [await of(mine, query), await world.api.get(path).expect(200)];
      expect(body.meta.total).toBeGreaterThan(0);
      expect([body.items, body.meta.total]).toEqual([all.items, all.meta.total]);
      expect(new Set(body.items.map((item: { channel_id: string }) => item.channel_id))).toEqual(
        new Set([mine.channelId]),
      );
      expect((await of(sibling, query)).status).toBe(404);
    }
    expect((await of(mine, `?event_id=${sibling.eventId}`)).body).toMatchObject({
      items: [],
      meta: { total: 0 },
    });
    await portal
      .ask('get', `/channels/${mine.channelId}/deliveries?channel_id=${sibling.channelId}`)
      .expect(400);
  });

  it('cannot be taken along whole', async () => {
    for (const type of ['text/csv', 'application/x-ndjson'])
      await portal.ask('get', `/channels/${mine.channelId}/deliveries`, { Accept: type }).expect(403);
  });
});

describe('a portal session', () => {
  it('shows deliveries with their attempts, and no secret of a channel', async () => {
    const { body } = await portal
      .ask('get', `/channels/${mine.channelId}/deliveries/${mine.deliveryId}`)
      .expect(200);
    expect(body).toMatchObject({ id: mine.deliveryId, attempts: [{ number: 1, response_body: 'ok' }] });
    for (const id of [mine.channelId, chat.channelId]) {
      const { text } = await portal.ask('get', `/channels/${id}`).expect(200);
      expect(text).not.toMatch(/hunter2|whsec_[0-9A-Za-z]{30}|AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsawx/);
    }
  });

  it('shows the event of a delivery where it is what was sent: no text that was made of it tells as much', async () => {
    const { body } = await portal.ask('get', `/events/${mine.eventId}`).expect(200);
    expect(body.event_id).toBe(mine.eventId);
    await portal.ask('get', `/events/${chat.eventId}`).expect(404);
    await world.api.get(`/events/${chat.eventId}`).expect(200);
    const { body: unsent } = await world.api.post(`/channels/${mine.channelId}/actions/test`).expect(202);
    await portal.ask('get', `/events/${unsent.event_id}`).expect(404);
  });

  it('does not show what the channel leaves out of its events', async () => {
    const path = `/notification_channels/webhook/${mine.channelId}`;
    await world.api
      .patch(path)
      .send({ fields: ['data.transaction.hash'] })
      .expect(200);
    await portal.ask('get', `/events/${mine.eventId}`).expect(404);
    await world.api.patch(path).send({ fields: null }).expect(200);
    await portal.ask('get', `/events/${mine.eventId}`).expect(200);
  });

  it('may what it was made for, and nothing beside', async () => {
    const reader = await openPortal(world, [mine.channelId], { permissions: READ });
    const path = `/channels/${mine.channelId}`;
    await reader.ask('get', `${path}/deliveries`).expect(200);
    const refused = [
      ['post', `${path}/deliveries/${mine.deliveryId}/actions/redeliver`, 'api:delivery:replay'],
      ['post', `${path}/deliveries/actions/recover`, 'api:delivery:replay'],
      ['post', `${path}/actions/test`, 'api:notification_channel:write'],
      ['get', `/events/${mine.eventId}`, 'api:event:read'],
    ] as const;
    for (const [method, target, permission] of refused)
      expect((await reader.ask(method, target).expect(403)).body.detail).toBe(
        `The portal session does not have the permission ${permission}.`,
      );
    const { body } = await portal
      .ask('post', `${path}/deliveries/${mine.deliveryId}/actions/redeliver`)
      .expect(202);
    expect(body.channel_id).toBe(mine.channelId);
    expect((await portal.ask('post', `${path}/actions/test`).expect(202)).body.channel_id).toBe(
      mine.channelId,
    );
    // Writing is sending test messages.
    for (const [method, target] of [
      ['patch', `/notification_channels/webhook/${mine.channelId}`],
      ['post', `${path}/actions/archive`],
      ['delete', path],
      ['post', '/portal_sessions'],
    ] as const)
      expect((await portal.ask(method, target).send({ name: 'x' }).expect(403)).body.detail).toBe(DENIED);
  });

  it('recovers its own channel alone', async () => {
    const before = await countHeld(sibling.channelId);
    await portal
      .ask('post', `/channels/${mine.channelId}/deliveries/actions/recover`)
      .send({ since: '2020-01-01T00:00:00Z' })
      .expect(202);
    expect(await countHeld(sibling.channelId)).toBe(before);
  });

  it('sees itself, and no other session', async () => {
    const { body } = await portal.ask('get', `/portal_sessions/${portal.id}`).expect(200);
    expect(body.channel_ids).toEqual([mine.channelId, chat.channelId]);
    expect(JSON.stringify(body)).not.toContain(portal.token);
    await portal.ask('get', `/portal_sessions/${other.id}`).expect(404);
    await world.other.get(`/portal_sessions/${portal.id}`).expect(404);
    await world.other.delete(`/portal_sessions/${portal.id}`).expect(404);
    expect((await world.other.get('/portal_sessions').expect(200)).body.items).toEqual([]);
  });

  it('loses a channel that is deleted', async () => {
    const { body: channel } = await world.api
      .post('/channels')
      .send({ name: 'gone', url: 'https://1.1.1.1/' });
    const short = await openPortal(world, [channel.id, mine.channelId]);
    await short.ask('get', `/channels/${channel.id}`).expect(200);
    await world.api.delete(`/channels/${channel.id}`).expect(204);
    await short.ask('get', `/channels/${channel.id}`).expect(404);
    expect((await short.ask('get', '/channels').expect(200)).body.meta.total).toBe(1);
  });

  async function countHeld(channelId: string): Promise<number> {
    const { body } = await world.api.get(`/channels/${channelId}/deliveries?statuses=held`).expect(200);
    return body.meta.total;
  }
});

describe('the token', () => {
  it('counts as Bearer alone: in no other header, query or cookie', async () => {
    const { token } = portal;
    for (const headers of [
      { 'X-Api-Key': token },
      { Authorization: token },
      { Authorization: `Basic ${Buffer.from(`:${token}`).toString('base64')}` },
      { Cookie: `chainwatch_session=${token}` },
    ])
      await world.send('get', '/v1/channels').set(headers).expect(401);
    await world.send('get', `/v1/channels?token=${token}`).expect(401);
    await world.send('get', '/v1/channels').set('Authorization', `bearer ${token}`).expect(200);
  });

  it('that was changed anywhere is refused, and no cookie is read in its place', async () => {
    const { headers } = await world.send('post', '/v1/session', world.project.keys.api).expect(201);
    const own = { Cookie: headers['set-cookie']![0]!.split(';', 1)[0]!, 'Sec-Fetch-Site': 'same-origin' };
    await world.send('get', '/v1/channels').set(own).expect(200);
    const { token } = portal;
    for (const wrong of [
      `${token}0`,
      token.slice(0, -1),
      `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`,
      'svc_portal_',
    ])
      await world.send('get', '/v1/channels').set(own).set('Authorization', `Bearer ${wrong}`).expect(401);
    // Well formed, and nobody's.
    const stranger = await openPortal(world, [mine.channelId]);
    await world.api.delete(`/portal_sessions/${stranger.id}`).expect(204);
    await stranger.ask('get', '/channels', own).expect(401);
    expect((await portal.ask('get', '/channels', own).expect(200)).body.meta.total).toBe(2);
    // Somebody else's, of a proxy in front of the dashboard.
    await world
      .send('get', '/v1/channels')
      .set(own)
      .set('Authorization', 'Bearer eyJhbGciOiJub25lIn0.e30.')
      .expect(200);
  });

  it('counts for nothing beside a key', async () => {
    const { body } = await portal
      .ask('get', '/channels', { 'X-Api-Key': world.otherProject.keys.api })
      .expect(200);
    expect(body.items).toMatchObject([{ id: foreign.channelId }]);
  });

  it('brings no credentials of other origins in', async () => {
    const { headers } = await portal
      .ask('get', '/channels', { Origin: 'https://evil.example.com' })
      .expect(200);
    expect(headers['access-control-allow-credentials']).toBeUndefined();
  });

  it('has a limit of its own, and guesses count against the client', async () => {
    Object.assign(world.limits, { perKey: { ...world.limits.perKey, api: 3 }, failedPerClient: 2 });
    const fresh = await openPortal(world, [mine.channelId], { key: world.project.keys.api });
    const statuses: number[] = [];
    for (let i = 0; i < 4; i += 1) statuses.push((await fresh.ask('get', '/channels')).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    await world.api.get('/channels').expect(200);
    const guesses: number[] = [];
    for (let i = 0; i < 3; i += 1)
      guesses.push(
        (await world.send('get', '/v1/channels').set('Authorization', 'Bearer svc_portal_x')).status,
      );
    expect(guesses).toEqual([401, 401, 429]);
    Object.assign(world.limits, { perKey: { api: 1e6, rpc: 1e6, mgt: 1e6 }, failedPerClient: 1e6 });
  });
});
