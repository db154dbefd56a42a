// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import type { Response, Test } from 'supertest';
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

const newAddress = (): string => `0x${randomBytes(20).toString('hex')}`;
const unknown = '00000000-0000-4000-8000-000000000000';

describe('quotas of a workspace', () => {
  let world: SpecWorld;
  /** Another replica. */
  let twin: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
    twin = await startSpecWorld({ sharing: world });
  });
  afterAll(async () => {
    expect([...world.failures, ...twin.failures]).toEqual([]);
    const { rows } = await world.db.query<{ deadlocks: number }>(
      'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
    );
    expect(rows).toEqual([{ deadlocks: 0 }]);
    await twin.stop();
    await world.stop();
  });

  const pathOf = (id: string): string => `/management/workspaces/${id}/quotas`;
  const theirs = (): string => pathOf(world.otherProject.workspaceId);
  const set = (body: object) => world.management.put(theirs()).send(body).expect(200);
  /** Sent again where the turn did not come in time, as the answer says: a slow machine has its pool's limit. */
  const served = async (send: () => Test): Promise<Response> => {
    const response = await send();
    return response.status === 503 ? served(send) : response;
  };
  const importOne = async (value = newAddress(), client = world.other): Promise<number> =>
    (await served(() => client.post('/addresses/external').send({ value, chain_family: 'evm' }))).status;
  const used = async (): Promise<number> =>
    (await world.management.get(theirs()).expect(200)).body.used.addresses;

  it('are the defaults until the operator sets them, which the audit log tells', async () => {
    const before = await world.management.get(theirs()).expect(200);
    expect(before.body).toMatchObject({
      ...{ workspace_id: world.otherProject.workspaceId },
      ...{ addresses: 10_000_000, channels: 1_000, streams: 100, keys: 1_000, portal_sessions: 10_000 },
      ...{ projects: 1_000, members: 1_000 },
      used: { addresses: 0, channels: 0, keys: 3, portal_sessions: 0, projects: 1, members: 0 },
    });
    expect((await set({ channels: 7 })).body).toMatchObject({ addresses: 10_000_000, channels: 7 });
    expect((await set({ addresses: 3 })).body).toMatchObject({ addresses: 3, channels: 1_000 });
    expect((await set({ addresses: null, channels: 7 })).body).toMatchObject({
      addresses: 10_000_000,
      channels: 7,
    });
    expect((await set({ addresses: 3, channels: null })).body).toMatchObject({
      addresses: 3,
      channels: 1_000,
    });
    const { body } = await world.management.get('/management/audit_logs').expect(200);
    expect(body.items[0]).toMatchObject({
      action: 'workspace.quotas_updated',
      target: { type: 'workspace', id: world.otherProject.workspaceId },
      changes: { addresses: { from: 10_000_000, to: 3 }, channels: { from: 7, to: 1_000 } },
    });
  });

  it("are the operator's alone, and of workspaces that there are", async () => {
    for (const id of [world.project.workspaceId, world.otherProject.workspaceId, unknown]) {
      await world.otherManagement.get(pathOf(id)).expect(403);
      await world.otherManagement.put(pathOf(id)).send({}).expect(403);
    }
    await world.management.get(pathOf(unknown)).expect(404);
    await world.management.put(pathOf(unknown)).send({}).expect(404);
    await world.otherManagement
      .post('/management/keys')
      .send({ type: 'mgt', name: 'more', permissions: ['mgt:quota:write'] })
      .expect(403);
    for (const body of [{ addresses: -1 }, { addresses: 1.5 }, { projects: 'many' }, { workspaces: 1 }])
      await world.management.put(theirs()).send(body).expect(400);
  });

  it('let exactly as many addresses in as there is room for, by two replicas at once, and name the quota', async () => {
    await set({ addresses: 5 });
    const statuses = await Promise.all(
      Array.from({ length: 12 }, (_, n) => importOne(newAddress(), n % 2 === 0 ? world.other : twin.other)),
    );
    expect(statuses.sort()).toEqual([...Array<number>(5).fill(201), ...Array<number>(7).fill(422)]);
    expect(await used()).toBe(5);
    const { body } = await world.other
      .post('/addresses/external')
      .send({ value: newAddress(), chain_family: 'evm' })
      .expect(422);
    expect(body.detail).toContain('quota of addresses');
    const { body: list } = await world.other.get('/addresses').expect(200);
    expect(await importOne(list.items[0].address)).toBe(409);
    await world.other.delete(`/addresses/${list.items[0].address}`).expect(204);
    expect(await importOne()).toBe(201);
    // Other workspaces have their own.
    expect(await importOne(newAddress(), world.api)).toBe(201);
  });

  it('are 422 inside a batch, for the new addresses that are too many', async () => {
    await set({ addresses: 1_508 });
    const { body: list } = await world.other.get('/addresses').expect(200);
    const known = list.items[0].address as string;
    const values = Array.from({ length: 2_000 }, newAddress);
    const batches = await Promise.all(
      [world, twin].map(async ({ other }, n) => {
        const own = values.slice(n * 1_000, n * 1_000 + 1_000);
        const { body } = await other
          .post('/addresses/external/batch')
          .send({
            chain_family: 'evm',
            addresses: [known, ...own, known, own[999]].map((value) => ({ value })),
          })
          .expect(200);
        return body.items as { status: string; problem?: { status: number; detail: string } }[];
      }),
    );
    const items = batches.flat();
    expect(items.filter(({ status }) => status === 'created')).toHaveLength(1_503);
    for (const [first, ...others] of batches) {
      expect([first!.status, others.at(-2)!.status]).toEqual(['exists', 'exists']);
      expect(others.at(-1)!.status).toBe(others[999]!.status === 'created' ? 'exists' : 'invalid');
    }
    for (const { problem } of items.filter(({ status }) => status === 'invalid'))
      expect(problem).toMatchObject({ status: 422, detail: expect.stringContaining('quota of addresses') });
    expect(await used()).toBe(1_508);
  });

  it('hold for derived addresses too, but for those that were imported before', async () => {
    const { body: key } = await world.other
      .post('/public_keys')
      .send({
        extended_public_key:
          'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs',
        derivation_path: "m/84'/0'/0'",
      })
      .expect(201);
    const derive = (body: object) => world.other.post(`/public_keys/${key.id}/addresses`).send(body);
    await set({ addresses: (await used()) + 2 });
    const { body: first } = await derive({ indexes: [0] }).expect(201);
    await world.other.delete(`/addresses/${first.items[0].address}`).expect(204);
    await world.other
      .post('/addresses/external')
      .send({ value: first.items[0].address, chain_family: 'bitcoin' })
      .expect(201);
    const before = await used();
    expect((await derive({ from: 0, to: 2 }).expect(422)).body.detail).toContain('quota of addresses');
    expect(await used()).toBe(before);
    expect((await derive({ from: 0, to: 1 }).expect(201)).body).toMatchObject({
      created_count: 1,
      existing_count: 1,
    });
    expect(await used()).toBe(before + 1);
    await derive({ from: 0, to: 1 }).expect(201);
    await world.other.post(`/public_keys/${key.id}/addresses/next`).send({}).expect(422);
  });

  it('hold for channels and keys, however many are made at once', async () => {
    await set({ channels: 3, keys: 5 });
    const channels = await Promise.all(
      Array.from({ length: 10 }, () =>
        served(() => world.other.post('/channels').send({ name: 'c', url: 'https://1.1.1.1/hook' })).then(
          ({ status }) => status,
        ),
      ),
    );
    expect(channels.filter((status) => status === 201)).toHaveLength(3);
    expect(channels.filter((status) => status === 422)).toHaveLength(7);
    const keys = await Promise.all(
      Array.from({ length: 10 }, () =>
        served(() =>
          world.otherManagement
            .post('/management/keys')
            .send({ type: 'rpc', name: 'k', permissions: ['rpc:evm:read'] }),
        ).then(({ status }) => status),
      ),
    );
    expect(keys.filter((status) => status === 201)).toHaveLength(2);
    expect(keys.filter((status) => status === 422)).toHaveLength(8);
    const { body } = await world.otherManagement.get('/management/keys').expect(200);
    const [key] = body.items.filter(({ name }: { name: string }) => name === 'k');
    // A rolled key goes on beside its successor: with a grace it takes room as a new one does.
    const roll = (seconds: number): Test =>
      world.otherManagement.post(`/management/keys/${key.id}/actions/roll`).send({ grace_seconds: seconds });
    expect((await roll(60).expect(422)).body.detail).toContain('quota of keys');
    await roll(0).expect(200);
  });

  it('hold for projects and members, by two replicas at once, and give room back', async () => {
    await set({ projects: 3, members: 2 });
    const asks = [world, twin].flatMap(({ otherManagement: client }, replica) =>
      Array.from({ length: 5 }, (_, n) => ({ client, email: `m${replica}-${n}@example.com` })),
    );
    const projects = await Promise.all(
      asks.map(({ client, email }) =>
        served(() => client.post('/management/projects').send({ name: email })),
      ),
    );
    const made = projects.filter(({ status }) => status === 201);
    // The workspace came with one.
    expect(made).toHaveLength(2);
    const members = await Promise.all(
      asks.map(({ client, email }) =>
        served(() => client.post('/management/members').send({ email, role: 'viewer' })),
      ),
    );
    expect(members.filter(({ status }) => status === 201)).toHaveLength(2);
    for (const [what, answers] of Object.entries({ projects, members }))
      for (const { status, body } of answers.filter((answer) => answer.status !== 201))
        expect([status, body.detail]).toEqual([422, expect.stringContaining(`quota of ${what}`)]);
    expect((await world.management.get(theirs()).expect(200)).body.used).toMatchObject({
      projects: 3,
      members: 2,
    });
    // Who is a member already is told that, not the quota.
    const { email } = members.find(({ status }) => status === 201)!.body;
    await world.otherManagement.post('/management/members').send({ email, role: 'owner' }).expect(409);
    await world.otherManagement.delete(`/management/projects/${made[0]!.body.id}`).expect(204);
    await world.otherManagement.post('/management/projects').send({ name: 'again' }).expect(201);
    // Other workspaces have their own.
    await world.management.post('/management/projects').send({ name: 'ours' }).expect(201);
  });

  it('keep nobody waiting while they are far', async () => {
    await set({});
    await world.db.transaction(async (sql) => {
      await sql.query('SELECT take_quota($1, $2, 1000)', [world.otherProject.workspaceId, 'addresses']);
      expect(await importOne()).toBe(201);
    });
  });
});
