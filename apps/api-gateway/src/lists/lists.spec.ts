// SPDX-License-Identifier: Apache-2.0
import type { Database } from '@chainwatch/data/db';
import { waitFor } from '@chainwatch/testing';
import { startSpecWorld } from '../spec-support/spec-world.ts';
import type { SpecWorld } from '../spec-support/spec-world.ts';
import { startFolding } from './start-folding.ts';

const evm = 'eip155:31337';
const bitcoin = 'bip122:0f9188f13cb7b2c71f2a335e3a4fc328';
const tokens = [1, 2, 3].map((n) => `${evm}/erc20:0x${String(n).padStart(40, '0')}`);
const idOf = (kind: number, n: number): string =>
  `${String(kind).padStart(8, '0')}-0000-4000-8000-${String(n).padStart(12, '0')}`;
const KEY = idOf(7, 0);
const CHANNEL = idOf(5, 0);
const addressOf = (n: number): string =>
  n % 3 === 0 ? `bcrt1q${String(n).padStart(38, 'q')}` : `0x${String(n).padStart(40, '0')}`;

const hoursAgo = (hours: number): string =>
  new Date(Math.floor(Date.now() / 60_000) * 60_000 - hours * 3_600_000).toISOString();

interface Item {
  readonly id?: string;
  readonly event_id?: string;
  readonly gid?: string;
  readonly chain_gid?: string;
  readonly hash?: string;
}

