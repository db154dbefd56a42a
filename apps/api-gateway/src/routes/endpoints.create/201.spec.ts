// SPDX-License-Identifier: Apache-2.0
import { findFreePort, startAnvil } from '@chainwatch/testing';
import type { AnvilHandle } from '@chainwatch/testing';
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

const gid = 'eip155:31337';
const path = `/blockchains/${gid}/endpoints`;

describe('further nodes of a chain', () => {
  let world: SpecWorld;
  let anvil: AnvilHandle;
  beforeAll(async () => {
    [world, anvil] = await Promise.all([
      startSpecWorld({ settings: { nodeTimeoutMs: 2_000 } }),
      startAnvil(),
    ]);
    await world.api.post('/blockchains').send({ chain_gid: gid }).expect(201);
    await world.api.post('/blockchains').send({ chain_gid: 'eip155:1' }).expect(201);
  });
  afterAll(async () => {
    await anvil.stop();
    await world.stop();
  });

  it('are asked which chain they serve, stored sealed, listed by weight, and removed', async () => {
    const url = `${anvil.url}/?token=s3cret`;
    const { body: light } = await world.api.post(path).send({ endpoint_url: url }).expect(201);
    const { body: heavy } = await world.api
      .post(path)
      .send({ endpoint_url: anvil.webSocketUrl, weight: 5 })
      .expect(201);
    expect(light).toMatchObject({ chain_gid: gid, url: new URL(anvil.url).origin, weight: 1 });
    expect((await world.api.get(path).expect(200)).body.items).toEqual([heavy, light]);
    const { rows } = await world.db.query<{ url_sealed: string }>(
      'SELECT url_sealed FROM chain_endpoints WHERE id = $1',
      [light.id],
    );
    expect(rows[0]!.url_sealed).not.toContain('s3cret');
    expect(world.deps.sealer.open(rows[0]!.url_sealed, `chain_endpoint:${light.id}`)).toBe(url);

    const { body: raised } = await world.api.patch(`${path}/${light.id}`).send({ weight: 9 }).expect(200);
    expect(raised).toMatchObject({ id: light.id, weight: 9 });
    expect((await world.api.get(path).expect(200)).body.items).toEqual([raised, heavy]);
    // Another chain's path leads nowhere.
    await world.api.delete(`/blockchains/eip155:1/endpoints/${light.id}`).expect(404);
    await world.api.delete(`${path}/${light.id}`).expect(204);
    await world.api.delete(`${path}/${light.id}`).expect(404);
    expect((await world.api.get(path).expect(200)).body.items).toEqual([heavy]);
    const { body: log } = await world.management
      .get('/management/audit_logs?actions=workspace.endpoint_updated')
      .expect(200);
    expect(log.items).toHaveLength(4);
    expect(JSON.stringify(log)).not.toContain('s3cret');
    expect(world.published.filter(({ kind }) => kind === 'chain.changed').length).toBeGreaterThan(3);
  });

  it.each<[string, string, () => string, number, RegExp]>([
    ['of another chain', 'eip155:1', () => anvil.url, 422, /chain/],
    ['in a blocked range', gid, () => 'http://169.254.169.254/', 422, /blocked/],
    ['of no chain of this service', 'eip155:56', () => anvil.url, 404, /no blockchain/],
    ['of no known protocol', gid, () => 'ftp://127.0.0.1/', 400, /http/],
  ])('are refused when they are %s', async (_name, chain, url, status, detail) => {
    const { body } = await world.api
      .post(`/blockchains/${chain}/endpoints`)
      .send({ endpoint_url: url() })
      .expect(status);
    expect(JSON.stringify(body)).toMatch(detail);
  });

  it('are at most 20, and stored without an answer with verify=false', async () => {
    const url = `http://127.0.0.1:${await findFreePort()}`;
    await world.api.post(path).send({ endpoint_url: url }).expect(502);
    for (let count = (await world.api.get(path)).body.items.length; count < 20; count += 1)
      await world.api.post(`${path}?verify=false`).send({ endpoint_url: url }).expect(201);
    await world.api.post(`${path}?verify=false`).send({ endpoint_url: url }).expect(409);
  });
});
