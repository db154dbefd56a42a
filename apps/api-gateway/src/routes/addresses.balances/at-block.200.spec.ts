// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

const evm = 'eip155:31337';
const other = 'eip155:1';
const native = `${evm}/slip44:60`;
const token = `${evm}/erc20:0x5fbdb2315678afecb367f032d93f642f64180aa3`;
const regtest = 'bip122:0f9188f13cb7b2c71f2a335e3a4fc328';
const account = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045';
const coins = 'bcrt1qdavt4j2sd7dlhqsavtnfxvzppw6k7qy97tmnu9';

describe('balances of an address at a block and over time', () => {
  let world: SpecWorld;
  let id: string;
  beforeAll(async () => {
    world = await startSpecWorld();
    for (const gid of [evm, regtest]) {
      await world.api.post('/blockchains').send({ chain_gid: gid }).expect(201);
      await world.db.query(`UPDATE blockchains SET is_active = true WHERE gid = $1`, [gid]);
      await world.db.query('INSERT INTO ingestor_states (chain_gid, head_number) VALUES ($1, 120)', [gid]);
      await world.db.query('INSERT INTO analyzer_states (chain_gid, cursor_number) VALUES ($1, 120)', [gid]);
    }
    const create = async (value: string, chain_family: string): Promise<string> =>
      (await world.api.post('/addresses/external').send({ value, chain_family }).expect(201)).body.id;
    id = await create(account, 'evm');
    const coinsId = await create(coins, 'bitcoin');
    await world.db.query('DELETE FROM address_watches');
    // As if both had been read since.
    await world.db.query('DELETE FROM balance_reads');
    await world.db.query(`UPDATE address_backfills SET status = 'complete'`);
    for (const [addressId, gid] of [
      [id, evm],
      [coinsId, regtest],
    ])
      await world.db.query(
        'INSERT INTO address_watches (address_id, chain_gid, from_block) VALUES ($1, $2, 50)',
        [addressId, gid],
      );
    await world.db.query(
      `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status, name, symbol, decimals, source)
       VALUES ($1, $2, 'erc20', '0x5fbdb2315678afecb367f032d93f642f64180aa3', 'fungible', 'active', 'T', 'T', 0, 'chain') ON CONFLICT DO NOTHING`,
      [token, evm],
    );
    await world.db.query(
      `INSERT INTO balances (address_id, asset_gid, chain_gid, amount_raw, block_number, block_hash)
       VALUES ($1, $2, $3, 0, 100, 'x'), ($1, $4, $3, 0, 100, 'x'), ($5, $6, $7, 0, 100, 'x')`,
      [id, native, evm, token, coinsId, `${regtest}/slip44:1`, regtest],
    );
    await read(native, 50, 10n ** 18n);
    await read(native, 60, 3n * 10n ** 18n);
    await read(token, 79, 0n);
    await read(token, 80, 7n);
    // A payment of 2 at 60; one of 1 at 90 that no reading came after yet, with a fee; 7 tokens at 80 came, 2 went at 85.
    await move(60, native, 'in', 2n * 10n ** 18n);
    await move(90, native, 'out', 10n ** 18n, 10n ** 15n);
    await move(80, token, 'in', 7n);
    await move(85, token, 'out', 2n, 10n ** 15n);
    await move(86, token, 'out', 1n, 0n, 'reorged');
  });
  afterAll(() => world.stop());

  const read = (asset: string, block: number, amount: bigint): Promise<unknown> =>
    world.db.query(
      `INSERT INTO balance_history (address_id, asset_gid, chain_gid, block_number, block_hash, amount_raw) VALUES ($1, $2, $3, $4, $5, $6)`,
      [id, asset, evm, block, `0x${block}`, amount],
    );
  async function move(
    block: number,
    asset: string,
    direction: 'in' | 'out',
    amount: bigint,
    fee = 0n,
    status = 'detected',
  ): Promise<void> {
    const { rows } = await world.db.query<{ id: string }>(
      `INSERT INTO transactions (id, project_id, chain_gid, hash, status, direction, required_confirmations, block_number, fee_payer, fee_asset_gid, fee_amount_raw)
       VALUES (gen_random_uuid(), $1, $2, md5(random()::text), $3, $4, 3, $5, $6, $7, $8) RETURNING id`,
      [
        world.project.projectId,
        evm,
        status,
        direction,
        block,
        direction === 'out' ? account : null,
        native,
        fee,
      ],
    );
    const stranger = '0x0000000000000000000000000000000000000001';
    const [from, to] = direction === 'in' ? [stranger, account] : [account, stranger];
    await world.db.query(
      `INSERT INTO transfers (transaction_id, index, project_id, chain_gid, type, asset_gid, from_address, to_address, amount_raw, monitored_addresses)
       VALUES ($1, 0, $2, $3, 'native', $4, $5, $6, $7, '{}')`,
      [rows[0]!.id, world.project.projectId, evm, asset, from, to, amount],
    );
    await world.db.query('INSERT INTO transaction_addresses (address_id, transaction_id) VALUES ($1, $2)', [
      id,
      rows[0]!.id,
    ]);
  }
  const at = async (block: number, of = account): Promise<Record<string, string>> =>
    (await world.api.get(`/addresses/${of}/balances?at_block=${block}`).expect(200)).body;

  it.each([
    [50, '1', '0'],
    [59, '1', '0'],
    [60, '3', '0'],
    [79, '3', '0'],
    [80, '3', '7'],
    [84, '3', '7'],
    [85, '2.999', '5'],
    [86, '2.999', '5'],
    [90, '1.998', '5'],
    [120, '1.998', '5'],
  ])('were at block %i: %s and %s', async (block, coin, tokens) => {
    expect(await at(block)).toEqual({ [native]: coin, [token]: tokens });
  });

  it('are the coins that were unspent then, on chains of outputs', async () => {
    for (const [txid, amount, block, spent] of [
      ['a', 100_000_000, 40, 70],
      ['b', 50_000_000, 60, null],
      ['c', 20_000_000, 70, 71],
    ] as const)
      await world.db.query(
        'INSERT INTO utxos (chain_gid, txid, vout, address, amount_raw, block_number, spent_block_number) VALUES ($1, $2, 0, $3, $4, $5, $6)',
        [regtest, txid, coins, amount, block, spent],
      );
    const amounts = await Promise.all([50, 60, 69, 70, 71, 120].map((block) => at(block, coins)));
    expect(amounts.map((one) => one[`${regtest}/slip44:1`])).toEqual([
      '1',
      '1.5',
      '1.5',
      '0.7',
      '0.5',
      '0.5',
    ]);
  });

  it.each(['pending', 'running', 'failed'])(
    'are refused while the search for coins is %s',
    async (status) => {
      await world.db.query('UPDATE address_backfills SET status = $1', [status]);
      const { body } = await world.api.get(`/addresses/${coins}/balances?at_block=60`).expect(422);
      expect(body.detail).toContain(`the search for earlier ones is ${status}`);
      await world.db.query(`UPDATE address_backfills SET status = 'complete'`);
      expect((await at(60, coins))[`${regtest}/slip44:1`]).toBe('1.5');
    },
  );

  it('are refused from a reading on to the next one, where more changed than transfers tell', async () => {
    await read(token, 100, 9n);
    const statusAt = async (block: number): Promise<number> =>
      (await world.api.get(`/addresses/${account}/balances?at_block=${block}`)).status;
    expect(await Promise.all([79, 80, 81, 99, 100, 120].map(statusAt))).toEqual([
      200, 422, 422, 422, 200, 200,
    ]);
    const { body } = await world.api.get(`/addresses/${account}/balances?at_block=90`).expect(422);
    expect(body.detail).toContain(`that of ${token} changed between its readings at 80 and 100`);
    await world.db.query('DELETE FROM balance_history WHERE block_number = 100');
  });

  describe('where nodes tell the state at their head alone', () => {
    const gid = 'tron:0x2b6653dc';
    const coin = `${gid}/slip44:195`;
    const mine = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8';
    let tronId: string;
    async function pay(block: number, amount: bigint): Promise<void> {
      await world.db.query(
        `WITH x AS (INSERT INTO transactions (id, project_id, chain_gid, hash, status, direction, required_confirmations, block_number)
           VALUES (gen_random_uuid(), $1, $2, md5(random()::text), 'detected', 'in', 19, $3) RETURNING id),
         f AS (INSERT INTO transfers (transaction_id, index, project_id, chain_gid, type, asset_gid, from_address, to_address, amount_raw, monitored_addresses)
           SELECT id, 0, $1, $2, 'native', $4, 'stranger', $5, $6, '{}' FROM x)
         INSERT INTO transaction_addresses (address_id, transaction_id) SELECT $7, id FROM x`,
        [world.project.projectId, gid, block, coin, mine, amount, tronId],
      );
    }
    const readAt = (block: number, amount: bigint): Promise<unknown> =>
      world.db.query(
        `INSERT INTO balance_history (address_id, asset_gid, chain_gid, block_number, block_hash, amount_raw) VALUES ($1, $2, $3, $4, $5, $6)`,
        [tronId, coin, gid, block, `0x${block}`, amount],
      );
    const statuses = (blocks: readonly number[]): Promise<unknown[]> =>
      Promise.all(
        blocks.map(async (block) => {
          const { status, body } = await world.api.get(
            `/addresses/${mine}/balances?at_block=${block}&chain_gid=${gid}`,
          );
          return status === 200 ? body[coin] : status;
        }),
      );

    beforeAll(async () => {
      await world.api.post('/blockchains').send({ chain_gid: gid }).expect(201);
      await world.db.query(`UPDATE blockchains SET is_active = true WHERE gid = $1`, [gid]);
      await world.db.query('INSERT INTO ingestor_states (chain_gid, head_number) VALUES ($1, 100)', [gid]);
      await world.db.query('INSERT INTO analyzer_states (chain_gid, cursor_number) VALUES ($1, 100)', [gid]);
      tronId = (
        await world.api.post('/addresses/external').send({ value: mine, chain_family: 'tron' }).expect(201)
      ).body.id;
      await world.db.query('DELETE FROM balance_reads');
      await world.db.query('UPDATE address_watches SET from_block = 50 WHERE address_id = $1', [tronId]);
      await world.db.query(
        `INSERT INTO balances (address_id, asset_gid, chain_gid, amount_raw, block_number, block_hash) VALUES ($1, $2, $3, 0, 100, 'x')`,
        [tronId, coin, gid],
      );
      await readAt(50, 1_000_000n);
      // With a part of the block after it, as the one after that.
      await readAt(60, 3_000_000n);
      await pay(61, 2_000_000n);
      await readAt(61, 5_000_000n);
      await pay(62, 2_000_000n);
      await readAt(62, 5_000_000n);
    });

    it('are not what a reading said just before a block that moved them', async () => {
      expect(await statuses([50, 59, 60, 61, 62, 100])).toEqual(['1', '1', '1', '3', '5', '5']);
    });

    it('are refused while the next block is unknown, and where no reading is certain', async () => {
      await readAt(100, 6_000_000n);
      expect(await statuses([62, 99, 100])).toEqual(['5', '5', '5']);
      await world.db.query('UPDATE analyzer_states SET cursor_number = 101 WHERE chain_gid = $1', [gid]);
      expect(await statuses([61, 62, 80, 100])).toEqual(['3', 422, 422, '6']);
      await world.db.query(
        'DELETE FROM balance_history WHERE address_id = $1 AND block_number NOT IN (60, 61)',
        [tronId],
      );
      expect(await statuses([60, 61, 80])).toEqual([422, 422, 422]);
    });

    it('are not counted back from the first reading: stakes are no transfers', async () => {
      await readAt(70, 5_000_000n);
      expect(await statuses([69, 70])).toEqual([422, '5']);
    });
  });

  it('are refused while a balance up to the block is still to be read', async () => {
    await world.db.query(
      `INSERT INTO balance_reads (chain_gid, address_id, block_number, block_hash, reason) VALUES ($1, $2, 90, 'x', 'detected')`,
      [evm, id],
    );
    const { body } = await world.api.get(`/addresses/${account}/balances?at_block=90`).expect(422);
    expect(body.detail).toMatch(/still to be read/);
    await world.api.get(`/addresses/${account}/balances?at_block=88`).expect(200);
    await world.db.query('DELETE FROM balance_reads');
  });

  it.each([
    [49, /from 50 on/],
    [0, /from 50 on/],
    [121, /up to 120/],
  ])('are not known at block %i, which is no zero', async (block, detail) => {
    const { body } = await world.api.get(`/addresses/${account}/balances?at_block=${block}`).expect(422);
    expect(body.detail).toMatch(detail);
  });

  it('need the chain where several could be meant', async () => {
    const path = `/addresses/${account}/balances`;
    for (const query of [`at_block=60&chain_gid=${other}`, `chain_gid=${evm}`, 'at_block=-1', 'at_block=x'])
      await world.api.get(`${path}?${query}`).expect(400);
    await world.api.post('/blockchains').send({ chain_gid: other }).expect(201);
    await world.db.query(`UPDATE blockchains SET is_active = true WHERE gid = $1`, [other]);
    const { body } = await world.api.get(`${path}?at_block=60`).expect(400);
    expect(body.fields).toMatchObject([{ name: 'chain_gid' }]);
    expect((await world.api.get(`${path}?at_block=60&chain_gid=${evm}`).expect(200)).body[native]).toBe('3');
    await world.other.get(`${path}?at_block=60&chain_gid=${evm}`).expect(404);
    await world.db.query(`UPDATE blockchains SET is_active = false WHERE gid = $1`, [other]);
  });

  it('are listed as the chain stated them', async () => {
    const path = `/addresses/${account}/balances/history`;
    const list = async (query: string): Promise<unknown[]> => {
      const { body } = await world.api.get(`${path}?${query}`).expect(200);
      return body.items.map((one: { block_number: number; balance: string }) => [
        one.block_number,
        one.balance,
      ]);
    };
    expect(await list(`asset_gids=${native}`)).toEqual([
      [60, '3'],
      [50, '1'],
    ]);
    expect(await list('sort_by=block_number&from_block=60&to_block=79')).toEqual([
      [60, '3'],
      [79, '0'],
    ]);
    expect(await list(`chain_gids=${other}`)).toEqual([]);
    const { body } = await world.api.get(`${path}?limit=1&page=4`).expect(200);
    expect(body).toMatchObject({
      items: [{ chain_gid: evm, asset_gid: native, block_number: 50, block_hash: '0x50', balance: '1' }],
    });
    await world.other.get(path).expect(404);
  });
});
