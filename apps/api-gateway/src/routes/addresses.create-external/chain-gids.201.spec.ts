// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

const bitcoin = 'bip122:000000000019d6689c085ae165831e93';
const cash = 'bip122:000000000000000000651ef99cb9fcbe';
const litecoin = 'bip122:12a765e31ffd4059bada1e25190f6e98';
const dogecoin = 'bip122:1a91e3dace36e2be3bf030a65679fe82';
// The pairs of the CashAddr specification.
const KEY = '1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu';
const CASH_KEY = 'bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a';
const SCRIPT = '3CWFddi6m4ndiGyKqzYvsFYagqDLPVMTzC';
const CASH_SCRIPT = 'bitcoincash:ppm2qsznhks23z7629mms6s4cwef74vcwvn0h829pq';

describe('POST /addresses/external with an address that several chains read', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
    for (const [at, chain_gid] of [bitcoin, cash, litecoin, dogecoin].entries()) {
      await world.api.post('/blockchains').send({ chain_gid }).expect(201);
      await world.db.query('INSERT INTO ingestor_states (chain_gid, head_number) VALUES ($1, $2)', [
        chain_gid,
        900_000 + at,
      ]);
    }
    await world.db.query('UPDATE blockchains SET is_active = true');
  });
  beforeEach(() => world.db.query('DELETE FROM addresses'));
  afterAll(() => world.stop());

  const send = (body: object) =>
    world.api.post('/addresses/external').send({ chain_family: 'bitcoin', ...body });
  const add = async (body: object) => (await send(body).expect(201)).body;
  const watchesOf = async (id: string): Promise<string[]> => {
    const { rows } = await world.db.query<{ chain_gid: string }>(
      'SELECT chain_gid FROM address_watches WHERE address_id = $1 ORDER BY chain_gid',
      [id],
    );
    return rows.map(({ chain_gid }) => chain_gid);
  };

  it.each([
    [KEY, undefined, KEY, bitcoin],
    [KEY, bitcoin, KEY, bitcoin],
    [KEY, cash, CASH_KEY, cash],
    [SCRIPT, undefined, SCRIPT, bitcoin],
    [SCRIPT, cash, CASH_SCRIPT, cash],
    [SCRIPT, litecoin, 'MJiPwX84iBe4WnFDwsYGgtnz1XonPhUqhf', litecoin],
    [CASH_KEY, undefined, CASH_KEY, cash],
    [CASH_KEY.slice(12).toUpperCase(), cash, CASH_KEY, cash],
    ['DF3VYGvdkMpr8372DqsPnc2keByT7tSiQ6', undefined, 'DF3VYGvdkMpr8372DqsPnc2keByT7tSiQ6', dogecoin],
  ])('%s for %s is %s, and counts there alone', async (value, named, address, chain) => {
    const record = await add({ value, ...(named !== undefined && { chain_gids: [named] }) });
    expect(record).toMatchObject({ address, monitoring: { [chain]: 'active' }, warnings: [] });
    expect(Object.keys(record.monitoring)).toEqual([chain]);
    expect(Object.keys(record.watched_from)).toEqual([chain]);
    expect(await watchesOf(record.id)).toEqual([chain]);
    const { rows } = await world.db.query('SELECT chain_gid FROM balance_reads WHERE address_id = $1', [
      record.id,
    ]);
    expect(rows).toEqual([{ chain_gid: chain }]);
  });

  it('is two addresses on two chains, and is found by each spelling', async () => {
    const legacy = await add({ value: KEY, label: 'BTC' });
    const own = await add({ value: KEY, label: 'BCH', chain_gids: [cash] });
    await send({ value: KEY, chain_gids: [cash] }).expect(409);
    await send({ value: CASH_KEY }).expect(409);
    const find = async (text: string) => (await world.api.get(`/addresses/${text}`).expect(200)).body.id;
    expect(await find(KEY)).toBe(legacy.id);
    for (const text of [CASH_KEY, CASH_KEY.slice(12), CASH_KEY.toUpperCase()])
      expect(await find(text)).toBe(own.id);
    await world.api.delete(`/addresses/${KEY}`).expect(204);
    expect(await find(KEY)).toBe(own.id);
  });

  it.each<[string, object, string]>([
    [
      'chains that write it differently',
      { value: KEY, chain_gids: [bitcoin, cash] },
      'import it once for each',
    ],
    ['a chain that does not know it', { value: KEY, chain_gids: [dogecoin] }, `got ${dogecoin}`],
    ['one that does and one that does not', { value: KEY, chain_gids: [cash, dogecoin] }, `got ${dogecoin}`],
    ['no chain of the service', { value: KEY, chain_gids: ['bip122:ff'] }, 'got bip122:ff'],
    [
      'a part of the chains that write it so',
      {
        value: 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn',
        chain_gids: ['bip122:000000000933ea01ad0ee984209779ba'],
      },
      'as well',
    ],
    [
      'a family whose addresses count everywhere',
      { value: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045', chain_family: 'evm', chain_gids: ['eip155:1'] },
      'every chain of its family',
    ],
    ['none', { value: KEY, chain_gids: [] }, '1'],
  ])('is refused for %s', async (_name, body, reason) => {
    const { body: problem } = await send(body).expect(400);
    expect(problem.fields).toEqual([{ name: 'chain_gids', reason: expect.stringContaining(reason) }]);
    expect((await world.api.get('/addresses').expect(200)).body.items).toEqual([]);
  });

  it('is imported in bulk for the chains that each entry names', async () => {
    const { body } = await world.api
      .post('/addresses/external/batch')
      .send({
        chain_family: 'bitcoin',
        addresses: [
          { value: KEY },
          { value: KEY, chain_gids: [cash] },
          { value: SCRIPT, chain_gids: [litecoin] },
          { value: SCRIPT, chain_gids: [bitcoin, litecoin] },
          { value: CASH_KEY },
        ],
      })
      .expect(200);
    const shown = body.items.map(
      (item: { status: string; address?: { address: string }; problem?: { fields: { name: string }[] } }) => [
        item.status,
        item.address?.address ?? item.problem?.fields[0]?.name,
      ],
    );
    expect(shown).toEqual([
      ['created', KEY],
      ['created', CASH_KEY],
      ['created', 'MJiPwX84iBe4WnFDwsYGgtnz1XonPhUqhf'],
      ['invalid', 'chain_gids'],
      ['exists', CASH_KEY],
    ]);
  });

  it('counts on its own chain again after a pause', async () => {
    const { id } = await add({ value: KEY, chain_gids: [cash] });
    for (const is_monitored of [false, true])
      await world.api.patch(`/addresses/${CASH_KEY}`).send({ is_monitored }).expect(200);
    expect(await watchesOf(id)).toEqual([cash]);
  });
});
