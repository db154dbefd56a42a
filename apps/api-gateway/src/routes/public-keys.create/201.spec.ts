// SPDX-License-Identifier: Apache-2.0
import { accounts, bitcoin, bitcoinRegtest, bitcoinTestnet, bodyOf } from '../../spec-support/public-keys.ts';
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

describe('POST and GET /public_keys', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
  });
  afterAll(() => world.stop());

  it.each([
    ['bip44', 44, 'p2pkh'],
    ['bip49', 49, 'p2sh-p2wpkh'],
    ['bip84', 84, 'p2wpkh'],
    ['bip86', 86, 'p2tr'],
  ] as const)('adds the account of %s', async (name, purpose, address_format) => {
    const { key, path, first } = accounts[name];
    const { body } = await world.api
      .post('/public_keys')
      .send({ ...bodyOf(accounts[name]), label: name })
      .expect(201);
    expect(body).toEqual({
      id: expect.any(String),
      label: name,
      extended_public_key: key,
      fingerprint: expect.stringMatching(/^[0-9a-f]{8}$/),
      derivation_path: path,
      purpose,
      chain_gid: bitcoin,
      address_format,
      account_index: 0,
      next_index: 0,
      address_count: 0,
      last_used_index: null,
      gap_limit: 20,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect((await world.api.get(`/public_keys/${body.id}`).expect(200)).body).toEqual(body);
    expect((await world.api.post(`/public_keys/${body.id}/addresses/next`).expect(201)).body.address).toBe(
      first,
    );
  });

  it('finds, filters and sorts', async () => {
    await world.api
      .post('/public_keys')
      .send({ ...bodyOf(accounts.testnet), gap_limit: 5 })
      .expect(201);
    const paths = async (query: string) =>
      (await world.api.get(`/public_keys?${query}`).expect(200)).body.items.map(
        (item: { purpose: number; chain_gid: string }) =>
          item.purpose + (item.chain_gid === bitcoin ? 0 : 1_000),
      );
    expect(await paths('')).toEqual([1_049, 86, 84, 49, 44]);
    expect(await paths('sort_by=created_at&limit=2')).toEqual([44, 49]);
    expect(await paths('sort_by=label&limit=3')).toEqual([44, 49, 84]);
    expect(await paths(`chain_gids=${bitcoinTestnet}`)).toEqual([1_049]);
    expect(await paths('search=BIP8')).toEqual([86, 84]);
    expect(await paths('search=zpub6rFR7y4Q2Aij')).toEqual([84]);
    expect(await paths('search=%25')).toEqual([]);
    expect((await world.other.get('/public_keys').expect(200)).body).toMatchObject({
      items: [],
      meta: { total: 0 },
    });
    const { body } = await world.api.get('/public_keys?limit=2&page=3').expect(200);
    expect(body.meta).toEqual({ limit: 2, page: 3, total: 5, total_pages: 3 });
    await world.api.get('/public_keys?sort_by=purpose').expect(400);
  });

  it('takes the same key in another project', async () => {
    await world.other
      .post('/public_keys')
      .send({ ...bodyOf(accounts.bip84), derivation_path: 'm/84h/0H/0h', label: null })
      .expect(201);
  });

  it('puts a key of the test networks on the one that is monitored, else on testnet, or where it is told to', async () => {
    const add = async (body: object) => {
      await world.db.query('DELETE FROM addresses');
      await world.db.query('DELETE FROM public_keys');
      return (
        await world.api
          .post('/public_keys')
          .send({ ...bodyOf(accounts.testnet), ...body })
          .expect(201)
      ).body.chain_gid;
    };
    expect(await add({})).toBe(bitcoinTestnet);
    for (const gid of [bitcoinTestnet, bitcoinRegtest])
      await world.api.post('/blockchains').send({ chain_gid: gid }).expect(201);
    await world.db.query('UPDATE blockchains SET is_active = true WHERE gid = $1', [bitcoinRegtest]);
    expect(await add({})).toBe(bitcoinRegtest);
    expect(await add({ chain_gid: 'bip122:00000008819873e925422c1ff0f99f7c' })).toBe(
      'bip122:00000008819873e925422c1ff0f99f7c',
    );
    await world.db.query('UPDATE blockchains SET is_active = true');
    expect(await add({})).toBe(bitcoinTestnet);
  });

  it('changes the label and nothing else', async () => {
    const { body: added } = await world.api
      .post('/public_keys')
      .send({ ...bodyOf(accounts.bip86), label: 'once' })
      .expect(201);
    const { body: renamed } = await world.api
      .patch(`/public_keys/${added.id}`)
      .send({ label: 'again' })
      .expect(200);
    expect(renamed).toEqual({ ...added, label: 'again', updated_at: expect.any(String) });
    expect(
      (await world.api.patch(`/public_keys/${added.id}`).send({ label: null }).expect(200)).body.label,
    ).toBeNull();
    for (const body of [{}, { label: '' }, { label: 'x'.repeat(256) }, { label: 'x', gap_limit: 3 }])
      await world.api.patch(`/public_keys/${added.id}`).send(body).expect(400);
  });
});
