// SPDX-License-Identifier: Apache-2.0
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

const gid = 'eip155:31337';
const other = 'eip155:1';
const PATH = '/addresses/external/batch';
const newAddress = (): string => `0x${randomBytes(20).toString('hex')}`;
const newAddresses = (count: number): string[] => Array.from({ length: count }, newAddress);

interface Item {
  readonly status: 'created' | 'exists' | 'invalid';
  readonly address: Record<string, unknown> & { readonly id: string; readonly address: string };
  readonly problem: { readonly status: number; readonly fields?: { name: string; reason: string }[] };
}

describe('POST /addresses/external/batch', () => {
  let world: SpecWorld;
  /** Another replica. */
  let twin: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
    twin = await startSpecWorld({ sharing: world });
    for (const chain_gid of [gid, other])
      await world.api.post('/blockchains').send({ chain_gid }).expect(201);
    await world.db.query('UPDATE blockchains SET is_active = gid = $1', [gid]);
    await world.db.query('INSERT INTO ingestor_states (chain_gid, head_number) VALUES ($1, 41)', [gid]);
  });
  afterAll(async () => {
    await twin.stop();
    await world.stop();
  });

  const send = (values: readonly (string | object)[], client = world.api) =>
    client.post(PATH).send({
      chain_family: 'evm',
      addresses: values.map((value) => (typeof value === 'string' ? { value } : value)),
    });
  const importAll = async (values: readonly (string | object)[], client = world.api): Promise<Item[]> =>
    (await send(values, client).expect(200)).body.items;
  const count = async (table: string, where = 'true', values: unknown[] = []): Promise<number> =>
    (await world.db.query(`SELECT count(*) AS count FROM ${table} WHERE ${where}`, values)).rows[0].count;
  const statuses = (items: readonly Item[]): string[] => items.map(({ status }) => status);

  it('answers in the order of the entries, one item each', async () => {
    const [fresh, single, mine] = newAddresses(3);
    await world.api
      .post('/addresses/external')
      .send({ value: single, chain_family: 'evm', label: 'Before' })
      .expect(201);
    await world.other
      .post('/addresses/external')
      .send({ value: mine, chain_family: 'evm', label: 'Theirs' })
      .expect(201);
    const items = await importAll([
      { value: fresh, label: ' Fresh ', metadata: { n: 1.5, deep: [{ a: null }] }, groups: ['a', 'b', 'a'] },
      '0x1',
      { value: single, label: 'After' },
      `0x${fresh!.slice(2).toUpperCase()}`,
      '0x0000000000000000000000000000000000000000',
      { value: '0x000000000000000000000000000000000000dead', allow_burn: true },
      mine!,
      'x'.repeat(1_000),
      '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96046',
    ]);
    expect(statuses(items)).toEqual([
      'created',
      'invalid',
      'exists',
      'exists',
      'invalid',
      'created',
      'created',
      'invalid',
      'invalid',
    ]);
    expect(items[0]!.address).toMatchObject({
      ...{ kind: 'external', chain_family: 'evm', label: 'Fresh', metadata: { n: 1.5, deep: [{ a: null }] } },
      ...{ groups: ['a', 'b'], is_monitored: true, watched_from: { [gid]: 41 }, backfill: null },
    });
    expect(items[3]!.address).toEqual(items[0]!.address);
    expect(items[2]!.address.label).toBe('Before');
    expect(items[6]!.address.label).toBeNull();
    expect(items[1]).toMatchObject({
      value: '0x1',
      problem: {
        status: 400,
        type: 'https://docs.example.com/apis/problems/invalid-request',
        fields: [{ name: 'value' }],
      },
    });
    expect(items[4]!.problem).toMatchObject({ status: 422 });
    for (const { status, address } of items.filter((item) => item.status !== 'invalid')) {
      expect(['created', 'exists']).toContain(status);
      expect((await world.api.get(`/addresses/${address.address}`).expect(200)).body).toEqual(address);
    }
    const ids = items.filter(({ status }) => status === 'created').map(({ address }) => address.id);
    expect(await count('balance_reads', 'address_id = ANY ($1) AND chain_gid = $2', [ids, gid])).toBe(3);
    expect(await count('balance_reads', 'address_id = ANY ($1)', [ids])).toBe(3);
  });

  it('says of each entry that cannot be stored why, and imports the others', async () => {
    const [good, last] = newAddresses(2);
    const deep = `{"value":"0x1","metadata":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`;
    const entries = [
      JSON.stringify({ value: good }),
      '{"value":"0x\\u0000"}',
      '{"value":"0x1","label":"a\\ud800"}',
      '{"value":"0x1","metadata":{"note":"b\\u0000"}}',
      '{"value":"0x1","metadata":{"n":12345678901234567890}}',
      '{"value":"0x1","metadata":{"__proto__":1}}',
      '{"value":"0x1","groups":["g\\u0000"]}',
      deep,
      JSON.stringify({ value: last, metadata: { exact: 1.5 } }),
    ];
    const { body } = await world.api
      .post(PATH)
      .set('Content-Type', 'application/json')
      .send(`{"chain_family":"evm","addresses":[${entries.join()}]}`)
      .expect(200);
    const items = body.items as Item[];
    expect(statuses(items)).toEqual(['created', ...Array.from({ length: 7 }, () => 'invalid'), 'created']);
    expect(items.slice(1, 8).map(({ problem }) => [problem.status, problem.fields?.[0]!.name])).toEqual([
      [400, 'addresses.1.value'],
      [400, 'addresses.2.label'],
      [400, 'addresses.3.metadata.note'],
      [400, 'addresses.4.metadata.n'],
      [400, 'addresses.5.metadata'],
      [400, 'addresses.6.groups.0'],
      [400, 'addresses.7.metadata'],
    ]);
  });

  it('shows an address that was derived before as it is', async () => {
    const { body: key } = await world.api
      .post('/public_keys')
      .send({
        extended_public_key:
          'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs',
        derivation_path: "m/84'/0'/0'",
      })
      .expect(201);
    const { body: hd } = await world.api.post(`/public_keys/${key.id}/addresses/next`).expect(201);
    const { body } = await world.api
      .post(PATH)
      .send({
        chain_family: 'bitcoin',
        addresses: [{ value: hd.address }, { value: '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2' }],
      })
      .expect(200);
    expect(body.items[0]).toEqual({ status: 'exists', address: hd });
    expect(body.items[1]).toMatchObject({ status: 'created', address: { chain_family: 'bitcoin' } });
    expect((await world.api.get(`/addresses/${body.items[1].address.address}`).expect(200)).body).toEqual(
      body.items[1].address,
    );
  });

  it('writes ten thousand in chunks: each address watched and read once, a hint a chunk, one entry of the audit log', async () => {
    const values = newAddresses(10_000);
    world.published.length = 0;
    const since = new Date().toISOString();
    const requestId = randomUUID();
    const { body } = await send(values).set('X-Request-Id', requestId).expect(200);
    const items = body.items as Item[];
    expect(items.map(({ status, address }) => [status, address.address.toLowerCase()])).toEqual(
      values.map((value) => ['created', value]),
    );
    const ids = items.map(({ address }) => address.id);
    expect(
      await count('address_watches', 'address_id = ANY ($1) AND chain_gid = $2 AND from_block = 41', [
        ids,
        gid,
      ]),
    ).toBe(10_000);
    expect(await count('balance_reads', `address_id = ANY ($1) AND reason = 'imported'`, [ids])).toBe(10_000);
    expect(await count('(SELECT DISTINCT xmin FROM addresses WHERE id = ANY ($1)) x', 'true', [ids])).toBe(
      10,
    );
    const hints = world.published.map(({ kind, tokens, payload }) => ({
      kind,
      tokens,
      ...(payload as { count: number; address_id: string }),
    }));
    expect(hints.map(({ kind, tokens, count: of }) => [kind, tokens, of])).toEqual(
      Array.from({ length: 10 }, () => ['address.watched', ['evm'], 1_000]),
    );
    for (const { address_id } of hints) expect(ids).toContain(address_id);
    const { body: log } = await world.management.get(`/management/audit_logs?since=${since}`).expect(200);
    expect(
      log.items.filter(({ request_id }: { request_id: string }) => request_id === requestId),
    ).toMatchObject([
      {
        action: 'project.addresses_imported',
        target: { type: 'project', id: world.project.projectId },
        changes: { chain_family: { to: 'evm' }, entries: { from: null, to: 10_000 } },
      },
    ]);
    const again = await importAll(values);
    expect(again).toEqual(items.map((item) => ({ ...item, status: 'exists' })));
  }, 60_000);

  it('gives each address to one of two replicas that import the same ones at once, in other orders', async () => {
    const values = newAddresses(3_000);
    const batches = await Promise.all([
      importAll(values),
      importAll([...values].reverse(), twin.api),
      importAll(values.slice(500).concat(values.slice(0, 500)), twin.api),
    ]);
    const created = batches.flat().filter(({ status }) => status === 'created');
    expect(batches.flat().filter(({ status }) => status === 'invalid')).toEqual([]);
    expect(created.map(({ address }) => address.address.toLowerCase()).sort()).toEqual([...values].sort());
    expect(new Set(batches.flat().map(({ address }) => address.id)).size).toBe(3_000);
    expect(
      await count('balance_reads', 'address_id = ANY ($1)', [created.map(({ address }) => address.id)]),
    ).toBe(3_000);
    expect([...world.failures, ...twin.failures]).toEqual([]);
  }, 60_000);

  it('keeps its answer for a repetition with the Idempotency-Key, by any replica', async () => {
    const values = newAddresses(10_000);
    const key = randomUUID();
    const first = await send(values).set('Idempotency-Key', key).expect(200);
    const again = await send(values, twin.api).set('Idempotency-Key', key).expect(200);
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(again.text === first.text).toBe(true);
    await send(values.slice(1)).set('Idempotency-Key', key).expect(422);
  }, 60_000);

  it('that failed midway is carried out again with the same Idempotency-Key, and completes', async () => {
    const values = newAddresses(2_500);
    const broken = values[2_200]!;
    await world.db.query(
      `CREATE FUNCTION refuse_one() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.address = '${broken}' THEN RAISE EXCEPTION 'no' USING ERRCODE = '57014'; END IF; RETURN NEW; END $$`,
    );
    await world.db.query(
      'CREATE TRIGGER refuse_one BEFORE INSERT ON addresses FOR EACH ROW EXECUTE FUNCTION refuse_one()',
    );
    const key = randomUUID();
    await send(values).set('Idempotency-Key', key).expect(503);
    await world.db.query('DROP FUNCTION refuse_one CASCADE');
    expect(await count('addresses', 'address = ANY ($1)', [values])).toBe(2_000);
    const { body, headers } = await send(values).set('Idempotency-Key', key).expect(200);
    expect(headers['idempotency-replayed']).toBeUndefined();
    expect(statuses(body.items)).toEqual(values.map((_, place) => (place < 2_000 ? 'exists' : 'created')));
  });

  it('lets a workspace have two under way, and another one go on', async () => {
    const { release, isHeld } = holdAddresses();
    await isHeld;
    const first = send(newAddresses(1)).then((answer) => answer);
    const second = send(newAddresses(1)).then((answer) => answer);
    await waitForCalls(2);
    const third = await send(newAddresses(1)).expect(429);
    expect(third.headers['retry-after']).toBe('1');
    const theirs = send(newAddresses(1), world.other).then((answer) => answer);
    release();
    expect((await Promise.all([first, second, theirs])).map(({ status }) => status)).toEqual([200, 200, 200]);
    await send(newAddresses(1)).expect(200);
  });

  it('writes nothing for a key of another kind, or for none', async () => {
    const [address] = newAddresses(1);
    await send([address!], world.management).expect(403);
    await send([address!], world.clientOf('svc_api_none')).expect(401);
    expect(await count('addresses', 'address = $1', [address])).toBe(0);
  });

  /** Keeps everybody from writing addresses. */
  function holdAddresses(): { readonly isHeld: Promise<void>; release: () => void } {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const isHeld = new Promise<void>((resolve, reject) => {
      world.db
        .transaction(async (sql) => {
          // A slow machine may need more than the 5 s that a session may wait in a transaction.
          await sql.query('SET LOCAL idle_in_transaction_session_timeout = 0');
          await sql.query('LOCK TABLE addresses IN SHARE MODE');
          resolve();
          await released;
        })
        .catch(reject);
    });
    return { isHeld, release };
  }

  async function waitForCalls(calls: number): Promise<void> {
    for (;;) {
      const { rows } = await world.db.query(
        `SELECT count(*) AS count FROM pg_stat_activity WHERE application_name = 'api-gateway-bulk' AND datname = current_database() AND wait_event_type = 'Lock'`,
      );
      if (rows[0].count >= calls) return;
      await pause(20);
    }
  }
});