describe('lists', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
    await fill(world);
  }, 60_000);
  afterAll(() => world.stop());

  const addressQueries = [
    'chain_families=evm',
    'chain_families=evm,bitcoin',
    'formats=p2wpkh',
    'is_monitored=true',
    'is_monitored=false',
    'search=Label%201',
    'search=0x00',
    'groups=one,three',
    'metadata.n=3&metadata.n=4',
    'groups=two&metadata.n=2&is_monitored=true',
    'chain_families=bitcoin&is_monitored=true',
  ];
  const hdQueries = ['is_used=true', 'change=1', 'change=0&is_used=false'];
  const transactionQueries = [
    ...['pending', 'confirmed,failed', 'detected', 'reorged'].map((statuses) => `statuses=${statuses}`),
    ...[
      'direction=in',
      'direction=self',
      `chain_gids=${evm}`,
      `chain_gids=${evm},${bitcoin}`,
      'chain_gids=eip155:1',
    ],
    ...[1, 3, 999].map((n) => `addresses=${addressOf(n)}`),
    ...[
      `addresses=${addressOf(1)},${addressOf(2)},${addressOf(4)}`,
      `addresses=${addressOf(1)}&statuses=confirmed`,
      `public_key_id=${KEY}`,
    ],
    ...[
      `asset_gids=${tokens[0]}`,
      `asset_gids=${tokens[0]},${tokens[1]}`,
      `asset_gids=${tokens[2]}&min_amount=1`,
    ],
    ...['0', '0.5', '1', '1.05', '12', '99999'].map((amount) => `min_amount=${amount}`),
    ...[
      'from_block=0',
      'from_block=1500',
      'to_block=1500',
      'from_block=1020&to_block=1030',
      'from_block=1000&to_block=5000',
      'from_block=9&to_block=3',
      `from_block=1500&chain_gids=${evm}`,
    ],
    ...[
      'since=2026-01-02T03:20:00Z',
      'until=2026-01-02T03:20:00Z',
      'since=2026-01-01T10:00:00Z&until=2026-01-01T10:30:00Z',
      'since=2026-01-01T10:00:00Z&until=2026-01-03T00:00:00Z',
      'since=2026-01-05T00:00:00Z&until=2026-01-01T00:00:00Z',
      'until=2026-01-02T03:00:00Z',
    ],
    'statuses=confirmed&direction=in&from_block=1100',
  ];
  const lists: readonly (readonly [path: string, sorts: readonly string[], queries: readonly string[]])[] = [
    ['/transactions', ['detected_at', 'block_number'], transactionQueries],
    [
      '/addresses',
      ['created_at', 'address', 'label', 'index'],
      [
        ...addressQueries,
        'kind=hd',
        'kind=external',
        `public_key_id=${KEY}`,
        'kind=external&is_monitored=false',
      ],
    ],
    ['/addresses/hd', ['created_at', 'address', 'label', 'index'], [...addressQueries, ...hdQueries]],
    [
      `/public_keys/${KEY}/addresses`,
      ['created_at', 'address', 'label', 'index'],
      [...addressQueries, ...hdQueries],
    ],
    ['/public_keys', ['created_at', 'label'], ['search=wal', `chain_gids=${bitcoin}`]],
    [
      '/blocks',
      ['number', 'chain_gid', 'status'],
      [
        `chain_gids=${evm}`,
        'statuses=new,reorged',
        'statuses=confirmed',
        'from_block=1020',
        'to_block=1030',
        `from_block=1010&to_block=2100&chain_gids=${evm}`,
        'from_block=1020&statuses=confirmed',
      ],
    ],
    [
      '/assets',
      ['gid', 'namespace', 'reference', 'status', 'created_at'],
      [
        `chain_gids=${evm}`,
        'namespaces=erc20,slip44',
        'statuses=active',
        'statuses=invalid,unknown',
        'is_archived=true',
      ],
    ],
    [
      '/tokens',
      ['created_at', 'gid', 'name', 'symbol'],
      [`chain_gids=${evm}`, 'namespaces=erc20', 'type=native', 'type=fungible', 'search=token', 'search=T1'],
    ],
    [
      '/blockchains',
      ['name', 'short_name', 'gid', 'is_active'],
      ['families=evm', 'families=evm,bitcoin', 'is_active=false', 'search=BIT'],
    ],
    [
      '/notification_channels',
      ['name', 'kind', 'created_at', 'updated_at'],
      ['kind=webhook', 'is_archived=false', 'search=ONE'],
    ],
    [
      '/events',
      ['created_at'],
      [
        'types=transaction.detected',
        'types=transaction.confirmed,transaction.reorged',
        'types=channel.failed',
        `chain_gids=${evm}`,
        `since=${hoursAgo(30.5)}`,
        `until=${hoursAgo(30)}`,
        `since=${hoursAgo(40.2)}&until=${hoursAgo(20.7)}&types=transaction.confirmed`,
        `transaction_id=${idOf(3, 4)}`,
      ],
    ],
    [
      `/notification_channels/${CHANNEL}/deliveries`,
      ['created_at'],
      [
        'statuses=delivered',
        'statuses=failed,held',
        `event_id=${idOf(8, 3)}`,
        'event_types=transaction.detected',
        'event_types=balance.changed',
        'since=2026-01-01T02:00:00Z&until=2026-01-01T04:30:00Z',
        'since=2026-01-01T02:30:00Z&statuses=held',
      ],
    ],
  ];
  const cases = lists.flatMap(([path, sorts, queries]) => [
    ...sorts.map((sort) => [path, sort, ''] as const),
    ...queries.map((query, index) => [path, sorts[index % sorts.length]!, query] as const),
  ]);

  it.each(cases)(
    '%s by %s, %s: every row once on pages of any size, both ways, as many as said',
    async (path, sort, query) => {
      const read = async (order: string, limit: number): Promise<string[]> => {
        const names: string[] = [];
        for (let page = 1; ; page += 1) {
          const { body } = await world.api
            .get(`${path}?sort_by=${order}&limit=${limit}&page=${page}${query && `&${query}`}`)
            .expect(200);
          names.push(...body.items.map(nameOf));
          if (body.items.length < limit) {
            expect(body.meta).toEqual({
              limit,
              page,
              total: names.length,
              total_pages: Math.ceil(names.length / limit),
            });
            return names;
          }
        }
      };
      const up = await read(sort, 100);
      const readOn = async (order: string, limit: number): Promise<string[]> => {
        const names: string[] = [];
        for (let cursor = ''; ; ) {
          const { body } = await world.api
            .get(
              `${path}?sort_by=${order}&limit=${limit}${cursor && `&cursor=${cursor}`}${query && `&${query}`}`,
            )
            .expect(200);
          names.push(...body.items.map(nameOf));
          expect(body.meta).toMatchObject({
            page: 1,
            total: up.length,
            total_pages: Math.ceil(up.length / limit),
          });
          if (body.meta.next_cursor === undefined) return names;
          expect(body.items).toHaveLength(limit);
          cursor = body.meta.next_cursor;
        }
      };
      expect(new Set(up).size).toBe(up.length);
      expect(await read(sort, 35)).toEqual(up);
      const down = await read(`-${sort}`, 45);
      expect(await readOn(sort, 17)).toEqual(up);
      expect(await readOn(`-${sort}`, 20)).toEqual(down);
      if (sort === 'index' && path === '/addresses') expect([...down].sort()).toEqual([...up].sort());
      else expect(down.reverse()).toEqual(up);
    },
  );

  it('finds something in most of these', async () => {
    const totals = await Promise.all(
      cases.map(
        async ([path, , query]) =>
          (await world.api.get(`${path}?${query}`).expect(200)).body.meta.total as number,
      ),
    );
    expect(totals.filter((total) => total > 0).length).toBeGreaterThan(cases.length * 0.85);
  });

  it('answers a page that no list has with nothing', async () => {
    for (const [path] of lists) {
      const { body } = await world.api.get(`${path}?page=9007199254740991&limit=100`).expect(200);
      expect(body).toMatchObject({ items: [], meta: { page: 9007199254740991, limit: 100 } });
      await world.api.get(`${path}?page=9007199254740992`).expect(400);
    }
  });
});

