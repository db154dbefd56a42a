// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { waitFor } from '@chainwatch/testing';
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

const gid = 'eip155:31337';
const tron = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const newAddresses = (count: number): string[] =>
  Array.from({ length: count }, () => `0x${randomBytes(20).toString('hex')}`);

interface Item {
  readonly status: string;
  readonly address: Record<string, unknown>;
}

describe('PATCH /addresses', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
    await world.api.post('/blockchains').send({ chain_gid: gid }).expect(201);
    await world.db.query('UPDATE blockchains SET is_active = true');
    await world.db.query('INSERT INTO ingestor_states (chain_gid, head_number) VALUES ($1, 10)', [gid]);
  });
  afterAll(() => world.stop());

  const importAll = (values: readonly string[], chain_family = 'evm', client = world.api) =>
    client
      .post('/addresses/external/batch')
      .send({ chain_family, addresses: values.map((value) => ({ value })) })
      .expect(200);
  const patch = async (items: readonly object[], client = world.api): Promise<Item[]> =>
    (await client.patch('/addresses').send({ items }).expect(200)).body.items;

  it('takes addresses in the order in which the services lock them: neither ends the other as a deadlock', async () => {
    // Ids are in the order of time: here the later address is the smaller one.
    await importAll([`0x${'f'.repeat(40)}`]);
    await importAll([`0x${'0'.repeat(39)}f`]);
    const { rows } = await world.db.query<{ id: string; address: string }>(
      'SELECT id, address FROM addresses WHERE address = ANY ($1) AND project_id = $2 ORDER BY id',
      [[`0x${'f'.repeat(40)}`, `0x${'0'.repeat(39)}f`], world.project.projectId],
    );
    const lock = 'SELECT FROM addresses WHERE id = $1 FOR KEY SHARE';
    const patched = await world.db.transaction(async (sql) => {
      await sql.query('SET LOCAL idle_in_transaction_session_timeout = 0');
      await sql.query(lock, [rows[0]!.id]);
      const patching = patch(rows.map(({ address }) => ({ address, label: 'both' })));
      await waitFor(async () => {
        const waiting = await world.db.query(
          `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        return waiting.rows.length > 0;
      });
      await sql.query(lock, [rows[1]!.id]);
      return { patching };
    });
    expect((await patched.patching).map(({ status }) => status)).toEqual(['updated', 'updated']);
  });

  it('changes what each item names, in order, and says what the project has not', async () => {
    const [one, two, theirs] = newAddresses(3);
    await importAll([one!, two!]);
    await importAll([tron], 'tron');
    await importAll([theirs!], 'evm', world.other);
    const items = await patch([
      { address: one, label: 'One', groups: ['a'] },
      { address: `0x${two!.slice(2).toUpperCase()}`, metadata: { n: 2 } },
      { address: theirs, label: 'Mine now' },
      { address: 'nowhere', label: 'x' },
      { address: '41a614f803b6fd780986a42c78ec9c7f77e6ded13c', groups: ['tron'] },
      { address: one, label: null, metadata: { m: 1 } },
    ]);
    expect(items.map(({ status }) => status)).toEqual([
      'updated',
      'updated',
      'not_found',
      'not_found',
      'updated',
      'updated',
    ]);
    expect(items[0]!.address).toMatchObject({ label: null, metadata: { m: 1 }, groups: ['a'] });
    expect(items[5]!.address).toEqual(items[0]!.address);
    expect(items[1]!.address).toMatchObject({ label: null, metadata: { n: 2 }, groups: [] });
    expect(items[4]!.address).toMatchObject({ address: tron, groups: ['tron'] });
    expect(items[2]).toEqual({ status: 'not_found', value: theirs });
    for (const { address } of items.filter(({ status }) => status === 'updated'))
      expect((await world.api.get(`/addresses/${address.address}`).expect(200)).body).toEqual(address);
    expect((await world.other.get(`/addresses/${theirs}`).expect(200)).body.label).toBeNull();
  });

  it('switches a thousand off and on: they count from the head of then, with one hint a family', async () => {
    const values = newAddresses(1_000);
    await importAll(values);
    world.published.length = 0;
    await patch(values.map((address) => ({ address, is_monitored: false })));
    await world.db.query('UPDATE ingestor_states SET head_number = 25');
    const items = await patch(values.map((address, n) => ({ address, is_monitored: n % 2 === 0 })));
    expect(items.map(({ address }) => [address.is_monitored, address.watched_from])).toEqual(
      values.map((_, n) => (n % 2 === 0 ? [true, { [gid]: 25 }] : [false, { [gid]: 10 }])),
    );
    expect(world.published.map(({ payload }) => payload)).toMatchObject([
      { is_monitored: false, count: 1_000 },
      { is_monitored: true, count: 500 },
    ]);
  });

  it('never waits in a circle with imports, derivations and changes of the same addresses in another order', async () => {
    const values = newAddresses(300);
    await importAll(values.slice(0, 200));
    const changes = values.map((address) => ({ address, is_monitored: false, groups: ['x'] }));
    await Promise.all([
      patch(changes),
      patch([...changes].reverse()),
      patch(changes.map((change) => ({ ...change, is_monitored: true }))),
      importAll([...values].reverse()),
      ...values
        .slice(0, 20)
        .map((address) => world.api.patch(`/addresses/${address}`).send({ label: 'l' }).expect(200)),
    ]);
    expect(world.failures).toEqual([]);
    const { rows } = await world.db.query(
      `SELECT count(*) AS count FROM addresses WHERE address = ANY ($1) AND label = 'l'`,
      [values],
    );
    expect(rows[0].count).toBe(20);
  });

  it('tells of one item alone that its text cannot be stored, or a number not kept', async () => {
    const [one, two, three] = newAddresses(3);
    await importAll([one!, two!, three!]);
    const { body } = await world.api
      .patch('/addresses')
      .set('content-type', 'application/json')
      .send(
        `{"items":[${[
          `{"address":"${one}","label":"a\\u0000b"}`,
          `{"address":"${two}","label":"kept"}`,
          `{"address":"${three}","metadata":{"n":12345678901234567890}}`,
          `{"address":"0x\\u0000","label":"x"}`,
          `{"address":"${one}","metadata":{"\\ud800":1},"unknown":1}`,
        ].join(',')}]}`,
      )
      .expect(200);
    expect(body.items).toMatchObject([
      { status: 'invalid', value: one, problem: { fields: [{ name: 'items.0.label' }] } },
      { status: 'updated', address: { label: 'kept' } },
      { status: 'invalid', value: three, problem: { fields: [{ name: 'items.2.metadata.n' }] } },
      { status: 'invalid', value: '0x\u0000', problem: { fields: [{ name: 'items.3.address' }] } },
      { status: 'invalid', value: one, problem: { fields: [{ name: expect.stringContaining('items.4') }] } },
    ]);
    expect((await world.api.get(`/addresses/${one}`).expect(200)).body).toMatchObject({
      label: null,
      metadata: {},
    });
  });

  it.each([
    '{"items":[{"address":1,"label":"\\u0000"}]}',
    '{"items":["\\u0000"]}',
    '{"items":[],"\\u0000":1}',
    '{',
    '',
  ])('refuses %s, where the fault is of no item that could be named', async (text) => {
    await world.api.patch('/addresses').set('content-type', 'application/json').send(text).expect(400);
  });

  it.each<[unknown]>([
    [{}],
    [{ items: [] }],
    [{ items: [{ address: tron }] }],
    [{ items: [{ address: tron, label: '' }] }],
    [{ items: [{ address: tron, kind: 'hd' }] }],
    [{ items: Array.from({ length: 1_001 }, () => ({ address: tron, label: 'x' })) }],
  ])('refuses %j', async (body) => {
    expect(
      (
        await world.api
          .patch('/addresses')
          .send(body as object)
          .expect(400)
      ).body.fields.length,
    ).toBeGreaterThan(0);
  });
});
