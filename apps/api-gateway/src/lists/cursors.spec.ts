// SPDX-License-Identifier: Apache-2.0
import { randomInt, randomUUID } from 'node:crypto';
import { givePositions, insertEvent } from '../spec-support/positions.ts';
import { startSpecWorld } from '../spec-support/spec-world.ts';
import type { Client, SpecWorld } from '../spec-support/spec-world.ts';

const evm = 'eip155:31337';

let world: SpecWorld;
beforeAll(async () => {
  world = await startSpecWorld();
  await world.api.post('/blockchains').send({ chain_gid: evm }).expect(201);
}, 60_000);
afterAll(() => world.stop());

interface Moving {
  readonly path: string;
  readonly sorts: readonly string[];
  readonly client: () => Client;
  /** Adds a row with random values in the columns of every order. Returns its name. */
  readonly add: () => Promise<string>;
  readonly remove: (name: string) => Promise<unknown>;
  readonly nameOf: (item: Record<string, unknown>) => string;
}

let heights = 100;
const at = (): Date => new Date(Date.UTC(2026, 0, 1 + randomInt(5)));
const insert = (sql: string, values: unknown[]): Promise<unknown> => world.db.query(sql, values);
const byId = (item: Record<string, unknown>): string => String(item.id);

const lists: readonly Moving[] = [
  {
    path: '/addresses',
    sorts: ['created_at', 'address', 'label', 'index'],
    client: () => world.api,
    async add() {
      const id = randomUUID();
      const display = `0x${randomInt(2 ** 40)
        .toString(16)
        .padStart(40, '0')}`;
      await insert(
        `INSERT INTO addresses (id, project_id, chain_family, address, display, kind, format, label, created_at) VALUES ($1, $2, 'evm', $3, $3, 'external', 'evm', $4, $5)`,
        [id, world.project.projectId, display, randomInt(3) === 0 ? null : `label ${randomInt(4)}`, at()],
      );
      return id;
    },
    remove: (id) => insert('DELETE FROM addresses WHERE id = $1', [id]),
    nameOf: byId,
  },
  {
    path: '/transactions',
    sorts: ['detected_at', 'block_number'],
    client: () => world.api,
    async add() {
      const id = randomUUID();
      await insert(
        `INSERT INTO transactions (id, project_id, chain_gid, hash, status, direction, required_confirmations, block_number, detected_at) VALUES ($1::uuid, $2, $3, $1::text, $4, 'in', 1, $5, $6)`,
        [
          id,
          world.project.projectId,
          evm,
          randomInt(4) === 0 ? 'pending' : 'detected',
          randomInt(4) === 0 ? null : randomInt(5),
          at(),
        ],
      );
      return id;
    },
    remove: (id) => insert('DELETE FROM transactions WHERE id = $1', [id]),
    nameOf: byId,
  },
  {
    path: '/events',
    sorts: ['created_at'],
    client: () => world.api,
    async add() {
      const id = await insertEvent(world.db, world.project.projectId, { daysAgo: randomInt(5) });
      await givePositions(world.db);
      return id;
    },
    remove: (id) => insert('DELETE FROM event_log WHERE event_id = $1', [id]),
    nameOf: (item) => String(item.event_id),
  },
  {
    path: '/blocks',
    sorts: ['number', 'chain_gid', 'status'],
    client: () => world.api,
    async add() {
      const hash = randomUUID();
      // Of a height there may be many orphans, and one block that is none.
      const isOrphan = randomInt(2) === 0;
      const status = isOrphan ? 'reorged' : ['new', 'processed', 'confirmed'][randomInt(3)];
      const number = isOrphan ? randomInt(20) : (heights += 1);
      await insert('INSERT INTO blocks (chain_gid, number, hash, status) VALUES ($1, $2, $3, $4)', [
        evm,
        number,
        hash,
        status,
      ]);
      return hash;
    },
    remove: (hash) => insert('DELETE FROM blocks WHERE hash = $1', [hash]),
    nameOf: (item) => String(item.hash),
  },
  {
    path: '/management/projects',
    sorts: ['created_at', 'updated_at', 'name'],
    client: () => world.management,
    async add() {
      const id = randomUUID();
      await insert(
        'INSERT INTO projects (id, workspace_id, name, created_at, updated_at) VALUES ($1, $2, $3, $4, $5)',
        [id, world.project.workspaceId, `project ${randomInt(5)}`, at(), at()],
      );
      return id;
    },
    remove: (id) => insert('DELETE FROM projects WHERE id = $1', [id]),
    nameOf: byId,
  },
];

