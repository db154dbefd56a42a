import type { z } from 'zod';
import type { Route } from '@chainwatch/http';
import { bodyExamples } from './openapi/examples.ts';
import { operations, routeTable } from './route-table.ts';
import { accounts, bodyOf } from './spec-public-keys.ts';
import { startSpecWorld } from './spec-world.ts';
import type { SpecWorld } from './spec-world.ts';

const address = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045';
/** Of nobody. */
const unknown: Readonly<Record<string, string>> = { address: '0x00000000219ab540356cbb839cbe05303d7705fa' };
const unknownId = '00000000-0000-4000-8000-000000000000';
/** What every project sees. */
const shared: Readonly<Record<string, string>> = { chain_gid: 'eip155:1', asset_path: 'slip44:60', block_number: '1' };
const keyTypes = ['api', 'rpc', 'management'] as const;

type AnyRoute = Omit<Route<never, never>, 'handle'>;
const lists = routeTable.filter((route) => route.method === 'GET' && isList(route));

describe('what belongs to another project or workspace', () => {
  let world: SpecWorld;
  let ids: Record<string, string>;
  let hdAddress: string;
  /** What the other project's lists were before there was anything in this one. */
  let before: Map<string, unknown>;
  beforeAll(async () => {
    world = await startSpecWorld();
    await world.api.post('/blockchains').send({ chain_gid: 'eip155:1' }).expect(201);
    before = await readLists();
    await world.api.post('/addresses/external').send({ value: address, chain_family: 'evm', label: 'mine' }).expect(201);
    const { body: publicKey } = await world.api.post('/public_keys').send({ ...bodyOf(accounts.bip84), label: 'mine' }).expect(201);
    const { body: derived } = await world.api.post(`/public_keys/${publicKey.id}/addresses/next`).expect(201);
    hdAddress = derived.address;
    const { body: channel } = await world.api.post('/channels').send({ name: 'mine', url: 'https://1.1.1.1/' }).expect(201);
    const { body: member } = await world.management.post('/management/members').send({ email: 'mine@example.com', role: 'admin' }).expect(201);
    const { body: key } = await world.management.post('/management/keys').send({ type: 'rpc', name: 'mine', permissions: ['rpc:evm:read'] }).expect(201);
    const { rows: events } = await world.db.query<{ event_id: string }>(
      `INSERT INTO events (event_id, project_id, chain_gid, type, sequence, subject_kind, payload) VALUES (gen_random_uuid(), $1, 'eip155:1', 'transaction.detected', 1, 'tx.detected', '{}') RETURNING event_id`,
      [world.project.projectId],
    );
    const { rows } = await world.db.query<{ id: string }>(
      `INSERT INTO deliveries (project_id, channel_id, event_id, event_type, status) VALUES ($1, $2, $3, 'transaction.detected', 'pending') RETURNING id`,
      [world.project.projectId, channel.id, events[0]!.event_id],
    );
    await world.db.query(
      `INSERT INTO transactions (id, project_id, chain_gid, hash, status, direction, required_confirmations) VALUES (gen_random_uuid(), $1, 'eip155:1', '0x1', 'detected', 'in', 1)`,
      [world.project.projectId],
    );
    ids = {
      address,
      public_key_id: publicKey.id,
      channel_id: channel.id,
      notification_channel_id: channel.id,
      delivery_id: rows[0]!.id,
      event_id: events[0]!.event_id,
      project_id: world.project.projectId,
      member_id: member.id,
      key_id: key.id,
    };
  });
  afterAll(() => world.stop());

  it.each(Object.entries(operations).map(([id, route]) => [`${route.method} ${route.path}`, id, route] as const))('%s tells keys of others nothing about it, and changes nothing', async (_name, id, route) => {
    const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name!).filter((name) => !(name in shared));
    expect(names.filter((name) => !(name in ids))).toEqual([]);
    if (names.length === 0) return;
    const rows = await readRows();
    const owner = route.path.startsWith('/management/') ? 'management' : 'api';
    for (const type of keyTypes) {
      const ask = async (values: Readonly<Record<string, string>>) => {
        const path = route.path.replace(/:(\w+)/g, (_, name: string) => shared[name] ?? values[name] ?? unknownId);
        const { status, text, headers } = await world.send(route.method.toLowerCase() as 'get', `/v1${path}`, world.otherProject.keys[type]).send(bodyExamples[id] as object | undefined);
        const hidden = names.reduce((shown, name) => shown.replaceAll(values[name] ?? unknownId, '<id>'), text);
        return { status, text: hidden, type: headers['content-type'], length: Object.keys(headers).sort() };
      };
      const foreign = await ask(ids);
      expect(foreign).toEqual(await ask(unknown));
      expect([type, foreign.status]).toEqual([type, type === owner ? 404 : 403]);
    }
    expect(await readRows()).toEqual(rows);
  });

  it('is in no list of others, in no total, and found by no filter', async () => {
    expect(before.size).toBe(lists.length);
    expect(await readLists()).toEqual(before);
    expect((await world.api.get('/addresses').expect(200)).body.meta.total).toBe(2);
    for (const [path, name] of [['addresses', 'public_key_id'], ['addresses/hd', 'public_key_id'], ['transactions', 'public_key_id'], ['management/keys', 'project_ids'], ['management/audit_logs', 'target_ids'], ['management/audit_logs', 'actor_key_ids']] as const) {
      const client = path.startsWith('management') ? world.otherManagement : world.other;
      for (const id of Object.values(ids).filter((value) => value !== address)) {
        const [foreign, nobodys] = [await client.get(`/${path}?${name}=${id}`), await client.get(`/${path}?${name}=${unknownId}`)];
        expect([foreign.status, foreign.text.replaceAll(id, unknownId)]).toEqual([nobodys.status, nobodys.text]);
      }
    }
    for (const path of [`transactions?addresses=${address}`, `transactions?addresses=${hdAddress}`, 'transactions?hash=0x1', 'addresses?search=mine', 'public_keys?search=mine', 'channels?search=mine', 'addresses?search=d8da6bf2']) {
      const { status, body } = await world.other.get(`/${path}`);
      if (status === 200) expect(body).toMatchObject({ items: [], meta: { total: 0 } });
      else expect(status).toBe(400);
    }
  });

  it('a delivery is found under no other channel', async () => {
    const { body: own } = await world.other.post('/channels').send({ name: 'theirs', url: 'https://1.1.1.1/' }).expect(201);
    const [foreign, nobodys] = [await world.other.get(`/channels/${own.id}/deliveries/${ids.delivery_id}`).expect(404), await world.other.get(`/channels/${own.id}/deliveries/${unknownId}`).expect(404)];
    expect(foreign.text.replaceAll(ids.delivery_id!, unknownId)).toBe(nobodys.text);
    await world.other.delete(`/channels/${own.id}`).expect(204);
  });

  it('is no reason for a 409: what one project has another may make, and delete, for itself', async () => {
    const { body: external } = await world.other.post('/addresses/external').send({ value: address, chain_family: 'evm' }).expect(201);
    expect(external.label).toBeNull();
    const { body: publicKey } = await world.other.post('/public_keys').send(bodyOf(accounts.bip84)).expect(201);
    expect((await world.other.post(`/public_keys/${publicKey.id}/addresses/next`).expect(201)).body.address).toBe(hdAddress);
    for (const suffix of ['', '/hd']) expect((await world.other.get(`/addresses/${hdAddress}${suffix}`).expect(200)).body.public_key_id).toBe(publicKey.id);
    await world.other.delete(`/public_keys/${publicKey.id}?cascade=true`).expect(204);
    await world.other.delete(`/addresses/${address}`).expect(204);
    await world.api.get(`/addresses/${hdAddress}/hd`).expect(200);
    expect((await world.api.get(`/addresses/${address}`).expect(200)).body.label).toBe('mine');
    const { body: member } = await world.otherManagement.post('/management/members').send({ email: 'mine@example.com', role: 'viewer' }).expect(201);
    await world.otherManagement.delete(`/management/members/${member.id}`).expect(204);
    await world.otherManagement.post('/management/projects').send({ name: 'Default' }).expect(201);
  });

  it('what a management request names in its body is of its own workspace too', async () => {
    const make = (project_id: string) => world.otherManagement.post('/management/keys').send({ type: 'api', name: 'theirs', project_id, permissions: ['api:address:read'] }).expect(404);
    const [foreign, nobodys] = [await make(ids.project_id!), await make(unknownId)];
    expect(foreign.text.replaceAll(ids.project_id!, unknownId)).toBe(nobodys.text);
    await world.otherManagement.patch('/management/workspace').send({ name: 'Theirs' }).expect(200);
    expect((await world.management.get('/management/workspace').expect(200)).body).toMatchObject({ id: world.project.workspaceId, name: 'Default' });
  });

  /** The other project's lists by path; of those under a resource, the answer for one that is not theirs. */
  async function readLists(): Promise<Map<string, unknown>> {
    const found = new Map<string, unknown>();
    for (const { path } of lists) {
      const client = path.startsWith('/management/') ? world.otherManagement : world.other;
      const { body } = await client.get(`${path.replace(/:\w+/g, unknownId)}${path.endsWith('audit_logs') ? '?actions=member.created,key.created' : ''}`);
      // The moment of the last use, to the minute, is no row of anybody else.
      found.set(path, JSON.parse(JSON.stringify(body, (key, value: unknown) => (key === 'last_used_at' ? undefined : value))));
    }
    return found;
  }

  /** A fingerprint of every table that holds rows of the first project or workspace. */
  async function readRows(): Promise<unknown[]> {
    const { rows: tables } = await world.db.query<{ name: string; owner: string }>(
      `SELECT table_name AS name, max(column_name) AS owner FROM information_schema.columns WHERE table_schema = 'public' AND column_name IN ('project_id', 'workspace_id') GROUP BY table_name ORDER BY 1`,
    );
    const reads = tables.map(({ name, owner }) =>
      world.db.query(`SELECT '${name}' AS name, count(*) AS count, md5(string_agg((to_jsonb(t) - 'last_used_at')::text, ',' ORDER BY to_jsonb(t)::text)) AS hash FROM ${name} t WHERE ${owner} = $1`, [
        owner === 'project_id' ? world.project.projectId : world.project.workspaceId,
      ]),
    );
    return (await Promise.all(reads)).map(({ rows }) => rows[0] as unknown);
  }
});

function isList({ schemas }: AnyRoute): boolean {
  const schema = schemas.responses[200] as (z.ZodType & { shape?: Record<string, unknown> }) | undefined;
  return schema?.shape !== undefined && 'items' in schema.shape && 'meta' in schema.shape;
}
