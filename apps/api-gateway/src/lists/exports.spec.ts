// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { createCache } from '@chainwatch/platform/cache';
import { startRedis, waitFor } from '@chainwatch/testing';
import { openExport, readExport, toRecords } from '../spec-support/open-export.ts';
import { givePositions, insertEvent } from '../spec-support/positions.ts';
import { startSpecWorld, type SpecWorld } from '../spec-support/spec-world.ts';
import { parseCsv } from '../spec-support/parse-csv.ts';
import { markText } from './csv-text.ts';

const EVM = 'eip155:31337';
/** More than an export reads at once. */
const ROWS = 1_203;

let world: SpecWorld;
let channelId: string;
let otherChannelId: string;
beforeAll(async () => {
  world = await startSpecWorld();
  await world.api.post('/blockchains').send({ chain_gid: EVM }).expect(201);
  const makeChannel = async (client: SpecWorld['api']): Promise<string> =>
    (await client.post('/channels').send({ name: 'c', url: 'http://127.0.0.1:9/' }).expect(201)).body.id;
  [channelId, otherChannelId] = [await makeChannel(world.api), await makeChannel(world.other)];
  await insertRows(world, world.project.projectId, channelId);
}, 120_000);
afterAll(() => world.stop());

async function insertRows({ db }: SpecWorld, projectId: string, ofChannel: string): Promise<void> {
  await db.query(
    `INSERT INTO addresses (project_id, chain_family, address, display, kind, format, label, metadata, groups, is_monitored, created_at)
     SELECT $1, 'evm', a, a, 'external', 'evm', CASE n % 4 WHEN 0 THEN NULL WHEN 1 THEN '=label ' || n % 50 ELSE 'label "' || n % 50 || '", x' END,
       jsonb_build_object('customer', n % 3), CASE n % 5 WHEN 0 THEN ARRAY['few'] ELSE ARRAY['many', 'all'] END, n % 2 = 0, now() - make_interval(secs => n % 97)
     FROM (SELECT n, '0x' || lpad(to_hex(n), 40, '0') AS a FROM generate_series(1, $2::int) n) made`,
    [projectId, ROWS],
  );
  await db.query(
    `WITH t AS (
       INSERT INTO transactions (id, project_id, chain_gid, hash, status, direction, required_confirmations, block_number, memo, detected_at)
       SELECT gen_random_uuid(), $1, $3, '0x' || n, CASE n % 4 WHEN 0 THEN 'pending' ELSE 'detected' END, 'in', 1, CASE n % 4 WHEN 0 THEN NULL ELSE n % 41 END,
         CASE n % 7 WHEN 0 THEN '@memo' END, now() - make_interval(secs => n % 89)
       FROM generate_series(1, $2::int) n RETURNING id)
     INSERT INTO transfers (transaction_id, index, project_id, chain_gid, type, asset_gid, amount_raw, monitored_addresses)
     SELECT id, i, $1, $3, 'native', $3 || '/slip44:60', 10 + i, '{}' FROM t, generate_series(0, 2) i`,
    [projectId, ROWS, EVM],
  );
  for (let n = 0; n < ROWS; n += 1)
    await insertEvent(db, projectId, { chainGid: n % 3 === 0 ? 'eip155:10' : EVM, isTest: n % 11 === 0 });
  await givePositions(db);
  await db.query(
    `INSERT INTO deliveries (project_id, channel_id, event_id, event_type, status, last_error)
     SELECT project_id, $2, event_id, type, CASE row_number() OVER () % 3 WHEN 0 THEN 'delivered' ELSE 'failed' END, '-1' FROM event_log WHERE project_id = $1`,
    [projectId, ofChannel],
  );
}

const open = (path: string, accept?: string, { server } = world, key = world.project.keys.api) =>
  openExport({ server, path, key, ...(accept !== undefined && { accept }) });

