// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

const gid = 'eip155:31337';
const mine = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045';
const other = '0x00000000219ab540356cbb839cbe05303d7705fa';
/** As it is shown (EIP-55). */
const shown = {
  [mine]: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
  [other]: '0x00000000219ab540356cBB839Cbe05303d7705Fa',
};
const tokenGid = `${gid}/erc20:0x00000000000000000000000000000000000000aa`;
const idOf = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;

describe('GET /transactions', () => {
  let world: SpecWorld;
  let addressId: string;
  beforeAll(async () => {
    world = await startSpecWorld();
    await world.api.post('/blockchains').send({ chain_gid: gid }).expect(201);
    await world.db.query(`INSERT INTO ingestor_states (chain_gid, head_number) VALUES ($1, 107)`, [gid]);
    const { body: address } = await world.api
      .post('/addresses/external')
      .send({ value: mine, chain_family: 'evm', label: 'Order 4711', groups: ['shop-7'] })
      .expect(201);
    addressId = address.id;
    await insertTransaction(1, {
      status: 'confirmed',
      direction: 'in',
      block: 100,
      at: '2026-01-01T00:00:00Z',
    });
    await insertTransaction(2, {
      status: 'detected',
      direction: 'out',
      block: 105,
      at: '2026-01-02T00:00:00Z',
    });
    await insertTransaction(3, {
      status: 'reorged',
      direction: 'in',
      block: 106,
      at: '2026-01-03T00:00:00Z',
    });
    await insertTransfer(1, 0, 'native', `${gid}/slip44:60`, '1500000000000000000');
    await insertTransfer(1, 1, 'token', tokenGid, '1000');
    await insertTransfer(2, 0, 'native', `${gid}/slip44:60`, '1');
    await insertTransfer(3, 0, 'internal', `${gid}/slip44:60`, '2000000000000000000');
    await world.db.query(`UPDATE transactions SET memo = memo || E'\\nline two' WHERE id = $1`, [idOf(2)]);
    await world.db.query(`UPDATE transfers SET memo = 'invoice 3' WHERE transaction_id = $1`, [idOf(3)]);
    for (const n of [1, 2])
      await world.db.query('INSERT INTO transaction_addresses VALUES ($1, $2)', [address.id, idOf(n)]);
  });
  afterAll(() => world.stop());

  it('shows a token of a collection without an amount, and by none is it found', async () => {
    await world.db.query(
      `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status) VALUES ($1, $2, 'erc20', 'aa', 'nft', 'active')`,
      [tokenGid, gid],
    );
    const { body } = await world.api.get('/transactions?hash=0x1').expect(200);
    expect(body.items[0].transfers[1]).toMatchObject({
      ...{ type: 'nft', asset_gid: tokenGid, amount: null, amount_raw: '0', decimals: null },
    });
    const query = `min_amount=7&asset_gids=${encodeURIComponent(tokenGid)}`;
    expect((await world.api.get(`/transactions?${query}`).expect(200)).body.items).toEqual([]);
    await world.db.query('DELETE FROM assets WHERE gid = $1', [tokenGid]);
  });

  it('shows the whole record, amounts exact, confirmations up to the head', async () => {
    const { body } = await world.api.get('/transactions?hash=0x1').expect(200);
    expect(body.items).toEqual([
      {
        id: idOf(1),
        chain_gid: gid,
        hash: '0x1',
        status: 'confirmed',
        direction: 'in',
        block_number: 100,
        block_hash: '0xb100',
        block_timestamp: '2026-01-01T00:00:00.000Z',
        tx_index: 3,
        confirmations: 8,
        required_confirmations: 12,
        fee: { asset_gid: `${gid}/slip44:60`, amount: '0.000021', amount_raw: '21000000000000' },
        memo: 'order 1',
        matures_at_block: null,
        transfers: [
          {
            index: 0,
            type: 'native',
            asset_gid: `${gid}/slip44:60`,
            from: shown[other],
            to: shown[mine],
            amount: '1.5',
            amount_raw: '1500000000000000000',
            decimals: 18,
            log_index: null,
            memo: null,
            monitored_addresses: [shown[mine]],
          },
          {
            index: 1,
            type: 'token',
            asset_gid: tokenGid,
            from: shown[other],
            to: shown[mine],
            amount: null,
            amount_raw: '1000',
            decimals: null,
            log_index: 1,
            memo: null,
            monitored_addresses: [shown[mine]],
          },
        ],
        replaced_by: null,
        verification: 'proved',
        detected_at: '2026-01-01T00:00:00.000Z',
        confirmed_at: null,
        reorged_at: null,
        addresses: [{ address_id: addressId, address: shown[mine], label: 'Order 4711', groups: ['shop-7'] }],
      },
    ]);
  });

  it.each([
    ['as the analyzer wrote it', 'trusted', true, 'trusted'],
    ['of the release before, unproved', null, true, 'unproved'],
    ['of the release before, proved', null, false, 'proved'],
  ])('says what stands behind a transaction, %s', async (_name, verification, isUnproved, expected) => {
    const set = (value: string | null, unproved: boolean) =>
      world.db.query('UPDATE transactions SET verification = $2, is_unproved = $3 WHERE id = $1', [
        ...[idOf(1), value, unproved],
      ]);
    await set(verification, isUnproved);
    const { body } = await world.api.get('/transactions?hash=0x1').expect(200);
    expect(body.items[0].verification).toBe(expected);
    expect((await world.api.get(`/transactions/${idOf(1)}`).expect(200)).body.verification).toBe(expected);
    await set(null, false);
  });

  it('counts no confirmations of an orphan', async () => {
    expect(
      (await world.api.get('/transactions?statuses=reorged').expect(200)).body.items[0].confirmations,
    ).toBe(0);
  });

  it.each([
    ['', [3, 2, 1]],
    ['sort_by=detected_at', [1, 2, 3]],
    ['sort_by=-block_number', [3, 2, 1]],
    ['sort_by=block_number&limit=1&page=2', [2]],
    [`chain_gids=${gid}`, [3, 2, 1]],
    ['chain_gids=eip155:1', []],
    [`addresses=${mine}`, [2, 1]],
    ['addresses=0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045', [2, 1]],
    [`addresses=${other}`, []],
    ['addresses=nonsense', []],
    [`asset_gids=${encodeURIComponent(tokenGid)}`, [1]],
    [`asset_gids=${encodeURIComponent(tokenGid.replace('aa', 'AA'))}`, [1]],
    ['groups=shop-7', [2, 1]],
    ['groups=shop-7,shop-8&statuses=detected', [2]],
    ['groups=shop-8', []],
    ['search=der%2047', [2, 1]],
    ['search=D8DA6bf&limit=1', [2]],
    ['search=%25', []],
    ['search=4711&groups=shop-8', []],
    ['search=4711&groups=shop-7&direction=in', [1]],
    ['statuses=confirmed,detected', [2, 1]],
    ['direction=out', [2]],
    ['hash=0X1', [1]],
    ['from_block=105', [3, 2]],
    ['to_block=105', [2, 1]],
    ['since=2026-01-02T00:00:00Z', [3, 2]],
    // Inclusive and exclusive.
    ['until=2026-01-02T01:00:00%2B01:00', [1]],
    ['until=2026-01-02T01:00:00.001%2B01:00', [2, 1]],
    ['since=0001-01-01T00:00:00Z', [3, 2, 1]],
    ['min_amount=1.5', [3, 1]],
    // The first one moved a token as well, whose decimals nobody knows: that may be enough.
    ['min_amount=1.500000000000000001', [3, 1]],
    [`min_amount=1.500000000000000001&asset_gids=${encodeURIComponent(`${gid}/slip44:60`)}`, [3]],
    [`min_amount=7&asset_gids=${encodeURIComponent(tokenGid)}`, [1]],
    ['public_key_id=00000000-0000-4000-8000-000000000000', []],
    ['memo=order%201', [1]],
    ['memo=Order%201', []],
    ['memo=order', []],
    // The second line, and a transfer's.
    ['memo=line%20two', [2]],
    ['memo=order%202%0Aline%20two', [2]],
    ['memo=invoice%203', [3]],
    ['memo_prefix=order%20', [3, 2, 1]],
    ['memo_prefix=line', [2]],
    ['memo_prefix=inv', [3]],
    ['memo_prefix=%25', []],
    ['memo_prefix=order%20&direction=out', [2]],
    ['memo=order%201&memo_prefix=inv', []],
  ])('%s → %j', async (query, expected) => {
    const { body } = await world.api.get(`/transactions?${query}`).expect(200);
    expect(body.items.map(({ hash }: { hash: string }) => Number(hash))).toEqual(expected);
    if (!/page|limit/.test(query)) expect(body.meta.total).toBe(expected.length);
  });

  it.each([
    'min_amount=-1',
    'min_amount=1e3',
    'since=yesterday',
    'direction=both',
    'from_block=-1',
    'hash=0x%27',
    'asset_gids=x',
    'statuses=',
  ])('refuses %s', async (query) => {
    const { body } = await world.api.get(`/transactions?${query}`).expect(400);
    expect(body.fields[0].name).toMatch(new RegExp(`^${query.split('=')[0]}`));
  });

  describe('of a chain of unspent outputs', () => {
    beforeAll(async () => {
      await insertTransaction(6, {
        status: 'detected',
        direction: 'out',
        block: 50,
        at: '2025-12-01T00:00:00Z',
      });
      for (const [index, from, to, raw] of [
        [0, mine, null, 9],
        [1, null, other, 2],
        [2, null, mine, 6],
      ] as const) {
        await world.db.query(
          `INSERT INTO transfers (transaction_id, index, project_id, chain_gid, type, asset_gid, from_address, to_address, amount_raw, monitored_addresses)
           VALUES ($1, $2, $3, $4, 'native', $5, $6, $7, $8 * 1000000000000000000::numeric, $9)`,
          [
            idOf(6),
            index,
            world.project.projectId,
            gid,
            `${gid}/slip44:60`,
            from,
            to,
            raw,
            to === other ? [] : [mine],
          ],
        );
      }
    });
    afterAll(() => world.db.query('DELETE FROM transactions WHERE id = $1', [idOf(6)]));

    it('shows what was spent, what others got and the change', async () => {
      const { body } = await world.api.get('/transactions?hash=0x6').expect(200);
      expect(
        body.items[0].transfers.map((leg: Record<string, unknown>) => [
          leg.index,
          leg.from,
          leg.to,
          leg.amount,
          leg.monitored_addresses,
        ]),
      ).toEqual([
        [0, shown[mine], null, '9', [shown[mine]]],
        [1, null, shown[other], '2', []],
        [2, null, shown[mine], '6', [shown[mine]]],
      ]);
    });

    it.each([
      ['min_amount=2&to_block=50', [6]],
      ['min_amount=2.1&to_block=50', []],
      [`min_amount=2&to_block=50&asset_gids=${gid}/slip44:60`, [6]],
      [`addresses=${other}`, []],
      ['min_amount=1.5', [3, 1, 6]],
    ])('%s → %j', async (query, expected) => {
      const { body } = await world.api.get(`/transactions?${query}`).expect(200);
      expect(body.items.map(({ hash }: { hash: string }) => Number(hash))).toEqual(expected);
    });
  });

  describe('of the mempool', () => {
    beforeAll(async () => {
      await insertTransaction(4, { status: 'pending', direction: 'in', at: '2026-01-01T12:00:00Z' });
      await insertTransaction(5, { status: 'failed', direction: 'in', at: '2026-01-01T13:00:00Z' });
      await world.db.query('UPDATE transactions SET replaced_by = $2 WHERE id = $1', [idOf(5), '0x4']);
    });
    afterAll(() => world.db.query('DELETE FROM transactions WHERE id = ANY ($1)', [[idOf(4), idOf(5)]]));

    it.each([
      ['statuses=pending', [4]],
      ['statuses=failed,pending', [5, 4]],
      ['sort_by=-block_number', [4, 3, 2, 1, 5]],
      ['sort_by=block_number', [5, 1, 2, 3, 4]],
      ['from_block=0', [3, 2, 1]],
      ['', [3, 2, 5, 4, 1]],
    ])('%s → %j', async (query, expected) => {
      const { body } = await world.api.get(`/transactions?${query}`).expect(200);
      expect(body.items.map(({ hash }: { hash: string }) => Number(hash))).toEqual(expected);
      expect(body.meta.total).toBe(expected.length);
    });

    it('shows no block and no confirmations, and what replaced it', async () => {
      const { body } = await world.api
        .get('/transactions?statuses=pending,failed&sort_by=detected_at')
        .expect(200);
      const unmined = {
        block_number: null,
        block_hash: null,
        block_timestamp: null,
        tx_index: null,
        confirmations: 0,
        confirmed_at: null,
        reorged_at: null,
      };
      expect(body.items).toMatchObject([
        { ...unmined, status: 'pending', replaced_by: null },
        { ...unmined, status: 'failed', replaced_by: '0x4' },
      ]);
    });
  });

  async function insertTransaction(
    n: number,
    row: { status: string; direction: string; block?: number; at: string },
  ): Promise<void> {
    await world.db.query(
      `INSERT INTO transactions (id, project_id, chain_gid, hash, status, direction, block_number, block_hash, block_timestamp, tx_index,
         required_confirmations, fee_asset_gid, fee_amount_raw, memo, detected_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7::bigint, '0xb' || $7::bigint::text, $8, $9, 12, $10, 21000000000000, $12, $11)`,
      [
        ...[idOf(n), world.project.projectId, gid, `0x${n}`, row.status, row.direction],
        ...(row.block === undefined ? [null, null, null] : [row.block, row.at, 3]),
        ...[`${gid}/slip44:60`, row.at, `order ${n}`],
      ],
    );
  }

  async function insertTransfer(
    n: number,
    index: number,
    type: string,
    assetGid: string,
    raw: string,
  ): Promise<void> {
    await world.db.query(
      `INSERT INTO transfers (transaction_id, index, project_id, chain_gid, type, asset_gid, from_address, to_address, amount_raw, log_index, monitored_addresses)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, ARRAY[$8])`,
      [
        idOf(n),
        index,
        world.project.projectId,
        gid,
        type,
        assetGid,
        other,
        mine,
        raw,
        type === 'token' ? index : null,
      ],
    );
  }
});
