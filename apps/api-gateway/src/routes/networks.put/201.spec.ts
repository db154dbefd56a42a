// SPDX-License-Identifier: Apache-2.0
import { refreshNetworks } from '../../networks/follow-networks.ts';
import { startSpecWorld, type SpecWorld } from '../../spec-support/spec-world.ts';

const GID = 'eip155:31340';
const DOCUMENT = {
  family: 'evm',
  name: 'ceres',
  short_name: 'crs',
  display_name: 'Ceres',
  aliases: ['ceres-mainnet'],
  native: { gid: `${GID}/slip44:60`, symbol: 'CRS', name: 'Ceres', decimals: 18 },
  token_namespace: 'erc20',
  confirmation: { type: 'tag', tag: 'finalized', depth: 1 },
  block_time_ms: 500,
  explorer: { transaction: 'https://explorer.example.com/tx/{hash}' },
  traits: { stack: 'optimism' },
};

describe('PUT, GET and DELETE /networks', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
  });
  afterAll(async () => {
    await world.db.query('DELETE FROM networks');
    await refreshNetworks(world.db);
    await world.stop();
  });

  it('lists the networks of the release, each as a document that could be given', async () => {
    const { body } = await world.api.get('/networks').expect(200);
    const ethereum = body.items.find(({ gid }: { gid: string }) => gid === 'eip155:1');
    expect(ethereum).toMatchObject({
      source: 'built_in',
      is_used: false,
      name: 'ethereum',
      native: { gid: 'eip155:1/slip44:60', decimals: 18 },
      wrapped_native: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
    });
    expect(ethereum.image_url).toMatch(/^http:.*\/logos\/ethereum\.svg$/);
    for (const item of body.items) {
      const { source: _source, is_used: _isUsed, image_url: _image, ...document } = item;
      await world.api.put(`/networks/${item.gid}`).send(document).expect(201);
      await world.api.delete(`/networks/${item.gid}`).expect(204);
    }
    expect((await world.api.get('/networks').expect(200)).body).toEqual(body);
  }, 120_000);

  it('makes a network that POST /blockchains takes, records it, and forgets it while it is not used', async () => {
    await world.api.post('/blockchains').send({ chain_gid: GID }).expect(422);
    const { body, headers } = await world.api.put(`/networks/${GID}`).send(DOCUMENT).expect(201);
    expect(body).toMatchObject({ gid: GID, source: 'api', is_used: false, traits: { stack: 'optimism' } });
    expect(headers.location).toBe(`/v1/networks/${GID}`);
    await world.api.put(`/networks/${GID}`).send(DOCUMENT).expect(200);
    await world.api.delete(`/networks/${GID}`).expect(204);
    await world.api.get(`/networks/${GID}`).expect(404);
    await world.api.put(`/networks/${GID}`).send(DOCUMENT).expect(201);
    await world.api.post('/blockchains').send({ chain_gid: GID }).expect(201);
    expect((await world.api.get(`/networks/${GID}`).expect(200)).body.is_used).toBe(true);
    await world.api.delete(`/networks/${GID}`).expect(409);
    const { body: logs } = await world.management.get('/management/audit_logs?limit=3').expect(200);
    expect(logs.items.map(({ action }: { action: string }) => action)).toEqual([
      'workspace.network_set',
      'workspace.network_deleted',
      'workspace.network_set',
    ]);
  });

  it.each([
    ['family', { family: 'cardano' }],
    ['native.gid', { native: { ...DOCUMENT.native, gid: 'eip155:1/slip44:60' } }],
    ['traits.stack', { traits: { stack: 'x' } }],
    ['traits.color', { traits: { stack: 'ethereum', color: 1 } }],
    ['wrapped_native', { wrapped_native: 'nonsense' }],
    ['token_namespace', { token_namespace: 'trc20' }],
    ['tokens.0.gid', { tokens: [{ gid: 'eip155:1/erc20:0x1', symbol: 'A', name: 'A' }] }],
    ['gid', { gid: 'eip155:2' }],
  ])('names %s, and changes nothing', async (name, wrong) => {
    const before = (await world.api.get('/networks').expect(200)).body;
    const { body } = await world.api
      .put(`/networks/${GID}`)
      .send({ ...DOCUMENT, ...wrong })
      .expect(422);
    expect(body.fields).toEqual([expect.objectContaining({ name })]);
    expect((await world.api.get('/networks').expect(200)).body).toEqual(before);
  });

  it('gives no name to two networks, whoever asks first', async () => {
    await world.api
      .put(`/networks/${GID}`)
      .send({ ...DOCUMENT, aliases: ['base'] })
      .expect(409);
    const [one, two] = [31_341, 31_342].map((id) => ({
      ...DOCUMENT,
      name: 'twin',
      aliases: [],
      native: { ...DOCUMENT.native, gid: `eip155:${id}/slip44:60` },
    }));
    const answers = await Promise.all([
      world.api.put('/networks/eip155:31341').send(one),
      world.api.put('/networks/eip155:31342').send(two),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
  });
});
