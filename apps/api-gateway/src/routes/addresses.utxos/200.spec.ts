// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

const regtest = 'bip122:0f9188f13cb7b2c71f2a335e3a4fc328';
const signet = 'bip122:00000008819873e925422c1ff0f99f7c';
const address = 'mfhE6jAUwjUDNZhaX1PAsDTKfneQF2Nshc';
const other = 'bcrt1qdavt4j2sd7dlhqsavtnfxvzppw6k7qy97tmnu9';
const account = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045';

describe('GET /addresses/{address}/utxos', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
    for (const [gid, head] of [
      [regtest, 300],
      [signet, 50],
    ] as const) {
      await world.api.post('/blockchains').send({ chain_gid: gid }).expect(201);
      await world.db.query('INSERT INTO ingestor_states (chain_gid, head_number) VALUES ($1, $2)', [
        gid,
        head,
      ]);
    }
    for (const value of [address, other])
      await world.api.post('/addresses/external').send({ value, chain_family: 'bitcoin' }).expect(201);
    await world.api.post('/addresses/external').send({ value: account, chain_family: 'evm' }).expect(201);
    await addCoin(regtest, 'a', { amount: 150_000_000n, block: 298 });
    await addCoin(regtest, 'b', { amount: 5_000_000_000n, block: 202, isCoinbase: true });
    await addCoin(regtest, 'c', { amount: 5_000_000_000n, block: 201, isCoinbase: true });
    await addCoin(regtest, 'd', { amount: 7n, block: 100, spentBlock: 299 });
    await addCoin(regtest, 'e', { amount: 9n, block: 100, owner: other });
    await addCoin(signet, 'f', { amount: 1n, block: 50 });
  });
  afterAll(() => world.stop());

  interface Coin {
    amount: bigint;
    block: number;
    isCoinbase?: boolean;
    spentBlock?: number;
    owner?: string;
  }

  async function addCoin(
    gid: string,
    txid: string,
    { amount, block, isCoinbase = false, spentBlock, owner = address }: Coin,
  ): Promise<void> {
    await world.db.query(
      'INSERT INTO utxos (chain_gid, txid, vout, address, amount_raw, is_coinbase, block_number, spent_block_number) VALUES ($1, $2, 1, $3, $4, $5, $6, $7)',
      [gid, txid.repeat(64), owner, amount, isCoinbase, block, spentBlock ?? null],
    );
  }

  const list = async (query = ''): Promise<{ txid: string; vout: number }[]> =>
    (await world.api.get(`/addresses/${address}/utxos?${query}`).expect(200)).body.items;
  const names = async (query: string): Promise<string> =>
    (await list(query)).map(({ txid }) => txid[0]).join('');

  it('lists what is unspent, the newest block first, with amounts and depth', async () => {
    expect(await list()).toEqual([
      {
        txid: 'a'.repeat(64),
        vout: 1,
        amount: '1.5',
        amount_raw: '150000000',
        asset_gid: `${regtest}/slip44:1`,
        chain_gid: regtest,
        block_number: 298,
        is_coinbase: false,
        confirmations: 3,
        is_mature: true,
      },
      expect.objectContaining({
        txid: 'b'.repeat(64),
        amount: '50',
        is_coinbase: true,
        confirmations: 99,
        is_mature: false,
      }),
      expect.objectContaining({
        txid: 'c'.repeat(64),
        is_coinbase: true,
        confirmations: 100,
        is_mature: true,
      }),
      expect.objectContaining({
        txid: 'f'.repeat(64),
        amount: '0.00000001',
        asset_gid: `${signet}/slip44:1`,
        chain_gid: signet,
        confirmations: 1,
        is_mature: true,
      }),
    ]);
  });

  it('sorts, filters by chain and pages', async () => {
    expect([
      await names('sort_by=block_number'),
      await names('sort_by=-amount'),
      await names('sort_by=amount'),
    ]).toEqual(['fcba', 'cbaf', 'fabc']);
    expect([
      await names(`chain_gids=${signet}`),
      await names(`chain_gids=${signet},${regtest}`),
      await names('chain_gids=eip155:1'),
    ]).toEqual(['f', 'abcf', '']);
    const { body } = await world.api.get(`/addresses/${address}/utxos?limit=3&page=2`).expect(200);
    expect(body.meta).toEqual({ limit: 3, page: 2, total: 4, total_pages: 2 });
    expect(body.items.map(({ txid }: { txid: string }) => txid[0])).toEqual(['f']);
  });

  it('is found by any form of the address', async () => {
    expect(
      (await world.api.get(`/addresses/${other.toUpperCase()}/utxos`).expect(200)).body.items,
    ).toHaveLength(1);
  });

  it('is empty on chains of accounts', async () => {
    expect((await world.api.get(`/addresses/${account}/utxos`).expect(200)).body).toEqual({
      items: [],
      meta: { limit: 20, page: 1, total: 0, total_pages: 0 },
    });
  });

  it.each([
    ['limit', 'limit=101'],
    ['page', 'page=0'],
    ['sort_by', 'sort_by=txid'],
    ['chain_gids', 'chain_gids=bitcoin'],
    ['status', 'status=spent'],
  ])('is 400 for a wrong %s', async (name, query) => {
    const { body } = await world.api.get(`/addresses/${address}/utxos?${query}`).expect(400);
    expect(body.fields[0].name).toMatch(new RegExp(`^${name}`));
  });

  it('does not show coins before the search for them is over: others who watch the address knew them', async () => {
    await world.db.query('UPDATE blockchains SET is_active = true WHERE gid = $1', [regtest]);
    const { body: imported } = await world.other
      .post('/addresses/external')
      .send({ value: address, chain_family: 'bitcoin' })
      .expect(201);
    const seen = async () =>
      (await world.other.get(`/addresses/${address}/utxos?chain_gids=${regtest}`).expect(200)).body;
    expect(
      (await world.db.query('SELECT status FROM address_backfills WHERE address_id = $1', [imported.id]))
        .rows,
    ).toEqual([{ status: 'pending' }]);
    expect(await seen()).toEqual({ items: [], meta: { limit: 20, page: 1, total: 0, total_pages: 0 } });
    await addCoin(regtest, '9', { amount: 3n, block: 301 });
    expect((await seen()).items.map(({ txid }: { txid: string }) => txid[0])).toEqual(['9']);
    await world.db.query(`UPDATE address_backfills SET status = 'failed' WHERE address_id = $1`, [
      imported.id,
    ]);
    expect((await seen()).meta.total).toBe(1);
    await world.db.query(`UPDATE address_backfills SET status = 'complete' WHERE address_id = $1`, [
      imported.id,
    ]);
    expect((await seen()).meta.total).toBe(4);
    expect(await names(`chain_gids=${regtest}`)).toBe('9abc');
    await world.other.delete(`/addresses/${address}`).expect(204);
  });

  it('is 404 for an address that the project does not have', async () => {
    await world.other.get(`/addresses/${address}/utxos`).expect(404);
    await world.api.get('/addresses/1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2/utxos').expect(404);
  });
});