it.each(
  lists.flatMap((list) =>
    list.sorts.flatMap((sort) => [sort, `-${sort}`].map((order) => [list.path, order, list] as const)),
  ),
)(
  '%s by %s: every row that stays is seen once, while rows are added and removed between the pages',
  async (path, order, { client, add, remove, nameOf }) => {
    const rows: string[] = [];
    for (let count = 0; count < 40; count += 1) rows.push(await add());
    const gone = new Set<string>();
    const seen: string[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await client()
        .get(`${path}?sort_by=${order}&limit=6${cursor && `&cursor=${cursor}`}`)
        .expect(200);
      seen.push(...body.items.map(nameOf));
      if (body.meta.next_cursor === undefined) break;
      cursor = body.meta.next_cursor;
      await add();
      await add();
      // The last one of the page, behind which the next page begins, and any other.
      for (const name of [nameOf(body.items.at(-1)), rows[randomInt(rows.length)]!])
        if (rows.includes(name) && !gone.has(name)) {
          await remove(name);
          gone.add(name);
        }
    }
    expect(new Set(seen).size).toBe(seen.length);
    const staying = rows.filter((name) => !gone.has(name));
    expect(seen.filter((name) => staying.includes(name)).sort()).toEqual([...staying].sort());
    for (const name of staying) await remove(name);
  },
);

describe('a cursor', () => {
  const cursorOf = async (path: string, client = world.api): Promise<string> =>
    (await client.get(path).expect(200)).body.meta.next_cursor;
  const refuse = async (path: string, client = world.api): Promise<void> => {
    const { body } = await client.get(path).expect(400);
    expect(body.fields).toMatchObject([{ name: 'cursor' }]);
  };

  it('is good for its list, filters, order and owner alone, with any limit; beside `page` it is 400', async () => {
    for (const list of lists.slice(0, 2)) for (let count = 0; count < 3; count += 1) await list.add();
    for (let count = 0; count < 3; count += 1)
      await world.db.query(
        `INSERT INTO addresses (project_id, chain_family, address, display, kind, format) VALUES ($1, 'evm', $2, $2, 'external', 'evm')`,
        [world.otherProject.projectId, `0x${String(count).padStart(40, '0')}`],
      );
    const cursor = await cursorOf('/addresses?limit=1&sort_by=address&kind=external');
    expect(cursor).toEqual(expect.any(String));
    await world.api.get(`/addresses?sort_by=address&kind=external&limit=2&cursor=${cursor}`).expect(200);
    await refuse(`/addresses?sort_by=address&kind=external&page=1&cursor=${cursor}`);
    await refuse(`/addresses?sort_by=-address&kind=external&cursor=${cursor}`);
    await refuse(`/addresses?sort_by=address&cursor=${cursor}`);
    await refuse(`/addresses?sort_by=address&kind=external&is_monitored=true&cursor=${cursor}`);
    await refuse(`/transactions?cursor=${cursor}`);
    await refuse(`/addresses?sort_by=address&kind=external&cursor=${cursor}`, world.other);
    await refuse(`/addresses?sort_by=address&kind=external&cursor=${cursor.slice(0, -4)}AAAA`);
    await refuse('/addresses?cursor=x');
    await refuse('/events?cursor=');
    expect(Buffer.from(cursor.split('.').at(-1)!, 'base64url').toString('latin1')).not.toContain('0x');
  });
});

