// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

const value = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045';
const [main, polygon, optimism] = ['eip155:1', 'eip155:137', 'eip155:10'];

describe('the past of an address', () => {
  let world: SpecWorld;
  const ask = (history: unknown, address = value) =>
    world.api.post(`/addresses/${address}/actions/backfill`).send({ history });
  const activate = (...gids: string[]) =>
    world.db.query('UPDATE blockchains SET is_active = gid = ANY ($1)', [gids]);
  beforeAll(async () => {
    world = await startSpecWorld();
    for (const chain_gid of [main, polygon, optimism, 'bip122:0f9188f13cb7b2c71f2a335e3a4fc328'])
      await world.api.post('/blockchains').send({ chain_gid }).expect(201);
  });
  afterAll(() => world.stop());

  it('201: is asked for with the import, by chain', async () => {
    await activate(main!, polygon!);
    const { body } = await world.api
      .post('/addresses/external')
      .send({ value, chain_family: 'evm', history: { [main!]: 7, [polygon!]: 9 } })
      .expect(201);
    const waiting = {
      status: 'pending',
      method: 'history',
      to_block: null,
      progress: null,
      rate: null,
      coin_count: 0,
      transaction_count: 0,
      reason: null,
      not_covered: [],
    };
    expect(body.backfill).toEqual({
      status: 'pending',
      from_block: 7,
      chains: {
        [main!]: { ...waiting, from_block: 7, next_block: 7 },
        [polygon!]: { ...waiting, from_block: 9, next_block: 9 },
      },
    });
  });

  it('200: shows the range, how far it is, and how fast', async () => {
    await world.db.query(
      `UPDATE address_histories SET status = 'running', next_block = 57, to_block = 106, blocks_per_second = 12.5, transaction_count = 3, reason = 'the node is down', not_covered = '[{"from_block": 9, "to_block": 11}]' WHERE chain_gid = $1`,
      [main],
    );
    const { body } = await world.api.get(`/addresses/${value}`).expect(200);
    expect(body.backfill.status).toBe('running');
    expect(body.backfill.chains[main!]).toEqual({
      status: 'running',
      method: 'history',
      from_block: 7,
      next_block: 57,
      to_block: 106,
      progress: 0.5,
      rate: 12.5,
      coin_count: 0,
      transaction_count: 3,
      reason: 'the node is down',
      not_covered: [{ from_block: 9, to_block: 11 }],
    });
  });

  it('200: is asked for with each entry of an import of many', async () => {
    const [first, second] = [
      '0x00000000219ab540356cbb839cbe05303d7705f1',
      '0x00000000219ab540356cbb839cbe05303d7705f2',
    ];
    const { body } = await world.api
      .post('/addresses/external/batch')
      .send({
        chain_family: 'evm',
        addresses: [
          { value: first, history: { [polygon!]: 5 } },
          { value: second },
          { value: '0x00000000219ab540356cbb839cbe05303d7705f3', history: { [optimism!]: 5 } },
        ],
      })
      .expect(200);
    expect(body.items.map(({ status }: { status: string }) => status)).toEqual([
      'created',
      'created',
      'invalid',
    ]);
    const { body: record } = await world.api.get(`/addresses/${first}`).expect(200);
    expect(record.backfill).toMatchObject({ from_block: 5, chains: { [polygon!]: { next_block: 5 } } });
    expect(body.items[0].address).toEqual(record);
    expect(body.items[1].address.backfill).toBeNull();
    expect(body.items[2].problem.fields[0].name).toBe(`history["${optimism}"]`);
  });

  it('202: is asked for later, and again, from the start', async () => {
    const { body } = await ask({ [main!]: 3 }).expect(202);
    expect(body.backfill.chains[main!]).toMatchObject({
      status: 'pending',
      from_block: 3,
      next_block: 3,
      to_block: null,
      transaction_count: 0,
      reason: null,
    });
    expect(body.backfill.chains[polygon!]).toMatchObject({ from_block: 9 });
    const { rows } = await world.db.query<{ revision: number }>(
      'SELECT revision FROM address_histories WHERE chain_gid = $1',
      [main],
    );
    expect(rows).toEqual([{ revision: 1 }]);
  });

  it('202: looks for the coins of a Bitcoin address again', async () => {
    const gid = 'bip122:0f9188f13cb7b2c71f2a335e3a4fc328';
    const coin = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
    await activate(main!, polygon!, gid);
    await world.api.post('/addresses/external').send({ value: coin, chain_family: 'bitcoin' }).expect(201);
    await world.db.query(`UPDATE address_backfills SET status = 'failed', reason = 'gone'`);
    await world.db.query(`DELETE FROM balance_reads WHERE chain_gid = $1`, [gid]);
    const { body } = await ask({ [gid]: 5 }, coin).expect(202);
    expect(body.backfill.chains[gid]).toMatchObject({ status: 'pending', from_block: 5, reason: null });
    expect((await world.db.query('SELECT FROM balance_reads WHERE chain_gid = $1', [gid])).rowCount).toBe(1);
  });

  it.each([
    [{}, 'history'],
    [undefined, 'history'],
    [{ [main!]: -1 }, `history["${main}"]`],
    [{ [main!]: 1.5 }, `history["${main}"]`],
    [{ [optimism!]: 1 }, `history["${optimism}"]`],
    [{ 'bip122:0f9188f13cb7b2c71f2a335e3a4fc328': 1 }, 'history["bip122:'],
    [{ [main!]: 1, __proto__x: 1 }, 'history'],
  ])('400: refuses %j', async (history, field) => {
    const { body } = await ask(history).expect(400);
    expect(body.fields.map(({ name }: { name: string }) => name)).toContainEqual(
      expect.stringContaining(field),
    );
  });

  it('422: an address that is not monitored has no end of its past', async () => {
    await world.api.patch(`/addresses/${value}`).send({ is_monitored: false }).expect(200);
    await ask({ [main!]: 3 }).expect(422);
  });

  it('404: says nothing of the address of another project', async () => {
    await world.other
      .post(`/addresses/${value}/actions/backfill`)
      .send({ history: { [main!]: 3 } })
      .expect(404);
  });

  it('400: a number needs one active chain, and no history beside it', async () => {
    const other = '0x00000000219ab540356cbb839cbe05303d7705fa';
    const import_ = (more: object) =>
      world.api.post('/addresses/external').send({ value: other, chain_family: 'evm', ...more });
    const { body } = await import_({ from_block: 1 }).expect(400);
    expect(body.fields).toEqual([
      { name: 'from_block', reason: expect.stringMatching(/one active chain of evm .* there are 2/) },
    ]);
    await import_({ from_block: 1, history: { [main!]: 1 } }).expect(400);
    await activate(main!);
    const { body: record } = await import_({ from_block: 4 }).expect(201);
    expect(record.backfill.chains).toMatchObject({ [main!]: { from_block: 4 } });
  });
});
