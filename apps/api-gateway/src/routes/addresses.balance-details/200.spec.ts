// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

const regtest = 'bip122:0f9188f13cb7b2c71f2a335e3a4fc328';
const btc = `${regtest}/slip44:1`;
const evm = 'eip155:31337';
const address = 'bcrt1qdavt4j2sd7dlhqsavtnfxvzppw6k7qy97tmnu9';
const stranger = 'bcrt1q65nhlm4hf2ptg3t264al57p7wjxj2c3s6kyt83';
const account = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045';

describe('GET /addresses/{address}/balances/details', () => {
  let world: SpecWorld;
  let ids: Record<string, string>;
  beforeAll(async () => {
    world = await startSpecWorld();
    for (const [gid, head] of [
      [regtest, 300],
      [evm, 120],
    ] as const) {
      await world.api.post('/blockchains').send({ chain_gid: gid }).expect(201);
      await world.db.query('INSERT INTO ingestor_states (chain_gid, head_number) VALUES ($1, $2)', [
        gid,
        head,
      ]);
      await world.db.query(
        'INSERT INTO analyzer_states (chain_gid, cursor_number, confirmed_number) VALUES ($1, $2, $3)',
        [gid, head, head - 20],
      );
    }
    const create = async (value: string, chain_family: string): Promise<string> =>
      (await world.api.post('/addresses/external').send({ value, chain_family }).expect(201)).body.id;
    ids = { [address]: await create(address, 'bitcoin'), [account]: await create(account, 'evm') };
  });
  afterAll(() => world.stop());
  beforeEach(() =>
    world.db.query(
      'DELETE FROM balances; DELETE FROM balance_history; DELETE FROM transactions; DELETE FROM utxos',
    ),
  );

  const details = async (of: string): Promise<unknown> =>
    (await world.api.get(`/addresses/${of}/balances/details`).expect(200)).body;

  const setBalance = (
    of: string,
    gid: string,
    amount: bigint,
    block: number,
    isHistory = false,
  ): Promise<unknown> =>
    world.db.query(
      `INSERT INTO ${isHistory ? 'balance_history' : 'balances'} (address_id, asset_gid, chain_gid, amount_raw, block_number, block_hash) VALUES ($1, $2, $3, $4, $5, 'x')`,
      [ids[of], gid, gid.split('/')[0], amount, block],
    );

  const addCoin = (
    txid: string,
    amount: bigint,
    block: number,
    { isCoinbase = false, spentBlock = undefined as number | undefined } = {},
  ): Promise<unknown> =>
    world.db.query(
      'INSERT INTO utxos (chain_gid, txid, vout, address, amount_raw, is_coinbase, block_number, spent_block_number) VALUES ($1, $2, 0, $3, $4, $5, $6, $7)',
      [regtest, txid, address, amount, isCoinbase, block, spentBlock ?? null],
    );

  async function addTransaction(
    status: string,
    projectId: string,
    legs: readonly [from: string | null, to: string | null, amount: bigint][],
  ): Promise<void> {
    const { rows } = await world.db.query<{ id: string }>(
      `INSERT INTO transactions (id, project_id, chain_gid, hash, status, direction, required_confirmations) VALUES (gen_random_uuid(), $1, $2, md5(random()::text), $3, 'in', 3) RETURNING id`,
      [projectId, regtest, status],
    );
    for (const [index, [from, to, amount]] of legs.entries()) {
      await world.db.query(
        `INSERT INTO transfers (transaction_id, index, project_id, chain_gid, type, asset_gid, from_address, to_address, amount_raw, monitored_addresses) VALUES ($1, $2, $3, $4, 'native', $5, $6, $7, $8, '{}')`,
        [rows[0]!.id, index, projectId, regtest, btc, from, to, amount],
      );
    }
  }

  it('is empty before a balance was read', async () => {
    await addCoin('a', 1n, 100);
    expect(await details(address)).toEqual({ items: [] });
  });

  it('tells coins apart: deep enough, newer, and not spendable yet', async () => {
    await setBalance(address, btc, 1n, 300);
    await addCoin('deep', 100_000_000n, 298);
    await addCoin('new', 20_000_000n, 299);
    await addCoin('old coinbase', 5_000_000_000n, 201, { isCoinbase: true });
    await addCoin('young coinbase', 2_500_000_000n, 202, { isCoinbase: true });
    await addCoin('newest coinbase', 3n, 300, { isCoinbase: true });
    await addCoin('spent', 900_000_000n, 100, { spentBlock: 300 });
    expect(await details(address)).toEqual({
      items: [
        {
          asset_gid: btc,
          total: '76.20000003',
          total_raw: '7620000003',
          decimals: 8,
          ui_multiplier: null,
          ui_amount: null,
          confirmed: '51',
          unconfirmed: '0.2',
          spendable: '51.2',
          spendable_raw: '5120000000',
          immature: '25.00000003',
          immature_raw: '2500000003',
          pending_in: '0',
          pending_out: '0',
          checked_at: null,
        },
      ],
    });
  });

  it.each([
    [98, '0', '50'],
    [99, '0', '50'],
    [100, '50', '0'],
    [101, '50', '0'],
  ])(
    'has a coinbase of %i confirmations as %s spendable and %s immature',
    async (depth, spendable, immature) => {
      await setBalance(address, btc, 1n, 300);
      await addCoin('coinbase', 5_000_000_000n, 300 - depth + 1, { isCoinbase: true });
      const expected = { total: '50', confirmed: spendable, unconfirmed: '0', spendable, immature };
      expect(await details(address)).toMatchObject({ items: [expected] });
      // The same rule for each coin.
      const { body } = await world.api.get(`/addresses/${address}/utxos`).expect(200);
      expect(body.items).toMatchObject([{ confirmations: depth, is_mature: immature === '0' }]);
    },
  );

  it('has nothing immature once a reorg took the coinbase away, and counts it anew in another block', async () => {
    await setBalance(address, btc, 1n, 300);
    await addCoin('coinbase', 5_000_000_000n, 250, { isCoinbase: true });
    await addCoin('payment', 7n, 250);
    expect(await details(address)).toMatchObject({ items: [{ spendable_raw: '7', immature: '50' }] });
    await world.db.query("DELETE FROM utxos WHERE txid = 'coinbase'");
    expect(await details(address)).toMatchObject({ items: [{ spendable_raw: '7', immature: '0' }] });
    await addCoin('coinbase', 5_000_000_000n, 201, { isCoinbase: true });
    expect(await details(address)).toMatchObject({ items: [{ spendable_raw: '5000000007', immature: '0' }] });
  });

  it('shows what waits in the mempool beside the balance, change included', async () => {
    await setBalance(address, btc, 50n, 300);
    await addCoin('a', 50n, 100);
    const { projectId } = world.project;
    await addTransaction('pending', projectId, [
      [address, null, 50n],
      [null, stranger, 20n],
      [null, address, 29n],
    ]);
    await addTransaction('pending', projectId, [[null, address, 7n]]);
    for (const status of ['failed', 'detected', 'reorged'])
      await addTransaction(status, projectId, [[null, address, 1_000n]]);
    await addTransaction('pending', world.otherProject.projectId, [[null, address, 1_000n]]);
    expect(await details(address)).toEqual({
      items: [
        {
          asset_gid: btc,
          total: '0.0000005',
          total_raw: '50',
          decimals: 8,
          ui_multiplier: null,
          ui_amount: null,
          confirmed: '0.0000005',
          unconfirmed: '0',
          spendable: '0.0000005',
          spendable_raw: '50',
          immature: '0',
          immature_raw: '0',
          pending_in: '0.00000036',
          pending_out: '0.0000005',
          checked_at: null,
        },
      ],
    });
  });

  it('takes the balance of an account for confirmed once its block is', async () => {
    const eth = `${evm}/slip44:60`;
    const item = (total: string, confirmed: string | null, unconfirmed: string | null) => ({
      items: [
        {
          ...{ asset_gid: eth, total, confirmed, unconfirmed, pending_in: '0', pending_out: '0' },
          ...{ spendable: total, immature: '0', immature_raw: '0' },
        },
      ],
    });
    await setBalance(account, eth, 10n ** 18n, 100);
    expect(await details(account)).toMatchObject(item('1', '1', '0'));
    await world.db.query('UPDATE balances SET block_number = 101, amount_raw = amount_raw / 4');
    expect(await details(account)).toMatchObject(item('0.25', null, null));
    await setBalance(account, eth, 5n * 10n ** 17n, 90, true);
    await setBalance(account, eth, 10n ** 18n, 99, true);
    await setBalance(account, eth, 25n * 10n ** 16n, 101, true);
    expect(await details(account)).toMatchObject(item('0.25', '1', '-0.75'));
  });

  it('says when a balance was read last: by itself, or by the round that came to its address', async () => {
    const eth = `${evm}/slip44:60`;
    const checked = async (): Promise<string> =>
      ((await details(account)) as { items: { checked_at: string }[] }).items[0]!.checked_at;
    await setBalance(account, eth, 1n, 100);
    await world.db.query(`UPDATE balances SET updated_at = '2026-11-28T08:00:00Z'`);
    expect(await checked()).toBe('2026-11-28T08:00:00.000Z');
    const round = (after: string | null, endedAt: string | null): Promise<unknown> =>
      world.db.query(
        `INSERT INTO balance_rounds (chain_gid, started_at, previous_at, after_address, after_id, ended_at) VALUES ($1, '2026-11-28T10:00:00Z', '2026-11-28T09:00:00Z', $2, $3, $4)
         ON CONFLICT (chain_gid) DO UPDATE SET after_address = excluded.after_address, after_id = excluded.after_id, ended_at = excluded.ended_at`,
        [evm, after, after === null ? null : ids[account], endedAt],
      );
    await round(null, null);
    expect(await checked()).toBe('2026-11-28T09:00:00.000Z');
    await round('0x00', null);
    expect(await checked()).toBe('2026-11-28T09:00:00.000Z');
    await round(account, null);
    expect(await checked()).toBe('2026-11-28T10:00:00.000Z');
    await round(null, '2026-11-28T10:30:00Z');
    expect(await checked()).toBe('2026-11-28T10:00:00.000Z');
    // Rounds do not come to what nobody monitors.
    await world.db.query('UPDATE addresses SET is_monitored = false WHERE id = $1', [ids[account]]);
    expect(await checked()).toBe('2026-11-28T08:00:00.000Z');
    await world.db.query('UPDATE addresses SET is_monitored = true WHERE id = $1', [ids[account]]);
  });

  it('says when coins were compared last: by the round that came to the address after its import', async () => {
    const checked = async (): Promise<string | null> =>
      ((await details(address)) as { items: { checked_at: string | null }[] }).items[0]!.checked_at;
    await setBalance(address, btc, 1n, 300);
    const round = (after: string | null, endedAt: string | null): Promise<unknown> =>
      world.db.query(
        `INSERT INTO balance_rounds (chain_gid, started_at, previous_at, after_address, after_id, ended_at) VALUES ($1, '2026-11-28T10:00:00Z', '2026-11-28T09:00:00Z', $2, $3, $4)
         ON CONFLICT (chain_gid) DO UPDATE SET after_address = excluded.after_address, after_id = excluded.after_id, ended_at = excluded.ended_at`,
        [regtest, after, after === null ? null : ids[address], endedAt],
      );
    const backfill = (status: string, at: string): Promise<unknown> =>
      world.db.query(
        `INSERT INTO address_backfills (address_id, chain_gid, status, updated_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (address_id, chain_gid) DO UPDATE SET status = excluded.status, updated_at = excluded.updated_at`,
        [ids[address], regtest, status, at],
      );
    await backfill('complete', '2026-11-28T08:30:00Z');
    expect(await checked()).toBeNull();
    await round(null, null);
    expect(await checked()).toBe('2026-11-28T09:00:00.000Z');
    await round(address, null);
    expect(await checked()).toBe('2026-11-28T10:00:00.000Z');
    await backfill('complete', '2026-11-28T10:15:00Z');
    expect(await checked()).toBeNull();
    await backfill('pending', '2026-11-28T08:30:00Z');
    expect(await checked()).toBeNull();
    await world.db.query('DELETE FROM balance_rounds WHERE chain_gid = $1', [regtest]);
    await world.db.query('DELETE FROM address_backfills');
  });

  it('leaves archived assets out', async () => {
    await setBalance(address, btc, 1n, 300);
    await world.api.post(`/assets/${btc}/actions/archive`).expect(204);
    expect(await details(address)).toEqual({ items: [] });
    await world.api.post(`/assets/${btc}/actions/restore`).expect(204);
    expect(await details(address)).toMatchObject({ items: [{ asset_gid: btc }] });
  });

  it('is 400 for an over-long address, and 404 for one that the project does not have', async () => {
    await world.api.get(`/addresses/${'a'.repeat(129)}/balances/details`).expect(400);
    await world.api.get(`/addresses/${stranger}/balances/details`).expect(404);
    await world.other.get(`/addresses/${address}/balances/details`).expect(404);
  });

  describe('of a token that wallets multiply', () => {
    const token = `${evm}/erc20:0x${'5c'.repeat(20)}`;
    const add = async (multiplier: object | null, type = 'fungible', decimals: number | null = 6) => {
      await world.db.query('DELETE FROM assets WHERE gid = $1', [token]);
      await world.db.query(
        `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status, name, symbol, decimals, ui_multiplier) VALUES ($1, $2, 'erc20', 's', $3, 'active', 'Shares', 'SH', $4, $5)`,
        [token, evm, type, decimals, multiplier],
      );
      await setBalance(account, token, 1_000_001n, 100);
    };
    const shown = async () => {
      const { items } = (await details(account)) as { items: Record<string, unknown>[] };
      return items.map(({ total, total_raw, ui_multiplier, ui_amount }) => [
        ...[total, total_raw, ui_multiplier, ui_amount],
      ]);
    };
    const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

    it.each([
      ['what they show, cut off like its amounts', { type: 'scaled', value: '1.5' }, '1.5', '1.500001'],
      [
        'the number of now where another one is announced',
        { type: 'scaled', value: '1.5', next: { value: '3', at: inSeconds(3_600) } },
        '1.5',
        '1.500001',
      ],
      [
        'the announced one from its time on',
        { type: 'scaled', value: '1.5', next: { value: '3', at: inSeconds(-1) } },
        '3',
        '3.000003',
      ],
      ['nothing where there is none', null, null, null],
    ])('has beside its own amounts %s', async (_name, multiplier, value, amount) => {
      await add(multiplier);
      expect(await shown()).toEqual([['1.000001', '1000001', value, amount]]);
    });

    it('grows by its interest', async () => {
      const year = 31_556_736;
      const at = inSeconds(-year);
      await add({ type: 'interest', startedAt: at, rateBefore: 0, changedAt: at, rate: 1_000 });
      const [[, , multiplier, amount] = []] = await shown();
      expect(Number(multiplier)).toBeCloseTo(Math.exp(0.1), 6);
      expect(Number(amount)).toBeCloseTo(1.000001 * Math.exp(0.1), 4);
    });

    it('is nothing in whole units while its decimals are not known', async () => {
      await add({ type: 'scaled', value: '1.5' }, 'fungible', null);
      expect(await shown()).toEqual([[null, '1000001', '1.5', null]]);
    });

    it('is no balance where it turned out to be a collection, in none of the lists', async () => {
      await add(null, 'nft', null);
      expect(await shown()).toEqual([]);
      expect((await world.api.get(`/addresses/${account}/balances`).expect(200)).body).toEqual({});
      const { body } = await world.api
        .post('/addresses/balances/query')
        .send({ addresses: [account] })
        .expect(200);
      expect(body.items).toEqual([expect.objectContaining({ balances: {} })]);
    });
  });
});
