import { routeTable } from './route-table.ts';
import { accounts, bodyOf } from './spec-public-keys.ts';
import { startSpecWorld } from './spec-world.ts';
import type { SpecWorld } from './spec-world.ts';

const address = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045';
const bodies: Readonly<Record<string, object>> = {
  'PATCH /addresses/:address': { label: 'stolen' },
  'PATCH /public_keys/:public_key_id': { label: 'stolen' },
  'PATCH /notification_channels/webhook/:channel_id': { name: 'stolen' },
};

/** Every route that names something of a project. */
const owned = routeTable.filter(({ path }) => /:(address|public_key_id|channel_id|delivery_id)\b/.test(path));

describe('what belongs to another project', () => {
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
    await world.db.query(
      `INSERT INTO transactions (id, project_id, chain_gid, hash, status, direction, required_confirmations) VALUES (gen_random_uuid(), $1, 'eip155:1', '0x1', 'detected', 'in', 1)`,
      [world.project.projectId],
    );
    ids = { address, public_key_id: publicKey.id, channel_id: channel.id, delivery_id: rows[0].id };
  });
  afterAll(() => world.stop());

  it.each(owned.map((route) => [`${route.method} ${route.path}`, route] as const))('%s is 404, and nothing happens', async (_name, route) => {
    const path = `/v1${route.path.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? '')}`;
    const body = bodies[`${route.method} ${route.path.replace('/channels', '/notification_channels')}`] ?? bodies[`${route.method} ${route.path}`];
    const response = await world.send(route.method.toLowerCase() as 'get', path, world.otherProject.keys.api).send(body);
    expect([response.status, response.body.title]).toEqual([404, 'Not Found']);
    expect((await world.api.get(`/addresses/${address}`).expect(200)).body.label).toBe('mine');
    expect((await world.api.get(`/public_keys/${ids.public_key_id}`).expect(200)).body).toMatchObject({ label: 'mine', address_count: 1 });
    expect((await world.api.get(`/channels/${ids.channel_id}`).expect(200)).body).toMatchObject({ name: 'mine', is_archived: false });
  });

  it('a derived address is 404 in every form, and may be derived there too', async () => {
    for (const suffix of ['', '/hd', '/external', '/balances']) await world.other.get(`/addresses/${hdAddress}${suffix}`).expect(404);
    const { body: publicKey } = await world.other.post('/public_keys').send(bodyOf(accounts.bip84)).expect(201);
    expect((await world.other.post(`/public_keys/${publicKey.id}/addresses/next`).expect(201)).body.address).toBe(hdAddress);
    await world.other.delete(`/public_keys/${publicKey.id}?cascade=true`).expect(204);
    await world.api.get(`/addresses/${hdAddress}/hd`).expect(200);
  });

  it.each([['/addresses', 2], ['/addresses/hd', 1], ['/public_keys', 1], ['/transactions', 1], ['/notification_channels', 1], ['/channels', 1]] as const)('%s lists nothing of it', async (path, count) => {
    expect((await world.api.get(path).expect(200)).body.meta.total).toBe(count);
    expect((await world.other.get(path).expect(200)).body).toMatchObject({ items: [], meta: { total: 0 } });
  });
});
