// SPDX-License-Identifier: Apache-2.0
import { waitFor } from '@chainwatch/testing';
import { accounts, bodyOf } from '../../spec-support/public-keys.ts';
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { Client, SpecWorld } from '../../spec-support/spec-world.ts';

const address = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045';

describe('DELETE /management/projects/{id}', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
    await world.api.post('/blockchains').send({ chain_gid: 'eip155:1' }).expect(201);
    await world.api.post('/addresses/external').send({ value: address, chain_family: 'evm' }).expect(201);
  });
  afterAll(() => world.stop());

  async function addProject(): Promise<{ id: string; key: string; client: Client }> {
    const { body: project } = await world.management
      .post('/management/projects')
      .send({ name: 'p' })
      .expect(201);
    const permissions = ['address', 'public_key', 'notification_channel'].flatMap((noun) => [
      `api:${noun}:read`,
      `api:${noun}:write`,
    ]);
    const { body: made } = await world.management
      .post('/management/keys')
      .send({ type: 'api', name: 'k', project_id: project.id, permissions })
      .expect(201);
    const clientOf = (method: 'get' | 'post' | 'patch' | 'put' | 'delete') => (path: string) =>
      world.send(method, `/v1${path}`, made.key);
    const client: Client = {
      get: clientOf('get'),
      post: clientOf('post'),
      patch: clientOf('patch'),
      put: clientOf('put'),
      delete: clientOf('delete'),
    };
    return { id: project.id, key: made.key, client };
  }

  it('deletes an empty one with its keys, which end at once', async () => {
    const { id, client } = await addProject();
    await client.get('/addresses').expect(200);
    world.published.length = 0;
    expect((await world.management.delete(`/management/projects/${id}`).expect(204)).text).toBe('');
    await client.get('/addresses').expect(401);
    expect(world.published).toMatchObject([
      {
        kind: 'key.revoked',
        tokens: [],
        payload: { schema: 1, key_hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
      },
    ]);
    await world.management.get(`/management/projects/${id}`).expect(404);
    await world.management.delete(`/management/projects/${id}`).expect(404);
    const { body: log } = await world.management
      .get(`/management/audit_logs?target_ids=${id}&actions=project.deleted`)
      .expect(200);
    expect(log.items).toMatchObject([
      { target: { type: 'project', id }, changes: { name: { from: 'p', to: null } } },
    ]);
  });

  it.each<[string, (client: Client) => PromiseLike<unknown>]>([
    [
      'addresses',
      (client) =>
        client.post('/addresses/external').send({ value: address, chain_family: 'evm' }).expect(201),
    ],
    ['public keys', (client) => client.post('/public_keys').send(bodyOf(accounts.bip84)).expect(201)],
    [
      'notification channels',
      (client) => client.post('/channels').send({ name: 'c', url: 'https://1.1.1.1/' }).expect(201),
    ],
  ])('keeps one with %s, unless told to delete these too', async (noun, use) => {
    const { id, client } = await addProject();
    await use(client);
    for (const query of ['', '?cascade=false']) {
      const { body } = await world.management.delete(`/management/projects/${id}${query}`).expect(409);
      expect(body.detail).toBe(
        `The project has ${noun}: delete them first, or everything together with ?cascade=true.`,
      );
    }
    await world.management.delete(`/management/projects/${id}?cascade=yes`).expect(400);
    await client.get('/addresses').expect(200);
    expect(
      (await world.management.get(`/management/audit_logs?target_ids=${id}`).expect(200)).body.meta.total,
    ).toBe(1);
    await world.management.delete(`/management/projects/${id}?cascade=true`).expect(204);
  });

  it('leaves no row of it in any table, and all of the others', async () => {
    const { id, client } = await addProject();
    await client.post('/addresses/external').send({ value: address, chain_family: 'evm' }).expect(201);
    const { body: publicKey } = await client.post('/public_keys').send(bodyOf(accounts.bip84)).expect(201);
    await client.post(`/public_keys/${publicKey.id}/addresses/next`).expect(201);
    const { body: channel } = await client
      .post('/channels')
      .send({ name: 'c', url: 'https://1.1.1.1/' })
      .expect(201);
    await insertHistory(id, channel.id);
    world.published.length = 0;
    await world.management.delete(`/management/projects/${id}?cascade=true`).expect(204);
    // What its rows added to totals and took from them goes when it is folded, within a second where a gateway runs.
    await waitFor(async () => {
      await world.db.query('SELECT fold_totals(1000)');
      const { rowCount } = await world.db.query(
        'SELECT FROM list_counts WHERE scope = $1 UNION ALL SELECT FROM list_changes WHERE scope = $1',
        [id],
      );
      return rowCount === 0;
    });
    const { rows: tables } = await world.db.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'project_id'`,
    );
    expect(tables.length).toBeGreaterThan(7);
    for (const { name } of tables)
      expect([
        name,
        (await world.db.query(`SELECT FROM ${name} WHERE project_id = $1`, [id])).rowCount,
      ]).toEqual([name, 0]);
    expect(
      world.published
        .filter(({ kind }) => kind === 'address.watched')
        .map(({ payload }) => (payload as { is_monitored: boolean }).is_monitored),
    ).toEqual([false, false]);
    expect((await world.api.get('/addresses').expect(200)).body.meta.total).toBe(1);
  });

  it('refuses what comes with a key of the project in the same moment, and leaves nothing of it', async () => {
    const { id, client } = await addProject();
    const blocking = world.db.transaction(async (sql) => {
      await sql.query('SELECT FROM projects WHERE id = $1 FOR UPDATE', [id]);
      const late = client
        .post('/addresses/external')
        .send({ value: address, chain_family: 'evm' })
        .then(({ status }) => status);
      const lateKey = world.management
        .post('/management/keys')
        .send({ type: 'api', name: 'k', project_id: id, permissions: ['api:address:read'] })
        .then(({ status }) => status);
      await waitFor(async () => (await countWaiting()) === 2);
      await sql.query('DELETE FROM api_keys WHERE project_id = $1', [id]);
      await sql.query('DELETE FROM projects WHERE id = $1', [id]);
      return { late, lateKey };
    });
    const { late, lateKey } = await blocking;
    expect([await late, await lateKey]).toEqual([401, 404]);
    expect(world.failures).toEqual([]);
  });

  /** Requests that wait for a lock in the database. */
  async function countWaiting(): Promise<number> {
    const { rows } = await world.db.query<{ count: number }>(
      `SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return rows[0]!.count;
  }

  async function insertHistory(projectId: string, channelId: string): Promise<void> {
    const { rows } = await world.db.query<{ id: string }>(
      `INSERT INTO transactions (id, project_id, chain_gid, hash, status, direction, required_confirmations) VALUES (gen_random_uuid(), $1, 'eip155:1', '0x1', 'detected', 'in', 1) RETURNING id`,
      [projectId],
    );
    await world.db.query(
      `INSERT INTO transfers (transaction_id, index, project_id, chain_gid, type, asset_gid, amount_raw, monitored_addresses) VALUES ($1, 0, $2, 'eip155:1', 'native', 'eip155:1/slip44:60', 1, '{}')`,
      [rows[0]!.id, projectId],
    );
    await world.db.query(
      `INSERT INTO project_sequences (project_id, chain_gid, value) VALUES ($1, 'eip155:1', 1)`,
      [projectId],
    );
    await world.db.query(
      `INSERT INTO event_log (event_id, project_id, chain_gid, type, sequence, subject_kind, payload) VALUES (gen_random_uuid(), $1, 'eip155:1', 'transaction.detected', 1, 'tx.detected', '{}')`,
      [projectId],
    );
    await world.db.query(
      `INSERT INTO deliveries (project_id, channel_id, event_id, event_type, status) VALUES ($1, $2, gen_random_uuid(), 'transaction.detected', 'pending')`,
      [projectId, channelId],
    );
  }
});