/** All pages, one behind the other. */
async function readPages(path: string): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await world.api
      .get(`${path}${path.includes('?') ? '&' : '?'}limit=100${cursor && `&cursor=${cursor}`}`)
      .expect(200);
    items.push(...body.items);
    if (body.meta.next_cursor === undefined) return items;
    cursor = body.meta.next_cursor;
  }
}

const deliveries = '/notification_channels/CHANNEL/deliveries';

describe.each([
  ['/addresses', ROWS],
  ['/addresses?sort_by=label', ROWS],
  ['/addresses?sort_by=-index&is_monitored=true', Math.floor(ROWS / 2)],
  ['/addresses?groups=many&sort_by=-address', undefined],
  ['/addresses?groups=few&metadata.customer=1', undefined],
  ['/addresses?search=nothing', 0],
  ['/transactions', ROWS],
  ['/transactions?sort_by=block_number', ROWS],
  ['/transactions?statuses=pending,detected&sort_by=detected_at', ROWS],
  ['/transactions?from_block=7&direction=in&sort_by=-block_number', undefined],
  ['/events', undefined],
  [`/events?chain_gids=${EVM}&sort_by=created_at`, undefined],
  ['/events?is_test=true', undefined],
  [deliveries, ROWS],
  [`${deliveries}?statuses=delivered&sort_by=created_at`, Math.floor(ROWS / 3)],
] as const)('%s', (template, count) => {
  const path = (): string => template.replace('CHANNEL', channelId);
  let items: Record<string, unknown>[];
  beforeAll(async () => {
    items = await readPages(path());
    if (count === undefined) expect(items.length).toBeGreaterThan(20);
    else expect(items).toHaveLength(count);
  });

  it('as NDJSON is what all its pages show, in the same order', async () => {
    const answer = await open(path());
    const { text, isCut } = await readExport(answer);
    expect([answer.statusCode, answer.headers['content-type'], isCut]).toEqual([
      200,
      'application/x-ndjson; charset=utf-8',
      false,
    ]);
    expect(toRecords(text)).toEqual(items);
  });

  it('as CSV too, with a header line', async () => {
    const answer = await open(path(), 'text/csv');
    const { text } = await readExport(answer);
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8');
    const [names, ...rows] = parseCsv(text);
    expect(rows.map((row) => Object.fromEntries(row.map((cell, at) => [names![at], cell])))).toEqual(
      items.map((item) => Object.fromEntries(names!.map((name) => [name, toCell(item[name])]))),
    );
    for (const item of items) expect(names).toEqual(expect.arrayContaining(Object.keys(item)));
  });
});

function toCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? markText(value) : JSON.stringify(value);
}

it.each([
  ['nothing', 'application/json', undefined],
  ['anything', 'application/json', '*/*'],
  ['what there is not', 'application/json', 'text/html'],
  ['JSON before CSV', 'application/json', 'text/csv;q=0.5, application/json'],
  ['CSV before all', 'text/csv', '*/*;q=0.1, text/csv'],
  ['the second one alone', 'application/x-ndjson', 'text/html, application/x-ndjson'],
  ['no CSV', 'application/json', 'text/csv;q=0'],
])('a client that accepts %s gets %s', async (_what, type, accept) => {
  const sent = world.send('get', '/v1/addresses?limit=1', world.project.keys.api);
  const { headers } = await (accept === undefined ? sent : sent.set('Accept', accept)).expect(200);
  expect(headers['content-type']).toBe(`${type}; charset=utf-8`);
});

it.each(['/addresses?page=1', '/transactions?cursor=x', '/events?after=0', '/addresses?nothing=1'])(
  '%s is no export: 400',
  async (path) => {
    const answer = await open(path);
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([
      400,
      'application/problem+json; charset=utf-8',
    ]);
    answer.destroy();
  },
);

