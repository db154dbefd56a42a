// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

const known = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';
const tron = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const segwit = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
const burn = '0x0000000000000000000000000000000000000000';

describe('POST /addresses/check', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
    await world.api.post('/addresses/external').send({ value: known, chain_family: 'evm' }).expect(201);
  });
  afterAll(() => world.stop());

  const send = (addresses: readonly object[], client = world.api) =>
    client.post('/addresses/check').send({ addresses });
  const check = async (
    addresses: readonly object[],
    client = world.api,
  ): Promise<Record<string, unknown>[]> => (await send(addresses, client).expect(200)).body.items;
  const statuses = (items: readonly Record<string, unknown>[]): unknown[] =>
    items.map(({ status, chain_family }) => [status, chain_family]);

  it('detects the family, in order, and says what an import would do', async () => {
    const fresh = `0x${randomBytes(20).toString('hex')}`;
    const items = await check([
      { value: fresh },
      { value: fresh.toUpperCase().replace('0X', '0x') },
      { value: known.toLowerCase() },
      { value: tron },
      { value: segwit },
      { value: burn },
      { value: '0x1' },
      { value: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96046' },
      { value: '' },
    ]);
    expect(statuses(items)).toEqual([
      ['new', 'evm'],
      ['exists', 'evm'],
      ['exists', 'evm'],
      ['new', 'tron'],
      ['new', 'bitcoin'],
      ['burn', 'evm'],
      ['invalid', null],
      ['invalid', null],
      ['invalid', null],
    ]);
    expect(items[2]).toEqual({
      ...{ value: known.toLowerCase(), status: 'exists', chain_family: 'evm' },
      ...{ address: known, problem: null },
    });
    expect(items[5]!.problem).toContain('burn address');
    expect(items.slice(6).map(({ problem }) => problem)).toEqual(
      Array.from({ length: 3 }, () => expect.stringContaining('No chain family reads this address')),
    );
  });

  it('goes by the family that was named, and says why it does not read the text', async () => {
    const items = await check([
      { value: segwit, chain_family: 'evm' },
      { value: known, chain_family: 'tron' },
      { value: segwit, chain_family: 'bitcoin', chain_gids: ['eip155:1'] },
    ]);
    expect(statuses(items)).toEqual([
      ['invalid', 'evm'],
      ['new', 'tron'],
      ['invalid', 'bitcoin'],
    ]);
    expect(items[0]!.problem).toContain('is not an EVM address');
    expect(items[1]!.address).toMatch(/^T/);
    expect(items[2]!.problem).toContain('expected chains that know the address');
  });

  it('agrees with the import that follows, and writes nothing itself', async () => {
    const count = async (): Promise<unknown> =>
      (await world.db.query('SELECT count(*) FROM addresses')).rows[0].count;
    const before = await count();
    const values = [`0x${randomBytes(20).toString('hex')}`, known, burn, '0x1', 'a\u0000b', '\ud800'];
    const entries = [...values, values[0]!].map((value) => ({ value, chain_family: 'evm' }));
    const checked = await check(entries);
    expect(await count()).toBe(before);
    const { body } = await world.api
      .post('/addresses/external/batch')
      .send({ chain_family: 'evm', addresses: entries.map(({ value }) => ({ value })) })
      .expect(200);
    const named = { new: 'created', exists: 'exists', burn: 'invalid', invalid: 'invalid' };
    expect(checked.map(({ status }) => named[status as keyof typeof named])).toEqual(
      body.items.map(({ status }: { status: string }) => status),
    );
    expect(body.items.map(({ status }: { status: string }) => status)).toEqual([
      ...['created', 'exists', 'invalid', 'invalid', 'invalid', 'invalid', 'exists'],
    ]);
  });

  it('knows nothing of another project', async () => {
    expect(statuses(await check([{ value: known }], world.other))).toEqual([['new', 'evm']]);
  });

  it('takes 10,000, and refuses more, none, and what is no list of addresses as a whole', async () => {
    const many = Array.from({ length: 10_000 }, () => ({ value: `0x${randomBytes(20).toString('hex')}` }));
    const items = await check(many);
    expect(new Set(items.map(({ status }) => status))).toEqual(new Set(['new']));
    expect(items.map(({ value }) => value)).toEqual(many.map(({ value }) => value));
    await send([...many, many[0]!]).expect(400);
    await send([]).expect(400);
    await send([{ value: known, chain_family: 'none' }]).expect(400);
    await send([{ value: 1 }]).expect(400);
    await send([{ value: known, label: 'no part of a check' }]).expect(400);
  });
});
