// SPDX-License-Identifier: Apache-2.0
import request from 'supertest';
import { bootstrap } from '@chainwatch/tool-db/bootstrap';
import { startMailServer, type MailServerHandle, type ReceivedMail } from '@chainwatch/testing';
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

const PUBLIC_URL = 'https://watch.example.com';

describe('e-mail channels', () => {
  let world: SpecWorld;
  let server: MailServerHandle;
  let count = 0;
  beforeAll(async () => {
    server = await startMailServer();
    const mailServer = {
      url: `smtp://127.0.0.1:${server.port}`,
      from: 'alerts@example.com',
      publicUrl: PUBLIC_URL,
      isEncrypted: false,
    };
    world = await startSpecWorld({ settings: { channelOptions: { email: { server: mailServer } } } });
  });
  afterAll(async () => {
    await world.stop();
    await server.stop();
  });
  beforeEach(() => {
    server.mails.length = 0;
    server.refused.clear();
  });
  const freshAddress = (): string => `ops${(count += 1)}@example.com`;
  const create = (recipients: readonly string[], client = world.api) =>
    client.post('/notification_channels/email').send({ name: 'Secret <b>name</b>', recipients });
  const page = (method: 'get' | 'post', link: string) =>
    request(world.server)[method](new URL(link).pathname);
  const linkIn = ({ text }: ReceivedMail): string =>
    /https:\/\/watch\.example\.com\/mail\/\S+/.exec(text)![0];
  const read = async (id: string) => (await world.api.get(`/notification_channels/${id}`).expect(200)).body;

  it('ask each recipient, with nothing of the customer in the mail, and hold events until one confirms', async () => {
    const [first, second] = [freshAddress(), freshAddress()];
    const { body } = await create([first, second, first.toUpperCase()]).expect(201);
    expect(body).toMatchObject({
      status: 'failed',
      failure_reason:
        'no recipient has confirmed yet: events are held until one follows the link in its mail',
      config: {
        event_types: ['transaction.detected', 'transaction.confirmed'],
        recipients: [
          { status: 'pending', answered_at: null },
          { address: second, status: 'pending' },
        ],
      },
    });
    expect(server.mails.map(({ to }) => to[0]!.toLowerCase()).sort()).toEqual([first, second].sort());
    for (const { text, head } of server.mails) expect(text + head).not.toContain('Secret');
    for (const { headers } of server.mails)
      expect(headers['subject']).toBe('watch.example.com asks to send you payment notifications');
    const link = linkIn(server.mails.find(({ to }) => to[0] === second)!);

    const shown = await page('get', link).expect(200);
    expect(shown.headers['content-security-policy']).toContain("default-src 'none'");
    expect([shown.headers['referrer-policy'], shown.headers['cache-control']]).toEqual([
      'no-referrer',
      'no-store',
    ]);
    expect(shown.text).toContain('<form method="post">');
    expect((await read(body.id)).status).toBe('failed');

    await page('post', link).expect(200);
    const confirmed = await read(body.id);
    expect(confirmed).toMatchObject({ status: 'active', failed_at: null, failure_reason: null });
    expect(confirmed.config.recipients).toMatchObject([{ status: 'pending' }, { status: 'confirmed' }]);
    for (const method of ['get', 'post'] as const) await page(method, link).expect(404);
    const { rows } = await world.db.query(
      'SELECT config::text, credentials_sealed FROM notification_channels',
    );
    expect(JSON.stringify(rows)).not.toContain('link_key');
    expect(JSON.stringify(confirmed)).not.toContain('link_key');
  });

  it('answer every link that is good for nothing alike', async () => {
    await create([freshAddress()]).expect(201);
    const link = linkIn(server.mails[0]!);
    const changed = `${link.slice(0, -2)}${link.endsWith('AA') ? 'BB' : 'AA'}`;
    const answers = await Promise.all(
      [changed, `${PUBLIC_URL}/mail/${'A'.repeat(71)}`, `${PUBLIC_URL}/mail/x`].map((one) =>
        page('post', one),
      ),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]!.status).toBe(404);
  });

  it('may not be restored, nor made active by other changes, before somebody confirmed', async () => {
    const { body } = await create([freshAddress()]).expect(201);
    const path = `/notification_channels/${body.id}`;
    await world.api.post(`${path}/actions/restore`).expect(422);
    await world.api.patch(`/notification_channels/email/${body.id}`).send({ name: 'x' }).expect(200);
    await world.api.post(`${path}/actions/archive`).expect(200);
    await world.api.post(`${path}/actions/restore`).expect(200);
    expect(await read(body.id)).toMatchObject({ status: 'failed', name: 'x' });
    await page('post', linkIn(server.mails[0]!)).expect(200);
    expect(await read(body.id)).toMatchObject({ status: 'active' });
  });

  it('keep who confirmed when recipients change, and forget who is not named', async () => {
    const [first, second, third] = [freshAddress(), freshAddress(), freshAddress()];
    const { body } = await create([first, second]).expect(201);
    const links = new Map(server.mails.map((mail) => [mail.to[0], linkIn(mail)]));
    await page('post', links.get(first)!).expect(200);
    server.mails.length = 0;
    const path = `/notification_channels/email/${body.id}`;
    const changed = await world.api
      .patch(path)
      .send({ recipients: [first, third] })
      .expect(200);
    expect(changed.body).toMatchObject({ status: 'active' });
    expect(server.mails.map(({ to }) => to)).toEqual([[third]]);
    await page('post', links.get(second)!).expect(404);
    await world.api
      .patch(path)
      .send({ recipients: [third] })
      .expect(200);
    expect(await read(body.id)).toMatchObject({ status: 'failed' });
    await world.other.patch(path).send({ name: 'x' }).expect(404);
  });

  it('lose no answer to a change that comes at the same time', async () => {
    for (let round = 0; round < 8; round += 1) {
      const [first, second] = [freshAddress(), freshAddress()];
      const { body } = await create([first, second]).expect(201);
      const links = server.mails.splice(0).map(linkIn);
      await Promise.all([
        ...links.map((link) => page('post', link).expect(200)),
        world.api.patch(`/notification_channels/email/${body.id}`).send({ name: 'y' }).expect(200),
      ]);
      expect(await read(body.id)).toMatchObject({
        name: 'y',
        config: { recipients: [{ status: 'confirmed' }, { status: 'confirmed' }] },
      });
    }
  });

  it('ask a person three times a day for a workspace, nine times for all of them, and do not tell', async () => {
    const more = [await bootstrap(world.db, { label: 'svc' }), await bootstrap(world.db, { label: 'svc' })];
    const clients = [world.api, world.other, ...more.map(({ keys }) => world.clientOf(keys.api))];
    const address = freshAddress();
    for (const [place, client] of clients.entries()) {
      // What stands behind a plus sign is the same person.
      for (const named of [address, address.replace('@', '+1@'), address.toUpperCase(), address, address])
        await create([named], client).expect(201);
      expect(server.mails).toHaveLength(Math.min(3 * (place + 1), 9));
    }
  });

  it('do not tell whether an address is there', async () => {
    const address = freshAddress();
    server.refused.set(address, 550);
    const { body } = await create([address]).expect(201);
    expect(body.config.recipients).toMatchObject([{ status: 'pending' }]);
  });

  it.each([
    ['nobody', []],
    ['eleven', Array.from({ length: 11 }, (_, index) => `a${index}@example.com`)],
    ['no address', ['ops']],
    ['a header', ['ops@example.com\r\nBcc: victim@example.com']],
    ['two in one', ['ops@example.com,victim@example.com']],
    ['a name', ['Ops <ops@example.com>']],
    ['other letters', ['öps@example.com']],
  ])('are refused for %s', async (_name, recipients) => {
    await create(recipients).expect(400);
    expect(server.mails).toEqual([]);
  });

  it('are bounded for each workspace, however many projects it makes', async () => {
    const statuses = new Set<number>();
    const last = { key: '', recipients: [] as string[] };
    for (let round = 0; round < 12; round += 1) {
      const { body: project } = await world.otherManagement
        .post('/management/projects')
        .send({ name: `${round}` })
        .expect(201);
      const permissions = ['api:notification_channel:write'];
      const { body: key } = await world.otherManagement
        .post('/management/keys')
        .send({ type: 'api', name: 'k', project_id: project.id, permissions })
        .expect(201);
      Object.assign(last, { key: key.key, recipients: Array.from({ length: 10 }, freshAddress) });
      const { status } = await create(last.recipients, world.clientOf(last.key)).set(
        'Idempotency-Key',
        'last',
      );
      statuses.add(status);
    }
    expect(statuses).toEqual(new Set([201, 429]));
    expect(server.mails.length).toBeLessThanOrEqual(100);
    // Another day: a limit is no answer that is kept.
    const later = await startSpecWorld({ sharing: world, settings: world.deps.settings });
    await create(last.recipients, later.clientOf(last.key)).set('Idempotency-Key', 'last').expect(201);
    await later.stop();
  });

  it('ask nobody where the workspace has no room for another channel', async () => {
    const quotas = `/management/workspaces/${world.project.workspaceId}/quotas`;
    await world.management.put(quotas).send({ channels: 0 }).expect(200);
    await create([freshAddress()]).expect(422);
    expect(server.mails).toEqual([]);
    await world.management.put(quotas).send({}).expect(200);
  });

  it('are 502 where the mail server does not answer, and are not made', async () => {
    const dead = await startSpecWorld({
      sharing: world,
      settings: {
        channelOptions: {
          email: {
            server: {
              url: 'smtp://127.0.0.1:9',
              from: 'a@example.com',
              publicUrl: PUBLIC_URL,
              isEncrypted: false,
            },
          },
        },
      },
    });
    const before = await world.db.query('SELECT count(*) FROM notification_channels');
    const recipients = [freshAddress()];
    const send = (client: SpecWorld['api']) => create(recipients, client).set('Idempotency-Key', 'no-server');
    await send(dead.api).expect(502);
    expect((await world.db.query('SELECT count(*) FROM notification_channels')).rows).toEqual(before.rows);
    await dead.stop();
    const { headers } = await send(world.api).expect(201);
    expect(headers['idempotency-replayed']).toBeUndefined();
    expect(server.mails.map(({ to }) => to)).toEqual([recipients]);
  });

  it('are 422 where the installation has no mail server', async () => {
    const without = await startSpecWorld({ sharing: world });
    const { body } = await create([freshAddress()], without.api).expect(422);
    expect(body.detail).toContain('SMTP_URL');
    await without.stop();
  });
});
