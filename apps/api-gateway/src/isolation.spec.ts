import { routeTable } from './route-table.ts';
import { accounts, bodyOf } from './spec-public-keys.ts';
import { startSpecWorld } from './spec-world.ts';
import type { SpecWorld } from './spec-world.ts';

const address = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045';
const bodies: Readonly<Record<string, object>> = {
  'PATCH /addresses/:address': { label: 'stolen' },
  'PATCH /public_keys/:public_key_id': { label: 'stolen' },
  'PATCH /notification_channels/webhook/:channel_id': { name: 'stolen' },
  'PATCH /notification_channels/nats/:channel_id': { name: 'stolen' },
  'PATCH /notification_channels/telegram/:channel_id': { name: 'stolen' },
  'POST /notification_channels/:channel_id/deliveries/actions/recover': { since: '2026-01-01T00:00:00Z' },
  'PATCH /management/projects/:project_id': { name: 'stolen' },
  'PATCH /management/members/:member_id': { role: 'owner' },
  'POST /management/keys/:key_id/actions/roll': { grace_seconds: 0 },
};

/** Every route that names something of a project or a workspace. */
const owned = routeTable.filter(({ path }) => /:(address|public_key_id|channel_id|delivery_id|event_id|project_id|member_id|key_id)\b/.test(path));

