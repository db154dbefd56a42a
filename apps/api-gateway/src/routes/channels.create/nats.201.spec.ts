// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

const seed = 'SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY';
const creds = `-----BEGIN NATS USER JWT-----\neyJ0eXAi.b.c\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n${seed}\n------END USER NKEY SEED------\n`;
const token = '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsawx';

describe('channels of the other kinds', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
  });
  afterAll(() => world.stop());
  const unsealed = async (id: string): Promise<unknown> => {
    const { rows } = await world.db.query(
      'SELECT config::text, credentials_sealed FROM notification_channels WHERE id = $1',
      [id],
    );
    for (const secret of ['hunter2', 's3cret', seed, token.slice(10)])
      expect(rows[0].config).not.toContain(secret);
    return rows[0].credentials_sealed === null
      ? null
      : JSON.parse(world.deps.sealer.open(rows[0].credentials_sealed, `channel:${id}`));
  };
  const nats = (body: object, mount = '/notification_channels') =>
    world.api.post(`${mount}/nats`).send({ name: 'N', url: 'nats://1.1.1.1:4222', subject: 'a.b', ...body });
  const telegram = (body: object, mount = '/notification_channels') =>
    world.api.post(`${mount}/telegram`).send({ name: 'T', bot_token: token, chat_id: 42, ...body });

  describe('nats', () => {
    it.each(['/notification_channels', '/channels'])('are created under %s', async (mount) => {
      const { body } = await nats({}, mount).expect(201);
      expect(body).toMatchObject({ kind: 'nats', name: 'N', is_archived: false, status: 'active' });
      expect(body.config).toEqual({
        url: 'nats://1.1.1.1:4222',
        subject: 'a.b',
        auth: { type: 'none' },
        event_types: ['transaction.detected', 'transaction.confirmed', 'balance.changed'],
        filters: {},
      });
      expect((await world.api.get(`${mount}/${body.id}`).expect(200)).body).toEqual(body);
      expect(await unsealed(body.id)).toBeNull();
    });

    it.each<[string, string, unknown]>([
      [
        'nats://ada:hunter2@1.1.1.1',
        'nats://***:***@1.1.1.1',
        { type: 'user', username: 'ada', password: 'hunter2' },
      ],
      [
        'nats://a%40b:hunter2%3A@1.1.1.1',
        'nats://***:***@1.1.1.1',
        { type: 'user', username: 'a@b', password: 'hunter2:' },
      ],
      ['tls://s3cret@nats.invalid:4222', 'tls://***@nats.invalid:4222', { type: 'token', token: 's3cret' }],
      [`nats://${seed}@1.1.1.1`, 'nats://***@1.1.1.1', { type: 'nkey', seed }],
      [`nats://${encodeURIComponent(creds)}@1.1.1.1`, 'nats://***@1.1.1.1', { type: 'creds', creds }],
    ])('keep the credentials of %s sealed', async (url, shown, auth) => {
      const { body } = await nats({ url }).expect(201);
      expect(body.config).toMatchObject({ url: shown, auth: { type: (auth as { type: string }).type } });
      expect(await unsealed(body.id)).toEqual({ auth });
    });

    it('take credentials beside the URL too, and change what is given', async () => {
      const { body } = await nats({ auth: { type: 'token', token: 's3cret' } }).expect(201);
      const path = `/notification_channels/nats/${body.id}`;
      expect((await world.api.patch(path).send({ subject: 'c' }).expect(200)).body.config).toEqual({
        ...body.config,
        subject: 'c',
      });
      expect(await unsealed(body.id)).toEqual({ auth: { type: 'token', token: 's3cret' } });
      // Credentials that were given by themselves stay with a new URL, those of a URL go with it.
      await world.api.patch(path).send({ url: 'nats://1.0.0.1' }).expect(200);
      expect(await unsealed(body.id)).toEqual({ auth: { type: 'token', token: 's3cret' } });
      expect(
        (await world.api.patch(path).send({ url: 'nats://u:hunter2@1.0.0.1' }).expect(200)).body.config,
      ).toMatchObject({ url: 'nats://***:***@1.0.0.1', auth: { type: 'user' } });
      expect(
        (
          await world.api
            .patch(path)
            .send({ auth: { type: 'nkey', seed } })
            .expect(200)
        ).body.config,
      ).toMatchObject({ url: 'nats://1.0.0.1', auth: { type: 'nkey' } });
      await world.api.patch(path).send({ url: 'nats://u:hunter2@1.0.0.1' }).expect(200);
      expect(
        (await world.api.patch(path).send({ url: 'nats://9.9.9.9' }).expect(200)).body.config,
      ).toMatchObject({ url: 'nats://9.9.9.9', auth: { type: 'none' } });
      expect(await unsealed(body.id)).toBeNull();
      expect(
        (
          await world.api
            .patch(path)
            .send({ name: 'M', event_types: ['channel.failed'], filters: { direction: 'in' } })
            .expect(200)
        ).body,
      ).toMatchObject({
        name: 'M',
        config: { event_types: ['channel.failed'], filters: { direction: 'in' } },
      });
    });

    it.each<[string, object]>([
      ['name', { name: '' }],
      ['url', { url: 'https://1.1.1.1' }],
      ['url', { url: 'nats://' }],
      ['url', { url: 'nats://1.1.1.1/path' }],
      ['url', { url: 'nats://***:***@1.1.1.1' }],
      ['url', { url: 'nats://%zz@1.1.1.1' }],
      ['subject', { subject: '' }],
      ...['a.*', '>', 'a b', '$JS.x', '.a', 'a.', 'a..b', 'a\u0000', 'a\tb', 'x'.repeat(256)].map(
        (subject): [string, object] => ['subject', { subject }],
      ),
      ['auth', { url: 'nats://u:p@1.1.1.1', auth: { type: 'none' } }],
      ['auth.seed', { auth: { type: 'nkey', seed: 'SUx' } }],
      ['auth.creds', { auth: { type: 'creds', creds: 'x' } }],
      ['durable', { durable: 'x' }],
    ])('are refused for %s in %j', async (field, body) => {
      const { body: problem } = await nats(body).expect(400);
      expect(problem.fields.map(({ name }: { name: string }) => name)).toContain(field);
    });

    it.each([
      'nats://10.0.0.1',
      'tls://169.254.169.254',
      'nats://[::ffff:10.0.0.1]:4222',
      'nats://u:p@10.1.1.1',
    ])('are 422 for %s', async (url) => {
      expect((await nats({ url }).expect(422)).body.detail).toContain('blocked');
    });
  });

  describe('telegram', () => {
    it.each(['/notification_channels', '/channels'])(
      'are created under %s, and show nothing of the token',
      async (mount) => {
        const { body } = await telegram({ chat_id: -1_001_234_567_890 }, mount).expect(201);
        expect(body).toMatchObject({
          kind: 'telegram',
          config: {
            bot_token: '110201543:***',
            chat_id: -1_001_234_567_890,
            event_types: ['transaction.detected', 'transaction.confirmed', 'balance.changed'],
            filters: {},
          },
        });
        expect(await unsealed(body.id)).toEqual({ bot_token: token });
        expect((await world.api.get(`${mount}/${body.id}`).expect(200)).body).toEqual(body);
      },
    );

    it('change what is given', async () => {
      const { body } = await telegram({}).expect(201);
      const path = `/channels/telegram/${body.id}`;
      expect((await world.api.patch(path).send({ chat_id: 43 }).expect(200)).body.config).toEqual({
        ...body.config,
        chat_id: 43,
      });
      const other = `220201543:${token.slice(10)}`;
      expect((await world.api.patch(path).send({ bot_token: other }).expect(200)).body.config.bot_token).toBe(
        '220201543:***',
      );
      expect(await unsealed(body.id)).toEqual({ bot_token: other });
      await world.db.query(
        `UPDATE notification_channels SET status = 'failed', failed_at = now() WHERE id = $1`,
        [body.id],
      );
      expect((await world.api.patch(path).send({ name: 'B' }).expect(200)).body.status).toBe('failed');
      expect((await world.api.patch(path).send({ chat_id: 44 }).expect(200)).body.status).toBe('active');
    });

    it.each<[string, object]>([
      ['bot_token', { bot_token: 'x' }],
      ['bot_token', { bot_token: `${token}x` }],
      ['chat_id', { chat_id: 0 }],
      ['chat_id', { chat_id: 1.5 }],
      ['chat_id', { chat_id: '42' }],
      ['chat_id', { chat_id: 2 ** 53 }],
      ['parse_mode', { parse_mode: 'HTML' }],
    ])('are refused for %s in %j', async (field, body) => {
      const { body: problem } = await telegram(body).expect(400);
      expect(problem.fields.map(({ name }: { name: string }) => name)).toContain(field);
      expect(JSON.stringify(problem)).not.toContain(token.slice(10));
    });
  });

  it('are listed, filtered and sorted together', async () => {
    await world.api.post('/channels').send({ name: 'W', url: 'https://1.1.1.1' }).expect(201);
    const kinds = async (query: string): Promise<string[]> =>
      (await world.api.get(`/channels?limit=100&${query}`).expect(200)).body.items.map(
        ({ kind }: { kind: string }) => kind,
      );
    expect(new Set(await kinds(''))).toEqual(new Set(['nats', 'telegram', 'webhook']));
    for (const kind of ['nats', 'telegram', 'webhook'])
      expect(new Set(await kinds(`kind=${kind}`))).toEqual(new Set([kind]));
    const sorted = await kinds('sort_by=kind');
    expect(sorted).toEqual(sorted.toSorted());
    expect(await kinds('sort_by=-kind')).toEqual(sorted.toReversed());
  });

  it('are 404 under another kind, also for secrets', async () => {
    const { body } = await nats({}).expect(201);
    await world.api.patch(`/channels/webhook/${body.id}`).send({ name: 'x' }).expect(404);
    await world.api.patch(`/channels/telegram/${body.id}`).send({ name: 'x' }).expect(404);
    await world.api.patch(`/channels/nats/${body.id}`).send({}).expect(400);
    await world.api.get(`/channels/${body.id}/webhook-secrets`).expect(404);
    await world.api.post(`/channels/${body.id}/webhook-secrets/actions/rotate`).expect(404);
    await world.api.delete(`/channels/${body.id}/webhook-secrets/previous`).expect(404);
    await world.api.post(`/channels/${body.id}/actions/archive`).expect(200);
    expect((await world.api.post(`/channels/${body.id}/actions/restore`).expect(200)).body).toMatchObject({
      kind: 'nats',
      status: 'active',
    });
    await world.api.delete(`/channels/${body.id}`).expect(204);
  });
});
