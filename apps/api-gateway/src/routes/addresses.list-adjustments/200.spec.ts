// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

const chain = 'eip155:31337';
const native = `${chain}/slip44:60`;
const token = `${chain}/erc20:0x5fbdb2315678afecb367f032d93f642f64180aa3`;
const address = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045';

describe('GET /addresses/{address}/adjustments', () => {
  let world: SpecWorld;
  let addressId: string;
  beforeAll(async () => {
    world = await startSpecWorld();
    await world.api.post('/blockchains').send({ chain_gid: chain }).expect(201);
    await world.db.query(
      'INSERT INTO analyzer_states (chain_gid, cursor_number, confirmed_number) VALUES ($1, 120, 100)',
      [chain],
    );
    await world.db.query(
      `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status, decimals) VALUES ($1, $2, 'erc20', 'r', 'fungible', 'active', NULL)`,
      [token, chain],
    );
    const created = await world.api
      .post('/addresses/external')
      .send({ value: address, chain_family: 'evm' })
      .expect(201);
    addressId = created.body.id;
    for (const [asset, amount, since, until] of [
      [native, '2000000000000000000', 80, 90],
      [native, '-500000000000000000', 100, 110],
      [token, '7', 90, 100],
    ])
      await world.db.query(
        `INSERT INTO adjustments (id, address_id, project_id, chain_gid, asset_gid, amount_raw, from_block, block_number, block_hash)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
        [randomUUID(), addressId, world.project.projectId, chain, asset, amount, since, until, `0x${until}`],
      );
  });
  afterAll(() => world.stop());

  const list = async (query = ''): Promise<{ items: Record<string, unknown>[] }> =>
    (await world.api.get(`/addresses/${address}/adjustments${query}`).expect(200)).body;
  const blocks = ({ items }: { readonly items: readonly Record<string, unknown>[] }): unknown[] =>
    items.map(({ until_block: until }) => until);

  it('tells what nothing explains, the newest first, between which blocks, and whether it is final', async () => {
    const { items } = await list();
    expect(items.map(({ id: _, created_at: __, ...item }) => item)).toEqual([
      {
        ...{ chain_gid: chain, asset_gid: native, amount: '-0.5', amount_raw: '-500000000000000000' },
        ...{ since_block: 100, until_block: 110, block_hash: '0x110', is_confirmed: false },
      },
      {
        ...{ chain_gid: chain, asset_gid: token, amount: null, amount_raw: '7' },
        ...{ since_block: 90, until_block: 100, block_hash: '0x100', is_confirmed: true },
      },
      {
        ...{ chain_gid: chain, asset_gid: native, amount: '2', amount_raw: '2000000000000000000' },
        ...{ since_block: 80, until_block: 90, block_hash: '0x90', is_confirmed: true },
      },
    ]);
  });

  it.each([
    ['?sort_by=block_number', [90, 100, 110]],
    [`?asset_gids=${encodeURIComponent(token)}`, [100]],
    ['?chain_gids=eip155:1', []],
    ['?from_block=100', [110, 100]],
    ['?to_block=100', [100, 90]],
  ])('lists with %s %j', async (query, expected) => {
    expect(blocks(await list(query))).toEqual(expected);
  });

  it('goes on where the page before ended', async () => {
    const { body } = await world.api.get(`/addresses/${address}/adjustments?limit=2`).expect(200);
    expect(blocks(body)).toEqual([110, 100]);
    const next = await list(`?limit=2&cursor=${encodeURIComponent(body.meta.next_cursor)}`);
    expect(blocks(next)).toEqual([90]);
  });

  it('answers with every row as CSV', async () => {
    const { text } = await world.api
      .get(`/addresses/${address}/adjustments`)
      .set('Accept', 'text/csv')
      .expect(200);
    const [head, ...rows] = text.trim().split('\n');
    expect(head).toContain('amount_raw');
    expect(rows).toHaveLength(3);
  });

  it('leaves out what the project archived', async () => {
    await world.api.post(`/assets/${native}/actions/archive`).expect(204);
    expect(blocks(await list())).toEqual([100]);
    await world.api.post(`/assets/${native}/actions/restore`).expect(204);
  });

  it('is 404 in other projects, and 400 for an unknown filter', async () => {
    await world.other.get(`/addresses/${address}/adjustments`).expect(404);
    await world.api.get(`/addresses/${address}/adjustments?color=red`).expect(400);
  });
});