it('a key of another project exports nothing of it, and one without the permission gets a problem', async () => {
  for (const path of [
    '/addresses',
    '/transactions',
    '/events',
    `${deliveries.replace('CHANNEL', otherChannelId)}`,
  ]) {
    const answer = await open(path, undefined, world, world.otherProject.keys.api);
    expect([answer.statusCode, await readExport(answer)]).toEqual([200, { text: '', isCut: false }]);
  }
  for (const [path, key, status] of [
    [deliveries.replace('CHANNEL', channelId), world.otherProject.keys.api, 404],
    ['/addresses', world.project.keys.rpc, 403],
    ['/addresses', 'svc_api_x', 401],
  ] as const) {
    const answer = await open(path, 'text/csv', world, key);
    expect(answer.statusCode).toBe(status);
    answer.destroy();
  }
});

it('a HEAD opens nothing', async () => {
  for (let count = 0; count < 5; count += 1) {
    const answer = await world
      .send('head', '/v1/addresses', world.project.keys.api)
      .set('Accept', 'text/csv')
      .expect(200);
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8');
  }
});

it('a label that was exported as CSV is imported as it was', async () => {
  const labels = ['=1+1', "'=1+1", "'plain", '@home', "''-x"];
  const addresses = labels.map((label, n) => ({
    value: `0x${String(n + 1).padStart(40, 'f')}`,
    label: markText(label),
  }));
  const { body } = await world.other
    .post('/addresses/external/batch')
    .send({ chain_family: 'evm', addresses })
    .expect(200);
  expect(body.items.map(({ address }: { address: { label: string } }) => address.label)).toEqual(labels);
});