describe('startFolding', () => {
  it('folds on, and clears the tables of what it folded, also after a failure of either', async () => {
    const sent: string[] = [];
    let warnings = 0;
    const warn = (): void => void (warnings += 1);
    const answers: (number | Error)[] = [
      5_000,
      new Error('the server is away'),
      5_000,
      5_000,
      5_000,
      new Error('another clears them'),
      5_000,
      0,
    ];
    const query = async (sql: string): Promise<{ rows: unknown[] }> => {
      sent.push(sql.split(' ')[0]!);
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return { rows: [{ folded: answer ?? 0 }] };
    };
    const stop = startFolding({
      db: { query } as unknown as Pick<Database, 'query'>,
      logger: { warn },
      pauseMs: 1,
    });
    await waitFor(() => answers.length === 0);
    stop();
    expect(sent.slice(0, 8)).toEqual([
      'SELECT',
      'SELECT',
      'SELECT',
      'SELECT',
      'SELECT',
      'VACUUM',
      'SELECT',
      'SELECT',
    ]);
    expect(warnings).toBe(2);
  });
});

const nameOf = (item: Item & { number?: number }): string =>
  item.id ??
  item.event_id ??
  (item.hash === undefined ? item.gid! : `${item.chain_gid}/${item.number}/${item.hash}`);

