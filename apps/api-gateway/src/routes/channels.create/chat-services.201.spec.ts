// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

const SECRET = 'hunter2hunter2hunter2hun';
const KINDS = {
  slack: {
    url: `https://hooks.slack.com/services/T1/B1/${SECRET}`,
    shown: 'https://hooks.slack.com/services/T1/B1/***',
  },
  discord: {
    url: `https://discord.com/api/webhooks/223704706495545344/${SECRET}`,
    shown: 'https://discord.com/api/webhooks/223704706495545344/***',
  },
} as const;

describe.each(Object.entries(KINDS))('%s channels', (kind, { url, shown }) => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld({ settings: { allowHttpWebhooks: false } });
  });
  afterAll(() => world.stop());
  const create = (body: object) =>
    world.api.post(`/notification_channels/${kind}`).send({ name: 'C', ...body });

  it('are created, seal their URL, and never show it', async () => {
    const created = await create({ url }).expect(201);
    const path = `/notification_channels/${kind}/${created.body.id}`;
    expect(created.body).toMatchObject({ kind, status: 'active', config: { url: shown, filters: {} } });
    const changed = await world.api
      .patch(path)
      .send({ url, name: 'D', filters: { direction: 'in' } })
      .expect(200);
    const listed = await world.api.get(`/notification_channels?kind=${kind}`).expect(200);
    expect(listed.body.items).toEqual([changed.body]);
    const { rows } = await world.db.query('SELECT config, credentials_sealed FROM notification_channels');
    for (const seen of [created.body, changed.body, listed.body, rows])
      expect(JSON.stringify(seen)).not.toContain(SECRET);
    expect(
      JSON.parse(world.deps.sealer.open(rows[0].credentials_sealed, `channel:${created.body.id}`)),
    ).toEqual({ url });
    await world.other.patch(path).send({ name: 'x' }).expect(404);
  });

  it.each([
    ['a missing URL', {}],
    ['another host', { url: url.replace(/\/\/[^/]+/, '//hooks.example.com') }],
    ['a host that only looks like it', { url: url.replace('.com/', '.com.example.com/') }],
    ['a user in front of another host', { url: url.replace('https://', 'https://a.example@') }],
    ['another port', { url: url.replace('.com/', '.com:444/') }],
    ['http', { url: url.replace('https:', 'http:') }],
    ['a masked URL', { url: shown }],
    ['a path that is no webhook', { url: url.replace(/\.com\/.*/, '.com/app/login') }],
    ['a path that leaves', { url: url.replace(SECRET, `../../../${SECRET}`) }],
    ['a query', { url: `${url}?wait=true` }],
    ['a fragment', { url: `${url}#x` }],
    ['no URL', { url: 'hooks' }],
    ['a NUL', { url: `${url}\0` }],
    ['a long one', { url: `${url}${'a'.repeat(3_000)}` }],
  ])('are refused for %s', async (_name, body) => {
    const { body: problem } = await create(body).expect(400);
    expect(new Set(problem.fields.map(({ name }: { name: string }) => name))).toEqual(new Set(['url']));
    expect(JSON.stringify(problem)).not.toContain(SECRET);
  });
});

describe('a host that the installation allows', () => {
  it('may be used, unless its address is blocked', async () => {
    const hosts = ['chat.example.com', '10.0.0.1'];
    const world = await startSpecWorld({ settings: { channelOptions: { slack: { hosts } } } });
    const create = (host: string) =>
      world.api
        .post('/notification_channels/slack')
        .send({ name: 'C', url: `https://${host}/hooks/${SECRET}` });
    expect((await create('chat.example.com').expect(201)).body.config.url).toBe(
      'https://chat.example.com/hooks/***',
    );
    await create('10.0.0.1').expect(422);
    await create('hooks.slack.com').expect(400);
    await world.stop();
  });
});