describe('with more rows than a connection holds', () => {
  let key: { id: string; key: string };
  /** Answers that this spec left open. */
  let answers: IncomingMessage[] = [];
  beforeAll(async () => {
    key = await makeKey();
    // 30 MB.
    await world.db.query(
      `INSERT INTO addresses (project_id, chain_family, address, display, kind, format, metadata, created_at)
       SELECT $1, 'evm', a, a, 'external', 'evm', jsonb_build_object('long', repeat(a, 100)), now() - interval '1 day' - make_interval(secs => n)
       FROM (SELECT n, '0xaa' || lpad(to_hex(n), 38, '0') AS a FROM generate_series(1, 7000) n) made`,
      [world.project.projectId],
    );
  });
  afterEach(async () => {
    for (const answer of answers) answer.destroy();
    answers = [];
    await world.db.query(`DELETE FROM addresses WHERE label = 'meanwhile'`);
  });

  async function makeKey(more: object = {}): Promise<{ id: string; key: string }> {
    const { body } = await world.management
      .post('/management/keys')
      .send({
        ...{ type: 'api', name: 'k', project_id: world.project.projectId },
        ...{ permissions: ['api:address:read'], ...more },
      })
      .expect(201);
    return body;
  }

  const openLong = async (to = world, { key: text } = key): Promise<IncomingMessage> => {
    const answer = await open('/addresses', undefined, to, text);
    if (answer.statusCode === 200) answers.push(answer);
    return answer;
  };

  it('every row that stays is there once, while rows are added and removed', async () => {
    const before = (
      await world.db.query<{ id: string }>('SELECT id FROM addresses WHERE project_id = $1', [
        world.project.projectId,
      ])
    ).rows.map(({ id }) => id);
    const answer = await openLong();
    const { rows: gone } = await world.db.query<{ id: string }>(
      `DELETE FROM addresses WHERE id IN (SELECT id FROM addresses WHERE project_id = $1 AND metadata ? 'long' ORDER BY created_at LIMIT 100) RETURNING id`,
      [world.project.projectId],
    );
    await world.db.query(
      `INSERT INTO addresses (project_id, chain_family, address, display, kind, format, label, created_at)
       SELECT $1, 'evm', a, a, 'external', 'evm', 'meanwhile', now() - make_interval(days => n % 3)
       FROM (SELECT n, '0xbb' || lpad(to_hex(n), 38, '0') AS a FROM generate_series(1, 500) n) made`,
      [world.project.projectId],
    );
    const { text, isCut } = await readExport(answer);
    expect(isCut).toBe(false);
    const seen = toRecords(text).map(({ id }) => String(id));
    const removed = new Set(gone.map(({ id }) => id));
    const shown = new Set(seen);
    expect(shown.size).toBe(seen.length);
    expect(before.filter((id) => !removed.has(id) && !shown.has(id))).toEqual([]);
  });

  it('a client that stops reading stops the reading from the database', async () => {
    const counted = await startSpecWorld({ sharing: world });
    let reads = 0;
    const query = counted.db.query.bind(counted.db);
    Object.assign(counted.db, {
      query: (...args: Parameters<typeof query>) => {
        if (String(args[0]).includes('FROM addresses a')) reads += 1;
        return query(...args);
      },
    });
    const served = watchResponses(counted);
    const answer = await openLong(counted);
    // Once the buffers of both sides are full.
    await waitFor(() => served[0]!.writableNeedDrain);
    const before = reads;
    for (let count = 0; count < 20; count += 1)
      await counted.api.get('/addresses?sort_by=-address').expect(200);
    expect([reads, served[0]!.writableNeedDrain, served[0]!.writableLength < 1_048_576]).toEqual([
      before,
      true,
      true,
    ]);
    expect(await listOpenTransactions()).toEqual([]);
    const { text, isCut } = await readExport(answer);
    expect(reads).toBeGreaterThan(before);
    expect([isCut, toRecords(text).length]).toEqual([false, await countAddresses()]);
    await counted.stop();
  });

  it('ends with its key, cut off', async () => {
    const ending = await startSpecWorld({ sharing: world });
    const served = watchResponses(ending);
    const [revoked, expiring] = [
      await makeKey(),
      await makeKey({ expires_at: new Date(Date.now() + 5_000).toISOString() }),
    ];
    const cut = [await openLong(ending, revoked), await openLong(ending, expiring)];
    const stays = await openLong(ending);
    await world.management.delete(`/management/keys/${revoked.id}`).expect(204);
    await waitFor(() => served[0]!.destroyed && served[1]!.destroyed);
    for (const answer of cut) expect((await readExport(answer)).isCut).toBe(true);
    expect((await readExport(stays)).isCut).toBe(false);
    await ending.stop();
  });

  it('takes the places of exports where it is a stored document, and ends with its key too', async () => {
    const { rows } = await world.db.query<{ id: string }>(
      `INSERT INTO statements (project_id, request, format, status, address_count, size, sha256, signature, kid, started_at, finished_at)
       VALUES ($1, '{"addresses": [], "chain_gids": null, "from": "2026-10-01T00:00:00.000Z", "to": "2026-11-01T00:00:00.000Z"}', 'ndjson', 'completed', 1, 64000000, repeat('0', 64), 'AA==', 'spec', now(), now())
       RETURNING id`,
      [world.project.projectId],
    );
    // Zeros are small where they are stored, and many on the way.
    for (let index = 0; index < 64; index += 1)
      await world.db.query('INSERT INTO statement_parts (statement_id, index, bytes) VALUES ($1, $2, $3)', [
        ...[rows[0]!.id, index, gzipSync(Buffer.alloc(1_000_000))],
      ]);
    const ending = await startSpecWorld({ sharing: world });
    const served = watchResponses(ending);
    const revoked = await makeKey({ permissions: ['api:statement:read'] });
    const download = (): Promise<IncomingMessage> =>
      open(`/statements/${rows[0]!.id}/download`, '*/*', ending, revoked.key);
    const answers = [await download(), await download()];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
    expect((await download()).statusCode).toBe(429);
    await world.management.delete(`/management/keys/${revoked.id}`).expect(204);
    await waitFor(() => served[0]!.destroyed && served[1]!.destroyed);
    for (const answer of answers) expect((await readExport(answer)).isCut).toBe(true);
    await ending.stop();
  });

  it('is cut off when its rows cannot be read any more, and its place is free', async () => {
    const failing = await startSpecWorld({ sharing: world });
    const served = watchResponses(failing);
    const answer = await openLong(failing);
    await waitFor(() => served[0]!.writableNeedDrain);
    await world.db.query('ALTER TABLE address_histories RENAME TO gone');
    expect((await readExport(answer)).isCut).toBe(true);
    await waitFor(() => failing.failures.length > 0);
    expect(String(failing.failures)).toContain('address_histories');
    // Before the first byte it is a problem.
    const refused = await openLong(failing);
    expect([refused.statusCode, refused.headers['content-type']]).toEqual([
      500,
      'application/problem+json; charset=utf-8',
    ]);
    await world.db.query('ALTER TABLE gone RENAME TO address_histories');
    for (let count = 0; count < 2; count += 1) expect((await openLong(failing)).statusCode).toBe(200);
    for (const one of answers) one.destroy();
    await failing.stop();
  });

  it('a key has two over all replicas; the third is 429 until one of them is over', async () => {
    const redis = await startRedis();
    const caches = [createCache(redis.url), createCache(redis.url)];
    await waitFor(() => caches.every(({ isReady }) => isReady));
    const replicas = await Promise.all(
      caches.map((slots) => startSpecWorld({ sharing: world, feeds: { slots } })),
    );
    try {
      const [first] = [await openLong(replicas[0]), await openLong(replicas[1])];
      for (const to of replicas) {
        const refused = await openLong(to);
        expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '5']);
        refused.destroy();
        // Pages go on, and so do other keys.
        expect((await open('/addresses', 'application/json', to, key.key)).statusCode).toBe(200);
        (await openLong(to, await makeKey())).destroy();
      }
      first.destroy();
      await waitFor(async () => (await openLong(replicas[1])).statusCode === 200);
    } finally {
      for (const answer of answers) answer.destroy();
      await Promise.all(replicas.map((replica) => replica.stop()));
      await Promise.all(caches.map((cache) => cache.close()));
      await redis.stop();
    }
  });

  it('a workspace has twenty, however many keys it makes; others go on', async () => {
    const crowded = await startSpecWorld({ sharing: world });
    const keys = await Promise.all(Array.from({ length: 11 }, () => makeKey()));
    const statuses: number[] = [];
    for (const one of [...keys, ...keys]) {
      const answer = await openLong(crowded, one);
      statuses.push(answer.statusCode!);
      if (answer.statusCode !== 200) answer.destroy();
    }
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 200), 429, 429]);
    const other = await open('/addresses', undefined, crowded, world.otherProject.keys.api);
    expect([other.statusCode, (await readExport(other)).isCut]).toEqual([200, false]);
    answers[0]!.destroy();
    await waitFor(async () => (await openLong(crowded, keys[10]!)).statusCode === 200);
    for (const answer of answers) answer.destroy();
    await crowded.stop();
  });

  function watchResponses({ server }: SpecWorld): ServerResponse[] {
    const served: ServerResponse[] = [];
    server.on('request', (_req, res) => served.push(res));
    return served;
  }

  /** Of those who do nothing now: a statement alone ends with its answer. */
  async function listOpenTransactions(): Promise<unknown[]> {
    const { rows } = await world.db.query(
      `SELECT application_name, xact_start FROM pg_stat_activity
       WHERE datname = current_database() AND xact_start IS NOT NULL AND state LIKE 'idle in transaction%'`,
    );
    return rows;
  }

  async function countAddresses(): Promise<number> {
    const { rows } = await world.db.query<{ total: number }>(
      'SELECT count(*) AS total FROM addresses WHERE project_id = $1',
      [world.project.projectId],
    );
    return rows[0]!.total;
  }
});