describe('what belongs to another project or workspace', () => {
  let world: SpecWorld;
  let ids: Record<string, string>;
  let hdAddress: string;
  beforeAll(async () => {
    world = await startSpecWorld();
    await world.api.post('/blockchains').send({ chain_gid: 'eip155:1' }).expect(201);
    await world.api.post('/addresses/external').send({ value: address, chain_family: 'evm', label: 'mine' }).expect(201);
    const { body: publicKey } = await world.api.post('/public_keys').send({ ...bodyOf(accounts.bip84), label: 'mine' }).expect(201);
    const { body: derived } = await world.api.post(`/public_keys/${publicKey.id}/addresses/next`).expect(201);
    hdAddress = derived.address;
    const { body: channel } = await world.api.post('/channels').send({ name: 'mine', url: 'https://1.1.1.1/' }).expect(201);
    const { rows } = await world.db.query(
      `INSERT INTO deliveries (project_id, channel_id, event_id, event_type, status) VALUES ($1, $2, gen_random_uuid(), 'transaction.detected', 'pending') RETURNING id`,
      [world.project.projectId, channel.id],
    );
    const eventId = (await world.api.post(`/channels/${channel.id}/actions/test`).expect(202)).body.event_id;
    await world.db.query(
      `INSERT INTO transactions (id, project_id, chain_gid, hash, status, direction, required_confirmations) VALUES (gen_random_uuid(), $1, 'eip155:1', '0x1', 'detected', 'in', 1)`,
      [world.project.projectId],
    );
    const { body: member } = await world.management.post('/management/members').send({ email: 'mine@example.com', role: 'admin' }).expect(201);
    const { body: key } = await world.management.post('/management/keys').send({ type: 'rpc', name: 'mine', permissions: ['rpc:evm:read'] }).expect(201);
    ids = {
      address,
      public_key_id: publicKey.id,
      channel_id: channel.id,
      delivery_id: rows[0].id,
      event_id: eventId,
      project_id: world.project.projectId,
      member_id: member.id,
      key_id: key.id,
    };
  });
  afterAll(() => world.stop());

  it.each(owned.map((route) => [`${route.method} ${route.path}`, route] as const))('%s is 404, and nothing happens', async (_name, route) => {
    const path = `/v1${route.path.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? '')}`;
    const body = bodies[`${route.method} ${route.path.replace('/channels', '/notification_channels')}`] ?? bodies[`${route.method} ${route.path}`];
    const response = await world.send(route.method.toLowerCase() as 'get', path, world.otherProject.keys[route.path.startsWith('/management/') ? 'management' : 'api']).send(body);
    expect([response.status, response.body.title]).toEqual([404, 'Not Found']);
    expect((await world.api.get(`/addresses/${address}`).expect(200)).body.label).toBe('mine');
    expect((await world.api.get(`/public_keys/${ids.public_key_id}`).expect(200)).body).toMatchObject({ label: 'mine', address_count: 1 });
    expect((await world.api.get(`/channels/${ids.channel_id}`).expect(200)).body).toMatchObject({ name: 'mine', is_archived: false });
    expect((await world.management.get(`/management/projects/${ids.project_id}`).expect(200)).body.name).toBe('Default');
    expect((await world.management.get('/management/members').expect(200)).body.items).toMatchObject([{ id: ids.member_id, role: 'admin' }]);
    expect((await world.management.get(`/management/keys/${ids.key_id}`).expect(200)).body).toMatchObject({ status: 'active', replaced_by: null });
  });

  it('what a management request names in its body or its filters is of its own workspace too', async () => {
    const key = { type: 'api', name: 'theirs', project_id: ids.project_id, permissions: ['api:address:read'] };
    expect((await world.otherManagement.post('/management/keys').send(key).expect(404)).body.detail).toContain(ids.project_id);
    expect((await world.otherManagement.get(`/management/keys?project_ids=${ids.project_id}`).expect(200)).body.meta.total).toBe(0);
    expect((await world.otherManagement.get(`/management/audit_logs?target_ids=${ids.member_id},${ids.key_id}`).expect(200)).body.meta.total).toBe(0);
    // The address is taken in one workspace, and free in the other.
    await world.otherManagement.post('/management/members').send({ email: 'mine@example.com', role: 'viewer' }).expect(201);
    await world.otherManagement.patch('/management/workspace').send({ name: 'Theirs' }).expect(200);
    expect((await world.management.get('/management/workspace').expect(200)).body).toMatchObject({ id: world.project.workspaceId, name: 'Default' });
  });

  it('lists of a workspace hold its own rows', async () => {
    const idsOf = async (path: string, client = world.management): Promise<string[]> => (await client.get(path).expect(200)).body.items.map(({ id }: { id: string }) => id);
    expect(await idsOf('/management/projects')).toEqual([world.project.projectId]);
    expect(await idsOf('/management/projects', world.otherManagement)).toEqual([world.otherProject.projectId]);
    for (const path of ['members', 'keys', 'audit_logs']) {
      const [own, others] = [await idsOf(`/management/${path}`), await idsOf(`/management/${path}`, world.otherManagement)];
      expect(own.length).toBeGreaterThan(0);
      expect(others.length).toBeGreaterThan(0);
      expect(own.filter((id) => others.includes(id))).toEqual([]);
    }
  });

  it('a derived address is 404 in every form, and may be derived there too', async () => {
    for (const suffix of ['', '/hd', '/external', '/balances']) await world.other.get(`/addresses/${hdAddress}${suffix}`).expect(404);
    const { body: publicKey } = await world.other.post('/public_keys').send(bodyOf(accounts.bip84)).expect(201);
    expect((await world.other.post(`/public_keys/${publicKey.id}/addresses/next`).expect(201)).body.address).toBe(hdAddress);
    await world.other.delete(`/public_keys/${publicKey.id}?cascade=true`).expect(204);
    await world.api.get(`/addresses/${hdAddress}/hd`).expect(200);
  });

  it.each([['/addresses', 2], ['/addresses/hd', 1], ['/public_keys', 1], ['/transactions', 1], ['/events', 1], ['/notification_channels', 1], ['/channels', 1]] as const)('%s lists nothing of it', async (path, count) => {
    expect((await world.api.get(path).expect(200)).body.meta.total).toBe(count);
    expect((await world.other.get(path).expect(200)).body).toMatchObject({ items: [], meta: { total: 0 } });
  });
});