describe('following the cursor', () => {
  const bitcoin = 'bip122:0f9188f13cb7b2c71f2a335e3a4fc328';
  const account = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045';
  const coins = 'mfhE6jAUwjUDNZhaX1PAsDTKfneQF2Nshc';
  let eventId: string;
  beforeAll(async () => {
    await world.api.post('/blockchains').send({ chain_gid: bitcoin }).expect(201);
    const watch = async (value: string, chain_family: string): Promise<string> =>
      (await world.api.post('/addresses/external').send({ value, chain_family }).expect(201)).body.id;
    const [accountId] = [await watch(account, 'evm'), await watch(coins, 'bitcoin')];
    await insertReadings(accountId);
    await insertRows();
    const channels = [1, 2, 3].map((n) =>
      world.api
        .post('/channels')
        .send({ name: `c${n}`, url: 'http://127.0.0.1:9/' })
        .expect(201),
    );
    const channelIds = (await Promise.all(channels)).map(({ body }) => body.id as string);
    eventId = await insertEvent(world.db, world.project.projectId);
    await insert(
      `INSERT INTO deliveries (project_id, channel_id, event_id, event_type, status, created_at)
       SELECT $1, id, $2, 'balance.changed', 'delivered', date_trunc('second', now()) FROM unnest($3::uuid[]) AS id`,
      [world.project.projectId, eventId, channelIds],
    );
    for (const n of [1, 2, 3]) {
      await world.api
        .post('/portal_sessions')
        .send({ channel_ids: channelIds, ttl_seconds: 600 })
        .expect(201);
      await world.management
        .post('/management/members')
        .send({ email: `m${n}@example.com`, role: 'developer' })
        .expect(201);
    }
    for (const gid of [evm, bitcoin])
      await world.api.put(`/confirmation_policies/${gid}`).send({ type: 'depth', depth: 500 }).expect(200);
  });

  /** Two of each block, so that the tiebreak counts. */
  async function insertReadings(addressId: string): Promise<void> {
    const native = `${evm}/slip44:60`;
    await insert(
      `INSERT INTO balances (address_id, asset_gid, chain_gid, amount_raw, block_number, block_hash) VALUES ($1, $2, $3, 0, 9, 'x')
       ON CONFLICT DO NOTHING`,
      [addressId, native, evm],
    );
    await insert(
      `INSERT INTO balance_history (address_id, asset_gid, chain_gid, block_number, block_hash, amount_raw)
       SELECT $1, $2, $3, n / 2, '0x' || n, n FROM generate_series(2, 6) AS n`,
      [addressId, native, evm],
    );
    await insert('INSERT INTO ingestor_states (chain_gid, head_number) VALUES ($1, 300)', [bitcoin]);
    await insert(
      `INSERT INTO utxos (chain_gid, txid, vout, address, amount_raw, is_coinbase, block_number)
       SELECT $1, repeat(n::text, 64), 0, $2, 5, false, n / 2 FROM generate_series(2, 6) AS n`,
      [bitcoin, coins],
    );
  }

  async function insertRows(): Promise<void> {
    await insert(
      `INSERT INTO incidents (chain_gid, kind, status, block_number, block_hash, expected, got, created_at)
       SELECT $1, 'header-field:' || n, 'open', n, '0x' || n, 'a', 'b', now() - n / 2 * interval '1 hour' FROM generate_series(1, 5) AS n`,
      [evm],
    );
    await insert(
      `INSERT INTO rpc_usage SELECT $1, $2, $3, 'method ' || n % 3, timestamptz '2026-01-01' + n / 2 * interval '1 hour', 1, 0, 0, 0, 0, 0, '{}' FROM generate_series(1, 5) AS n`,
      [randomUUID(), world.project.workspaceId, evm],
    );
  }

  it.each([
    ['/management/usage', 'management', 5],
    [`/addresses/${coins}/utxos`, 'api', 5],
    [`/addresses/${account}/balances/history`, 'api', 5],
    [`/blockchains/${evm}/incidents`, 'api', 5],
    ['/management/audit_logs', 'management', undefined],
    ['/management/keys', 'management', undefined],
    ['/management/members', 'management', undefined],
    ['/portal_sessions', 'api', 3],
    ['/confirmation_policies', 'api', 2],
    ['/events/EVENT/deliveries', 'api', 3],
  ] as const)('of %s shows every item exactly once, as the pages do', async (template, client, count) => {
    const path = template.replace('EVENT', eventId);
    const { body: all } = await world[client].get(`${path}?limit=100`).expect(200);
    expect(all.items.length).toBeGreaterThan(1);
    expect(new Set(all.items.map((item: unknown) => JSON.stringify(item))).size).toBe(all.items.length);
    if (count !== undefined) expect(all.items).toHaveLength(count);
    for (const limit of [1, 2]) {
      const seen: unknown[] = [];
      for (let cursor = ''; ; ) {
        const { body } = await world[client]
          .get(`${path}?limit=${limit}${cursor && `&cursor=${cursor}`}`)
          .expect(200);
        seen.push(...body.items);
        expect(body.meta).toMatchObject({
          page: 1,
          total: all.items.length,
          total_pages: Math.ceil(all.items.length / limit),
        });
        if (body.meta.next_cursor === undefined) break;
        cursor = body.meta.next_cursor;
        expect(seen.length).toBeLessThan(all.items.length);
      }
      expect(seen).toEqual(all.items);
    }
  });
});