/** Rows of every list; times and numbers repeat, so that the tiebreak counts. */
async function fill({ db, api, project, otherProject }: SpecWorld): Promise<void> {
  for (const gid of [evm, bitcoin]) await api.post('/blockchains').send({ chain_gid: gid }).expect(201);
  const run = (sql: string, values: unknown[] = []): Promise<unknown> => db.query(sql, values);
  const at = (step: string): string => `timestamptz '2026-01-01' + (${step}) * interval '1 hour'`;
  await run(
    `INSERT INTO public_keys (id, project_id, label, extended_public_key, fingerprint, derivation_path, purpose, account_index, chain_family, chain_gid, address_format)
     SELECT ('00000007-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, $1, 'Wallet ' || n, 'vpub' || n, 'f' || n, 'm/84''/1''/' || n || '''', 84, n, 'bitcoin', $2, 'p2wpkh' FROM generate_series(0, 2) AS n`,
    [project.projectId, bitcoin],
  );
  // The other project has the same rows: none of them may count here.
  for (const [owner, kind] of [
    [project.projectId, 4],
    [otherProject.projectId, 14],
  ] as const) {
    await run(
      `INSERT INTO addresses (id, project_id, chain_family, address, display, kind, format, label, is_monitored, public_key_id, derivation_change, derivation_index, is_used, created_at, groups, metadata)
       SELECT ($3 || '-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, $1, CASE WHEN n % 3 = 0 THEN 'bitcoin' ELSE 'evm' END, a, a, CASE WHEN is_hd THEN 'hd' ELSE 'external' END, CASE WHEN n % 3 = 0 THEN 'p2wpkh' ELSE 'evm' END,
         CASE WHEN n % 4 > 0 THEN 'label ' || n % 20 END, n % 5 > 0, CASE WHEN is_hd THEN $2::uuid END, CASE WHEN is_hd THEN n % 2 END, CASE WHEN is_hd THEN n END, n % 2 = 0, ${at('n % 7')},
         CASE n % 5 WHEN 1 THEN '{one}' WHEN 2 THEN '{two,one}' WHEN 3 THEN '{three}' ELSE '{}' END::text[], CASE WHEN n % 2 = 0 THEN jsonb_build_object('n', n % 5) ELSE '{}' END
       FROM generate_series(0, 39) AS n, LATERAL (SELECT CASE WHEN n % 3 = 0 THEN 'bcrt1q' || lpad(n::text, 38, 'q') ELSE '0x' || lpad(n::text, 40, '0') END AS a, n % 3 = 0 AND $3 = '00000004' AS is_hd) x`,
      [owner, KEY, String(kind).padStart(8, '0')],
    );
  }
  await run(
    `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status, name, symbol, decimals)
     SELECT $1 || '/erc20:0x' || lpad(n::text, 40, '0'), $1, 'erc20', '0x' || lpad(n::text, 40, '0'), 'fungible', (ARRAY['active', 'unknown', 'invalid', 'active'])[1 + n / 10], 'Token ' || n % 5, 'T' || n, CASE WHEN n <> 3 THEN 2 END
     FROM generate_series(1, 39) AS n`,
    [evm],
  );
  // The other project has some of them, and some that nobody else has.
  await run(
    `INSERT INTO project_assets (project_id, asset_gid, archived_at, created_at) SELECT p.id, a.gid, CASE WHEN n % 8 = 7 THEN now() END, ${at('n % 4')}
     FROM assets a, LATERAL (SELECT right(a.reference, 2)::int AS n) x, (VALUES ($1::uuid, 1, 29), ($2::uuid, 20, 39)) AS p (id, first, last) WHERE a.type = 'fungible' AND n BETWEEN first AND last`,
    [project.projectId, otherProject.projectId],
  );
  await run(
    `INSERT INTO transactions (id, project_id, chain_gid, hash, status, direction, block_number, block_hash, required_confirmations, detected_at)
     SELECT ('00000003-0000-4000-8000-' || lpad((p.shift + n)::text, 12, '0'))::uuid, p.id, CASE WHEN n % 6 = 5 THEN $3 ELSE $4 END, '0x' || n, s.status, (ARRAY['in', 'out', 'self'])[1 + n % 3],
       CASE WHEN n % 10 < 8 THEN 1000 + (n * 37) % 2000 / 20 * 20 END, '0xb', 1, ${at('n / 3')}
     FROM (VALUES ($1::uuid, 0), ($2::uuid, 1000)) AS p (id, shift), generate_series(0, 119) AS n, LATERAL (SELECT CASE n % 10 WHEN 8 THEN 'pending' WHEN 9 THEN 'failed' ELSE (ARRAY['confirmed', 'confirmed', 'detected', 'reorged'])[1 + n % 4] END AS status) s`,
    [project.projectId, otherProject.projectId, bitcoin, evm],
  );
  await run(
    `INSERT INTO transfers (transaction_id, index, project_id, chain_gid, type, asset_gid, from_address, amount_raw, monitored_addresses)
     SELECT t.id, i, t.project_id, t.chain_gid, 'token', $1::text || '/erc20:0x' || lpad((1 + (n + i) % 3)::text, 40, '0'), '0x1', n * 10 + i, ARRAY['a']
     FROM transactions t, LATERAL (SELECT substr(t.hash, 3)::int AS n) x, generate_series(0, n % 4) AS i`,
    [evm],
  );
  await run(
    `INSERT INTO transaction_addresses (address_id, transaction_id)
     SELECT DISTINCT a.id, t.id FROM transactions t, LATERAL (SELECT substr(t.hash, 3)::int AS n) x, generate_series(0, 2) AS i JOIN addresses a ON true
     WHERE a.project_id = t.project_id AND right(a.id::text, 12)::int = (n * (i + 1)) % 7`,
  );
  await run(
    `INSERT INTO blocks (chain_gid, number, hash, status) SELECT gid, 1000 + n, gid || n, (ARRAY['confirmed', 'processed', 'new'])[1 + n / 20] FROM generate_series(0, 50) AS n, unnest(ARRAY[$1, $2]) AS gid`,
    [evm, bitcoin],
  );
  await run(
    `INSERT INTO blocks (chain_gid, number, hash, status) SELECT $1, 1000 + n, 'orphan' || n, 'reorged' FROM generate_series(0, 9) AS n`,
    [evm],
  );
  await api
    .post('/notification_channels/webhook')
    .send({ name: 'three', url: 'http://127.0.0.1:9/' })
    .expect(201);
  await run(
    `INSERT INTO notification_channels (id, project_id, kind, name, config, is_archived)
     SELECT ('00000005-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, c.project_id, c.kind, (ARRAY['one', 'two'])[1 + n % 2], c.config, n % 3 = 2 FROM notification_channels c, generate_series(0, 14) AS n`,
  );
  await run(
    `INSERT INTO deliveries (project_id, channel_id, event_id, event_type, status, created_at)
     SELECT $1, $2, ('00000008-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, (ARRAY['transaction.detected', 'balance.changed'])[1 + n / 3 % 2], (ARRAY['delivered', 'failed', 'held', 'pending'])[1 + n % 4], ${at('n / 5')} FROM generate_series(0, 30) AS n`,
    [project.projectId, CHANNEL],
  );
  // Some are held back, and some are too old to be shown.
  const { body } = await api.get('/transactions?limit=1').expect(200);
  const { addresses: _addresses, ...transaction } = body.items[0];
  const payload = {
    api_version: 'v1',
    created_at: hoursAgo(1),
    is_test_message: false,
    sequence: 1,
    data: { transaction, balance_changes: [], addresses: [], truncated: false },
  };
  await run(
    `INSERT INTO event_log (event_id, project_id, chain_gid, type, sequence, transaction_id, subject_kind, payload, is_held, created_at)
     SELECT e.id, p.id, CASE WHEN n % 4 = 0 THEN $3 ELSE $4 END, e.type, n, ('00000003-0000-4000-8000-' || lpad((n % 5)::text, 12, '0'))::uuid, 'tx.detected',
       ($5::jsonb || jsonb_build_object('event_id', e.id, 'type', e.type, 'project_id', p.id))::text, n % 9 = 5, now() - n / 3 * interval '1 hour' - CASE WHEN n > 110 THEN interval '30 days' ELSE interval '0' END
     FROM (VALUES ($1::uuid, 10), ($2::uuid, 11)) AS p (id, kind), generate_series(0, 119) AS n,
       LATERAL (SELECT (p.kind || '000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid AS id, (ARRAY['transaction.detected', 'transaction.confirmed', 'transaction.reorged'])[1 + n % 7 / 3] AS type) e`,
    [project.projectId, otherProject.projectId, bitcoin, evm, JSON.stringify(payload)],
  );
}
