// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import type { Test } from 'supertest';
import { waitFor } from '@chainwatch/testing';
import { startSpecWorld } from '../spec-support/spec-world.ts';
import type { SpecWorld } from '../spec-support/spec-world.ts';
import { deleteExpired } from '../server/sweep-expired.ts';

const channel = { name: 'Orders', url: 'https://1.1.1.1/hook' };

describe('POST with an Idempotency-Key', () => {
  let world: SpecWorld;
  /** Another replica of the gateway. */
  let twin: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
    twin = await startSpecWorld({ sharing: world });
    await world.api.post('/blockchains').send({ chain_gid: 'eip155:1' }).expect(201);
  });
  afterAll(async () => {
    await twin.stop();
    await world.stop();
  });

  const post = (path: string, body: object | undefined, key: string, client = world.api): Test =>
    client.post(path).set('Idempotency-Key', key).send(body);
  const count = async (table: string): Promise<number> =>
    (await world.db.query<{ count: number }>(`SELECT count(*) AS count FROM ${table}`)).rows[0]!.count;

  it.each<[string, object | undefined, number, 'api' | 'management']>([
    ['/channels', channel, 201, 'api'],
    ['/management/keys', { type: 'rpc', name: 'k', permissions: ['rpc:evm:read'] }, 201, 'management'],
    ['/management/projects', { name: 'p' }, 201, 'management'],
    ['/blockchains', { chain_gid: 'eip155:137' }, 201, 'api'],
    ['/assets/eip155:1/slip44:60/actions/archive', undefined, 204, 'api'],
    ['/assets/eip155:1/slip44:60/actions/restore', undefined, 204, 'api'],
    ['/blockchains', { chain_gid: 'eip155:1' }, 409, 'api'],
    ['/blockchains/eip155:1/actions/activate', undefined, 422, 'api'],
    ['/addresses/external', { value: '0x1', chain_family: 'evm' }, 400, 'api'],
  ])('%s %j is answered %i twice, by any replica, and happens once', async (path, body, status, client) => {
    const key = randomUUID();
    const first = await post(path, body, key, world[client]).expect(status);
    const rows = await Promise.all(
      ['notification_channels', 'api_keys', 'projects', 'blockchains', 'audit_logs'].map(count),
    );
    const again = await post(path, body, key, twin[client]).expect(status);
    expect(again.text).toBe(first.text);
    expect(again.headers['content-type']).toBe(first.headers['content-type']);
    expect([first.headers['idempotency-replayed'], again.headers['idempotency-replayed']]).toEqual([
      undefined,
      'true',
    ]);
    expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    expect(
      await Promise.all(
        ['notification_channels', 'api_keys', 'projects', 'blockchains', 'audit_logs'].map(count),
      ),
    ).toEqual(rows);
  });

  it('is the same request whatever the order of its members, and another one for all else', async () => {
    const key = randomUUID();
    const { body } = await post('/channels', { ...channel, headers: { 'x-a': '1', 'x-b': '2' } }, key).expect(
      201,
    );
    const same = await world.api
      .post('/channels')
      .set('Idempotency-Key', key)
      .type('json')
      .send(`{"headers": {"x-b":"2", "x-a":"1"}, "url":"${channel.url}", "name":"Orders"}`)
      .expect(201);
    expect(same.body).toEqual(body);
    for (const [path, other] of [
      ['/channels', channel],
      ['/notification_channels/webhook', { ...channel, headers: { 'x-a': '1', 'x-b': '2' } }],
      ['/addresses/external', { value: '0xd8da6bf26964af9d7eed9e03e53415d37aa96045', chain_family: 'evm' }],
    ] as const) {
      const refused = await post(path, other, key).expect(422);
      expect(refused.body).toMatchObject({
        title: 'Unprocessable Entity',
        detail: expect.stringContaining('Idempotency-Key'),
      });
    }
  });

  it('is of the API key that asked: another one, even of the project, starts its own', async () => {
    const key = randomUUID();
    const first = await post('/channels', channel, key).expect(201);
    const other = await post('/channels', channel, key, world.other).expect(201);
    const { body: made } = await world.management
      .post('/management/keys')
      .send({
        type: 'api',
        name: 'k',
        project_id: world.project.projectId,
        permissions: ['api:notification_channel:write'],
      })
      .expect(201);
    const third = await world
      .send('post', '/v1/channels', made.key)
      .set('Idempotency-Key', key)
      .send(channel)
      .expect(201);
    expect(new Set([first, other, third].map(({ body }) => body.id)).size).toBe(3);
  });

  it('of many at once one is carried out; the others hear that it runs, then its answer', async () => {
    const key = randomUUID();
    const before = await count('notification_channels');
    const hold = holdTable('webhook_secrets');
    await hold.isHeld;
    const twins = Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        post('/channels', channel, key, index % 2 === 0 ? world.api : twin.api),
      ),
    );
    await waitFor(
      async () =>
        (
          await world.db.query(
            `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
          )
        ).rowCount !== 0,
    );
    const running = await post('/channels', channel, key, twin.api).expect(409);
    expect(running.headers['retry-after']).toBe('1');
    hold.release();
    const answers = await twins;
    const created = answers.filter(({ status }) => status === 201);
    expect(created.length).toBeGreaterThan(0);
    expect(new Set(created.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(({ status }) => status !== 201 && status !== 409)).toEqual([]);
    expect((await post('/channels', channel, key).expect(201)).text).toBe(created[0]!.text);
    expect(await count('notification_channels')).toBe(before + 1);
  });

  it('keeps nothing that anybody but the caller could read', async () => {
    const key = `order-${randomUUID()}`;
    const { body } = await post(
      '/channels',
      { ...channel, auth: { type: 'bearer', token: 'hunter2hunter2' } },
      key,
    ).expect(201);
    const { rows } = await world.db.query<{
      answer: Buffer;
      fingerprint: Buffer;
      key_hash: Buffer;
      text: string;
    }>('SELECT *, k::text AS text FROM idempotency_keys k ORDER BY created_at DESC LIMIT 1');
    const [row] = rows;
    for (const secret of [body.webhook_secret, body.id, 'hunter2', key, 'Orders']) {
      for (const bytes of [row!.answer, row!.fingerprint, row!.key_hash])
        expect(bytes.includes(Buffer.from(String(secret)))).toBe(false);
      expect(row!.text).not.toContain(secret);
    }
  });

  it('carries out again what failed on our side, once', async () => {
    const key = randomUUID();
    const before = await count('notification_channels');
    await world.db.query(`ALTER TABLE webhook_secrets ADD CONSTRAINT fails CHECK (mask = '') NOT VALID`);
    await post('/channels', channel, key).expect(500);
    await world.db.query('ALTER TABLE webhook_secrets DROP CONSTRAINT fails');
    world.failures.length = 0;
    const { text } = await post('/channels', channel, key).expect(201);
    expect((await post('/channels', channel, key).expect(201)).text).toBe(text);
    expect(await count('notification_channels')).toBe(before + 1);
  });

  it('takes over from a process that died before it did anything, and never from one that did', async () => {
    const [early, late] = [randomUUID(), randomUUID()];
    const before = await count('notification_channels');
    await world.db.query('DELETE FROM idempotency_keys');
    for (const key of [early, late]) await post('/channels', channel, key).expect(201);
    await world.db.query('UPDATE idempotency_keys SET answer = NULL');
    const lost = await post('/channels', channel, late).expect(409);
    expect(lost.body.detail).toContain('was carried out');
    // As if the transaction had not been committed either.
    await world.db.query('UPDATE idempotency_keys SET is_carried_out = false');
    expect((await post('/channels', channel, early).expect(409)).body.detail).toContain('being carried out');
    await world.db.query(`UPDATE idempotency_keys SET locked_until = now() - interval '1 s'`);
    await post('/channels', channel, early).expect(201);
    expect(await count('notification_channels')).toBe(before + 3);
  });

  it('does nothing in a process that was given up and goes on', async () => {
    const key = randomUUID();
    await world.db.query('DELETE FROM idempotency_keys');
    const before = await count('notification_channels');
    const hold = holdTable('webhook_secrets');
    await hold.isHeld;
    const slow = post('/channels', channel, key).then(({ status }) => status);
    await waitFor(
      async () =>
        (
          await world.db.query(
            `UPDATE idempotency_keys SET attempt = gen_random_uuid(), locked_until = now() WHERE answer IS NULL AND NOT is_carried_out`,
          )
        ).rowCount === 1,
    );
    hold.release();
    expect(await slow).toBe(409);
    expect(await count('notification_channels')).toBe(before);
  });

  it('starts anew after 24 hours, and is swept away', async () => {
    const key = randomUUID();
    const { body } = await post('/channels', channel, key).expect(201);
    const { rows } = await world.db.query<{ hours: number }>(
      'SELECT extract(epoch FROM expires_at - created_at)::int / 3600 AS hours FROM idempotency_keys ORDER BY created_at DESC LIMIT 1',
    );
    expect(rows).toEqual([{ hours: 24 }]);
    await world.db.query('UPDATE idempotency_keys SET expires_at = now()');
    expect((await post('/channels', { ...channel, name: 'Later' }, key).expect(201)).body.id).not.toBe(
      body.id,
    );
    const all = await count('idempotency_keys');
    expect(await deleteExpired(world.db, 'idempotency_keys')).toBe(all - 1);
    expect(await count('idempotency_keys')).toBe(1);
  });

  it('generates one address for a POST that is sent twice', async () => {
    const { body: key } = await world.api
      .post('/public_keys')
      .send({
        extended_public_key:
          'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs',
        derivation_path: "m/84'/0'/0'",
      })
      .expect(201);
    const path = `/public_keys/${key.id}/addresses`;
    const { body } = await post(`${path}/next`, undefined, 'next').expect(201);
    expect((await post(`${path}/next`, {}, 'next').expect(201)).body).toEqual(body);
    expect((await world.api.post(`${path}/next`).expect(201)).body.index).toBe(body.index + 1);
    const many = await post(path, { from: 0, to: 299 }, 'many').expect(201);
    expect((await post(path, { from: 0, to: 299 }, 'many', twin.api).expect(201)).text).toBe(many.text);
  });

  it.each(['', 'x'.repeat(256), 'caf\u00e9'])('refuses the key %j', async (key) => {
    const { body } = await post('/channels', channel, key).expect(400);
    expect(body.fields).toEqual([
      { name: 'Idempotency-Key', reason: expect.stringContaining('1 to 255 printable ASCII characters') },
    ]);
  });

  it('is nothing to other methods', async () => {
    const first = await world.api.get('/addresses').set('Idempotency-Key', 'same').expect(200);
    expect(first.headers['idempotency-replayed']).toBeUndefined();
    await world.api.get('/blocks').set('Idempotency-Key', 'same').expect(200);
  });

  /** Blocks everybody who writes to a table. */
  function holdTable(table: string): { isHeld: Promise<void>; release: () => void } {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const isHeld = new Promise<void>((resolve, reject) => {
      world.db
        .transaction(async (sql) => {
          await sql.query('SET LOCAL idle_in_transaction_session_timeout = 0');
          await sql.query(`LOCK TABLE ${table} IN SHARE MODE`);
          resolve();
          await released;
        })
        .catch(reject);
    });
    return { isHeld, release };
  }
});
