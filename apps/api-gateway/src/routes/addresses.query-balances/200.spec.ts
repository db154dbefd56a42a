// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

const gid = 'eip155:31337';
const native = `${gid}/slip44:60`;
const token = `${gid}/erc20:0x${'a'.repeat(40)}`;
const archived = `${gid}/erc20:0x${'b'.repeat(40)}`;
const one = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';
const two = '0x00000000219ab540356cBB839Cbe05303d7705Fa';
const none = '0x0000000000000000000000000000000000000001';

describe('POST /addresses/balances/query', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
    await world.api.post('/blockchains').send({ chain_gid: gid }).expect(201);
    for (const asset of [token, archived])
      await world.db.query(
        `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status, decimals) VALUES ($1, $2, 'erc20', $3, 'fungible', 'active', 6)`,
        [asset, gid, asset.split(':').at(-1)],
      );
    for (const [client, value, raw] of [
      [world.api, one, '1500000'],
      [world.api, two, '7'],
      [world.other, one, '999'],
    ] as const) {
      const { body } = await client
        .post('/addresses/external')
        .send({ value, chain_family: 'evm' })
        .expect(201);
      for (const asset of [native, token, archived])
        await world.db.query(
          `INSERT INTO balances (address_id, asset_gid, chain_gid, amount_raw, block_number, block_hash) VALUES ($1, $2, $3, $4, 1, '0x1')`,
          [body.id, asset, gid, raw],
        );
    }
    await world.api.post(`/assets/${archived}/actions/archive`).expect(204);
  });
  afterAll(() => world.stop());

  const query = (body: object, client = world.api) => client.post('/addresses/balances/query').send(body);

  it('answers as each address would alone, in order, each once, and names those that the project has not', async () => {
    const addresses = [two.toLowerCase(), none, one, two, 'x', none];
    const { body } = await query({ addresses }).expect(200);
    expect(body.not_found).toEqual([none, 'x']);
    expect(body.items.map(({ address }: { address: string }) => address)).toEqual([two, one]);
    for (const { address, balances } of body.items)
      expect((await world.api.get(`/addresses/${address}/balances`).expect(200)).body).toEqual(balances);
    expect(body.items[1].balances).toEqual({ [native]: '0.0000000000015', [token]: '1.5' });
    const theirs = await query({ addresses }, world.other).expect(200);
    expect(theirs.body.items).toMatchObject([
      { address: one, balances: { [token]: '0.000999', [archived]: '0.000999' } },
    ]);
  });

  it('counts a text that nobody can store among those that the project has not', async () => {
    const texts = ['a\u0000b', '\ud800'];
    const { body } = await query({ addresses: [texts[0], one, texts[1]], asset_gids: [native] }).expect(200);
    expect(body.items.map(({ address }: { address: string }) => address)).toEqual([one]);
    expect(body.not_found).toHaveLength(2);
  });

  it('leaves out other assets, whatever their spelling', async () => {
    const { body } = await query({
      addresses: [one],
      asset_gids: [`${gid}/erc20:0x${'A'.repeat(40)}`, 'eip155:1/slip44:60'],
    }).expect(200);
    expect(body).toEqual({ items: [{ address: one, balances: { [token]: '1.5' } }], not_found: [] });
  });

  it.each<[object]>([
    [{}],
    [{ addresses: [] }],
    [{ addresses: [''] }],
    [{ addresses: Array.from({ length: 1_001 }, () => one) }],
    [{ addresses: [one], asset_gids: [] }],
    [{ addresses: [one], asset_gids: ['x'] }],
    [{ addresses: [one], page: 1 }],
  ])('refuses %j', async (body) => {
    await query(body).expect(400);
  });
});
