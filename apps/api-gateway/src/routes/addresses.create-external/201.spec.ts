// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

const lower = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045';
const display = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';

describe('POST /addresses/external', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
    await world.api.post('/blockchains').send({ chain_gid: 'eip155:31337' }).expect(201);
    await world.db.query(`UPDATE blockchains SET is_active = true`);
    await world.db.query(`INSERT INTO ingestor_states (chain_gid, head_number) VALUES ('eip155:31337', 41)`);
  });
  afterAll(() => world.stop());

  it('imports an address that counts from the head of now, reads its balances once and tells the analyzer', async () => {
    const body = { value: lower, chainFamily: 'evm', label: 'Vitalik', metadata: { team: { name: 'ops' } } };
    const { body: record } = await world.api.post('/addresses/external').send(body).expect(201);
    expect(record).toMatchObject({
      address: display,
      kind: 'external',
      chain_family: 'evm',
      format: 'evm',
      label: 'Vitalik',
      metadata: { team: { name: 'ops' } },
      is_monitored: true,
      watched_from: { 'eip155:31337': 41 },
      backfill: null,
    });
    expect(Date.parse(record.imported_at)).toBeGreaterThan(Date.now() - 60_000);
    const { rows } = await world.db.query(
      'SELECT chain_gid, address_id, asset_gid, block_number, reason FROM balance_reads',
    );
    expect(rows).toEqual([
      {
        chain_gid: 'eip155:31337',
        address_id: record.id,
        asset_gid: null,
        block_number: null,
        reason: 'imported',
      },
    ]);
    expect(world.published).toContainEqual({
      kind: 'address.watched',
      tokens: ['evm'],
      payload: {
        schema: 1,
        address_id: record.id,
        project_id: world.project.projectId,
        address: lower,
        is_monitored: true,
      },
    });
  });

  it('takes snake_case, and lets another project import the same address', async () => {
    const { body: record } = await world.other
      .post('/addresses/external')
      .send({ value: display, chain_family: 'evm' })
      .expect(201);
    expect(record).toMatchObject({ address: display, label: null, metadata: {} });
  });

  it('refuses a second import in any spelling', async () => {
    const { body } = await world.api
      .post('/addresses/external')
      .send({ value: display, chain_family: 'evm' })
      .expect(409);
    expect(body).toMatchObject({
      title: 'Conflict',
      type: 'https://docs.example.com/apis/problems/conflict',
    });
  });

  const tron = {
    base58: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
    hex: '41a614f803b6fd780986a42c78ec9c7f77e6ded13c',
    evm: '0xa614f803b6fd780986a42c78ec9c7f77e6ded13c',
  };

  it.each([
    [
      'bitcoin',
      'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4',
      'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
      'p2wpkh',
      ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'],
    ],
    [
      'bitcoin',
      'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
      'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
      'p2tr',
      [],
    ],
    ['bitcoin', '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2', '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2', 'p2pkh', []],
    ['bitcoin', '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy', '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy', 'p2sh', []],
    [
      'bitcoin',
      'bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs',
      'bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs',
      'witness_unknown',
      [],
    ],
    [
      'solana',
      'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
      'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
      'solana',
      [],
    ],
    ['tron', tron.hex, tron.base58, 'tron', [tron.base58, tron.hex, tron.hex.toUpperCase(), tron.evm]],
  ])(
    'takes an address of %s and finds it by every form',
    async (chain_family, value, address, format, forms) => {
      const { body: record } = await world.api
        .post('/addresses/external')
        .send({ value, chain_family })
        .expect(201);
      expect(record).toMatchObject({ address, chain_family, format, watched_from: {} });
      for (const form of [value, ...forms]) {
        expect((await world.api.get(`/addresses/${form}`).expect(200)).body.id).toBe(record.id);
        await world.api.post('/addresses/external').send({ value: form, chain_family }).expect(409);
      }
    },
  );

  it('finds the EVM address by the form that a TRON address has too', async () => {
    const { body: record } = await world.api
      .post('/addresses/external')
      .send({ value: tron.evm, chain_family: 'evm' })
      .expect(201);
    for (const form of [tron.evm, record.address])
      expect((await world.api.get(`/addresses/${form}`).expect(200)).body.id).toBe(record.id);
    expect((await world.api.get(`/addresses/${tron.hex}`).expect(200)).body.address).toBe(tron.base58);
  });

  it('counts on the chains that know the address, and no other of its family', async () => {
    const [main, signet, regtest] = [
      '000000000019d6689c085ae165831e93',
      '00000008819873e925422c1ff0f99f7c',
      '0f9188f13cb7b2c71f2a335e3a4fc328',
    ].map((id) => `bip122:${id}`);
    for (const gid of [main, signet, regtest]) {
      await world.api.post('/blockchains').send({ chain_gid: gid }).expect(201);
      await world.db.query('INSERT INTO ingestor_states (chain_gid, head_number) VALUES ($1, 7)', [gid]);
    }
    await world.db.query('UPDATE blockchains SET is_active = true');
    const watchedBy = async (value: string): Promise<unknown> => {
      const { body } = await world.api
        .post('/addresses/external')
        .send({ value, chain_family: 'bitcoin' })
        .expect(201);
      const { rows } = await world.db.query(
        'SELECT chain_gid FROM balance_reads WHERE address_id = $1 ORDER BY chain_gid',
        [body.id],
      );
      expect(rows.map(({ chain_gid }) => chain_gid)).toEqual(Object.keys(body.watched_from).sort());
      return body.watched_from;
    };
    expect(await watchedBy('bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3')).toEqual({
      [main!]: 7,
    });
    expect(await watchedBy('mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn')).toEqual({ [signet!]: 7, [regtest!]: 7 });
    expect(await watchedBy('tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx')).toEqual({ [signet!]: 7 });
    expect(await watchedBy('bcrt1qdavt4j2sd7dlhqsavtnfxvzppw6k7qy97tmnu9')).toEqual({ [regtest!]: 7 });
    await world.api
      .patch('/addresses/bcrt1qdavt4j2sd7dlhqsavtnfxvzppw6k7qy97tmnu9')
      .send({ is_monitored: false })
      .expect(200);
    await world.db.query('UPDATE ingestor_states SET head_number = 9');
    const { body } = await world.api
      .patch('/addresses/bcrt1qdavt4j2sd7dlhqsavtnfxvzppw6k7qy97tmnu9')
      .send({ is_monitored: true })
      .expect(200);
    expect(body.watched_from).toEqual({ [regtest!]: 9 });
  });

  it('is listed by its format', async () => {
    const { body } = await world.api.get('/addresses?formats=witness_unknown,p2tr').expect(200);
    expect(body.meta.total).toBe(2);
  });

  it('looks for the coins that a Bitcoin address has already, from the block that is named', async () => {
    const gid = 'bip122:0f9188f13cb7b2c71f2a335e3a4fc328';
    const value = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
    const { body: record } = await world.api
      .post('/addresses/external')
      .send({ value, chain_family: 'bitcoin', from_block: 7 })
      .expect(201);
    const waiting = {
      status: 'pending',
      from_block: 7,
      method: null,
      next_block: null,
      to_block: null,
      progress: null,
      rate: null,
      coin_count: 0,
      transaction_count: 0,
      reason: null,
      not_covered: [],
    };
    expect(record.backfill).toEqual({ status: 'pending', from_block: 7, chains: { [gid]: waiting } });
    await world.db.query(
      `UPDATE address_backfills SET status = 'running', method = 'rescan', next_block = 9, to_block = 40 WHERE address_id = $1`,
      [record.id],
    );
    const { body: later } = await world.api.get(`/addresses/${value}`).expect(200);
    expect(later.backfill).toMatchObject({
      status: 'running',
      chains: { [gid]: { method: 'rescan', next_block: 9, to_block: 40 } },
    });
  });
});
