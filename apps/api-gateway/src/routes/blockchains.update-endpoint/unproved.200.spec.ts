// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { Client, SpecWorld } from '../../spec-support/spec-world.ts';

/** One chain of each family. */
const CHAINS = {
  evm: 'eip155:31337',
  bitcoin: 'bip122:000000000019d6689c085ae165831e93',
  solana: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  tron: 'tron:0xcd8690dc',
} as const;
const FAMILIES = Object.entries(CHAINS);

describe('what becomes of transactions that cannot be proved', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
    for (const [, gid] of FAMILIES) await world.api.post('/blockchains').send({ chain_gid: gid }).expect(201);
  });
  afterAll(() => world.stop());

  const change = (gid: string, family: string, body: object, client: Client = world.api) =>
    client.patch(`/blockchains/${gid}/${family}`).send(body);
  const rowOf = async (gid: string) =>
    (
      await world.db.query(
        'SELECT endpoint_sealed, other_endpoints_sealed, updated_at, is_active, unproved FROM blockchains WHERE gid = $1',
        [gid],
      )
    ).rows[0];
  const shown = async (gid: string) => [
    (await world.api.get(`/blockchains/${gid}`).expect(200)).body.unproved,
    (await world.api.get('/blockchains').expect(200)).body.items.find(
      (item: { gid: string }) => item.gid === gid,
    ).unproved,
  ];

  it.each(FAMILIES)('is set per chain, and shown in every record: %s', async (family, gid) => {
    expect(await shown(gid)).toEqual(['hold', 'hold']);
    expect((await change(gid, family, { unproved: 'deliver' }).expect(200)).body).toMatchObject({
      gid,
      unproved: 'deliver',
      has_endpoint: false,
    });
    expect(await shown(gid)).toEqual(['deliver', 'deliver']);
    expect((await change(gid, family, { unproved: 'hold' }).expect(200)).body.unproved).toBe('hold');
  });

  it('leaves nodes and the report of the services alone, and nodes leave it alone', async () => {
    const gid = CHAINS.evm;
    const url = `/blockchains/${gid}/evm?verify=false`;
    await world.api.patch(url).send({ endpoint_url: 'https://1.1.1.1' }).expect(200);
    const before = await rowOf(gid);
    await change(gid, 'evm', { unproved: 'deliver' }).expect(200);
    expect(await rowOf(gid)).toEqual({ ...before, unproved: 'deliver' });
    const { body } = await world.api.patch(url).send({ endpoint_url: 'https://1.0.0.1' }).expect(200);
    expect(body.unproved).toBe('deliver');
    const after = await rowOf(gid);
    expect(after.updated_at.getTime()).toBeGreaterThan(before.updated_at.getTime());
    await world.api.patch(url).send({ endpoint_url: 'https://1.1.1.1', unproved: 'hold' }).expect(200);
    expect(await rowOf(gid)).toMatchObject({ unproved: 'hold' });
    expect((await world.api.post(`/blockchains/${gid}/actions/activate`).expect(200)).body.unproved).toBe(
      'hold',
    );
    expect((await world.api.post(`/blockchains/${gid}/actions/deactivate`).expect(200)).body.unproved).toBe(
      'hold',
    );
  });

  it.each<[string, string, string | null]>([
    ...FAMILIES.map(([family, gid]): [string, string, string] => [family, gid, 'sometimes']),
    ['evm', CHAINS.evm, null],
  ])('is 400 for another value, naming the member: %s %s %p', async (family, gid, unproved) => {
    const { body } = await change(gid, family, { unproved }).expect(400);
    expect(body.fields.map(({ name }: { name: string }) => name)).toEqual(['unproved']);
    expect(await shown(gid)).toEqual(['hold', 'hold']);
  });

  it.each([
    ['evm', 'endpoint_url', 'expected at least one of endpoint_url, unproved'],
    ['tron', 'evm_endpoint_url', 'expected at least one of evm_endpoint_url, endpoint_url, unproved'],
  ] as const)('is 400 for a body that says nothing: %s', async (family, name, reason) => {
    const { body } = await change(CHAINS[family], family, {}).expect(400);
    expect(body.fields).toEqual([{ name, reason }]);
  });

  it('is the decision of the operator: 403 without the permission and in another workspace', async () => {
    const reader = await world.management
      .post('/management/keys')
      .send({
        type: 'api',
        name: 'reader',
        project_id: world.project.projectId,
        permissions: ['api:blockchain:read'],
      })
      .expect(201);
    await change(CHAINS.evm, 'evm', { unproved: 'deliver' }, world.clientOf(reader.body.key)).expect(403);
    expect(await shown(CHAINS.evm)).toEqual(['hold', 'hold']);
  });

  it('is in the audit log, with what it was before', async () => {
    await change(CHAINS.solana, 'solana', { unproved: 'deliver' }).expect(200);
    const { body } = await world.management
      .get('/management/audit_logs?actions=workspace.endpoint_updated&sort_by=-created_at&limit=1')
      .expect(200);
    expect(body.items[0]).toMatchObject({
      action: 'workspace.endpoint_updated',
      target: { type: 'workspace', id: world.project.workspaceId },
    });
    expect(body.items[0].changes).toEqual({
      chain_gid: { from: null, to: CHAINS.solana },
      members: { from: null, to: ['unproved'] },
      unproved: { from: 'hold', to: 'deliver' },
    });
  });
});
