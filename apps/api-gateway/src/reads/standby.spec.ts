// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { createCache } from '@chainwatch/platform/cache';
import { createDatabase } from '@chainwatch/data/db';
import { waitFor } from '@chainwatch/testing';
import { readConfig } from '../config.ts';
import { buildDocument } from '../openapi/build-document.ts';
import { operations } from '../route-table.ts';
import { toRecords } from '../spec-support/open-export.ts';
import { accounts, bodyOf } from '../spec-support/public-keys.ts';
import { startReplica } from '../spec-support/replicas.ts';
import {
  startStandbyWorld,
  untilRead,
  STALENESS_MS,
  type StandbyWorld,
} from '../spec-support/standby-world.ts';
import { DATA_AS_OF } from './choose-server.ts';
import { openStandby } from './open-standby.ts';

const ADDRESS = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045';
const declared = Object.entries(operations).filter(([, { reads }]) => reads !== undefined);

let the: StandbyWorld;
let ids: Record<string, string>;
/** Of another key than those that write. */
let reader: string;
beforeAll(async () => {
  the = await startStandbyWorld(1);
  ids = await fill();
  await untilRead(the);
});
afterAll(() => the.stop());

async function fill(): Promise<Record<string, string>> {
  const { api, management, project, db } = the.world;
  await api.post('/blockchains').send({ chain_gid: 'eip155:1' }).expect(201);
  await api.post('/addresses/external').send({ value: ADDRESS, chain_family: 'evm' }).expect(201);
  const publicKey = await api.post('/public_keys').send(bodyOf(accounts.bip84)).expect(201);
  const channel = await api.post('/channels').send({ name: 'mine', url: 'https://1.1.1.1/' }).expect(201);
  const key = await management
    .post('/management/keys')
    .send({
      ...{ type: 'api', name: 'reader', project_id: project.projectId },
      permissions: ['api:address:read', 'api:address:write', 'api:event:read', 'api:statement:read'],
    })
    .expect(201);
  reader = key.body.key;
  const insert = async (text: string, values: unknown[]): Promise<string> =>
    (
      await db.query<{ id: string }>(
        `${text} RETURNING ${/event_log/.test(text) ? 'event_id' : 'id'} AS id`,
        values,
      )
    ).rows[0]!.id;
  const documents = [gzipSync('{"type":"statement"}\n'), gzipSync('{"type":"total"}\n')];
  const statement = await insert(
    `INSERT INTO statements (project_id, request, format, status, address_count, size, sha256, signature, kid, started_at, finished_at)
     VALUES ($1, $2, 'ndjson', 'completed', 1, 38, repeat('0', 64), 'AA==', 'spec', now(), now())`,
    [
      project.projectId,
      {
        addresses: [ADDRESS],
        chain_gids: null,
        from: '2026-10-01T00:00:00.000Z',
        to: '2026-11-01T00:00:00.000Z',
      },
    ],
  );
  for (const [index, bytes] of documents.entries())
    await db.query('INSERT INTO statement_parts (statement_id, index, bytes) VALUES ($1, $2, $3)', [
      statement,
      index,
      bytes,
    ]);
  return {
    ...{ chain_gid: 'eip155:1', address: ADDRESS, statement_id: statement },
    public_key_id: publicKey.body.id,
    notification_channel_id: channel.body.id,
    channel_id: channel.body.id,
    event_id: await insert(
      `INSERT INTO event_log (event_id, project_id, chain_gid, type, sequence, subject_kind, payload)
       VALUES (gen_random_uuid(), $1, 'eip155:1', 'transaction.detected', 1, 'tx.detected', '{}')`,
      [project.projectId],
    ),
    reconciliation_id: await insert(
      `INSERT INTO reconciliations (project_id, workspace_id, format, status, scope, include_fees, expires_at)
       VALUES ($1, $2, 'csv', 'completed', 'project', false, now() + interval '1 d')`,
      [project.projectId, project.workspaceId],
    ),
  };
}

const get = (path: string, headers: Record<string, string> = {}, key = reader) =>
  fetch(`http://127.0.0.1:${the.replicas[0]!.gateway.port}/v1${path}`, {
    headers: { 'x-api-key': key, ...headers },
  });
const read = async (path: string, key?: string) =>
  waitFor(
    async () => {
      const answer = await get(path, {}, key);
      return answer.headers.has(DATA_AS_OF) || answer.status !== 200 ? answer : undefined;
    },
    { timeoutMs: STALENESS_MS + 6_000, message: `${path} to be answered by the standby` },
  );
const totalOf = async (answer: Response): Promise<number> =>
  ((await answer.json()) as { meta: { total: number } }).meta.total;
const add = (value: number, key = reader) =>
  the.replicas[0]!.call('POST', '/addresses/external', {
    key,
    body: { value: `0x${value.toString(16).padStart(40, '0')}`, chain_family: 'evm', label: 'added' },
  });
const pause = () => askStandby('SELECT pg_wal_replay_pause()');
const resume = () => askStandby('SELECT pg_wal_replay_resume()');
async function askStandby(text: string): Promise<void> {
  const db = createDatabase({ url: the.standby.url, applicationName: 'spec' });
  await db.query(text);
  await db.close();
}

describe('a route that a standby may answer', () => {
  it('is every list with pages, statements, and statistics, and says so in the document', () => {
    const { paths } = buildDocument(operations, { namespaceLabel: 'svc' }) as unknown as {
      paths: Record<
        string,
        Record<
          string,
          {
            operationId: string;
            parameters: { name: string }[];
            responses: Record<string, { headers?: Record<string, unknown> }>;
          }
        >
      >;
    };
    const described = Object.values(paths).flatMap((path) => Object.values(path));
    const others = ['getStatement', 'downloadStatement', 'getStats', 'getStatsSeries'];
    const expected = described
      .filter(
        ({ operationId, parameters }) =>
          parameters.some(({ name }) => name === 'cursor') || others.includes(operationId),
      )
      .map(({ operationId }) => operationId);
    const telling = described
      .filter(({ responses }) => responses['200']?.headers?.[DATA_AS_OF] !== undefined)
      .map(({ operationId }) => operationId);
    expect(expected.length).toBeGreaterThan(30);
    expect(declared.map(([id]) => id).sort()).toEqual(expected.sort());
    expect(telling.sort()).toEqual(expected);
  });

  it.each(declared)('%s is answered by it', async (_, route) => {
    const path = route.path.replace(/:(\w+)/g, (_match, name: string) => ids[name] ?? `none-${name}`);
    const { keys } = the.world.project;
    const key = path.startsWith('/management/') ? keys.management : keys.api;
    const answer = await read(path, key);
    expect(answer.status).toBe(200);
    const asOfMs = Date.parse(answer.headers.get(DATA_AS_OF)!);
    expect(Date.now() - asOfMs).toBeLessThan(STALENESS_MS + 500);
    await answer.text();
  });

  it('shows what the standby has; the primary, where a current answer is asked for, the caller wrote, or it reads on from a position', async () => {
    await read('/addresses');
    await pause();
    try {
      const before = await totalOf(await read('/addresses'));
      expect((await add(1, the.world.project.keys.api)).status).toBe(201);
      const old = await get('/addresses');
      expect([await totalOf(old), old.headers.has(DATA_AS_OF)]).toEqual([before, true]);
      for (const control of ['no-cache', 'max-age=5, No-Cache']) {
        const current = await get('/addresses', { 'cache-control': control });
        expect([await totalOf(current), current.headers.has(DATA_AS_OF)]).toEqual([before + 1, false]);
      }
      const own = await get('/addresses', {}, the.world.project.keys.api);
      expect([await totalOf(own), own.headers.has(DATA_AS_OF)]).toEqual([before + 1, false]);
      expect((await get('/events?after=0')).headers.has(DATA_AS_OF)).toBe(false);
      // What is not there yet at the standby is there: the primary says what is missing.
      const added = `0x${'1'.padStart(40, '0')}`;
      const found = await get(`/addresses/${added}/adjustments`);
      expect([found.status, found.headers.has(DATA_AS_OF)]).toEqual([200, false]);
      expect((await get('/addresses?cursor=none')).status).toBe(400);
      // It stays paused: nothing is read from it that is older than it may be.
      await delay(STALENESS_MS);
      const late = await get('/addresses');
      expect([await totalOf(late), late.headers.has(DATA_AS_OF)]).toEqual([before + 1, false]);
      expect((await the.replicas[0]!.gateway.readiness()).standby).toMatchObject({
        ok: true,
        reason: expect.stringMatching(/^not read: it is behind/) as string,
      });
    } finally {
      await resume();
    }
  });

  it('shows a portal session what its key wrote right before', async () => {
    await untilRead(the);
    await pause();
    try {
      const { api } = the.world.project.keys;
      const call = the.replicas[0]!.call;
      const channel = { name: 'p', url: 'https://1.1.1.1/' };
      const made = await call('POST', '/channels', { key: api, body: channel });
      const { id } = (await made.json()) as { id: string };
      const asked = { channel_ids: [id], ttl_seconds: 600 };
      const session = await call('POST', '/portal_sessions', { key: api, body: asked });
      const token = ((await session.json()) as { url: string }).url.split('#')[1]!;
      const answer = await fetch(`http://127.0.0.1:${the.replicas[0]!.gateway.port}/v1/channels`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const { items } = (await answer.json()) as { items: { id: string }[] };
      expect([answer.status, items.map((item) => item.id)]).toEqual([200, [id]]);
    } finally {
      await resume();
    }
  });

  it('goes on with a list from page to page, whoever answers', async () => {
    await untilRead(the);
    for (let value = 100; value < 107; value += 1) await add(value, the.world.project.keys.api);
    await delay(1_500);
    const seen: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    const servers = new Set<boolean>();
    do {
      const control: Record<string, string> = pages % 2 === 0 ? {} : { 'cache-control': 'no-cache' };
      const answer = await get(
        `/addresses?limit=2${cursor === undefined ? '' : `&cursor=${cursor}`}`,
        control,
      );
      servers.add(answer.headers.has(DATA_AS_OF));
      const { items, meta } = (await answer.json()) as {
        items: { address: string }[];
        meta: { next_cursor?: string; total: number };
      };
      seen.push(...items.map(({ address }) => address));
      cursor = meta.next_cursor;
      pages += 1;
      expect(meta.total).toBe(await totalOf(await get('/addresses', { 'cache-control': 'no-cache' })));
    } while (cursor !== undefined);
    expect(servers.size).toBe(2);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.length).toBe(await totalOf(await get('/addresses', { 'cache-control': 'no-cache' })));
  });
});

describe('what is read while it is sent', () => {
  it('goes on at the primary when the standby is gone', async () => {
    const rows = 4_000;
    const { db, project } = the.world;
    await db.query(
      `INSERT INTO addresses (project_id, chain_family, address, display, kind, format, metadata)
       SELECT $1, 'evm', '0xbb' || lpad(i::text, 38, '0'), '0xbb' || lpad(i::text, 38, '0'), 'external', 'evm', jsonb_build_object('x', repeat('y', 6000))
       FROM generate_series(1, ${rows}) i`,
      [project.projectId],
    );
    await untilRead(the);
    await delay(1_500);
    const answer = await read('/addresses').then(async (first) => {
      await first.text();
      return get('/addresses', { accept: 'application/x-ndjson' });
    });
    expect(answer.headers.has(DATA_AS_OF)).toBe(true);
    const body = answer.body!.getReader();
    const chunks = [(await body.read()).value!];
    the.standby.signal('SIGKILL');
    await waitFor(async () => !(await the.isRead()));
    for (let part = await body.read(); !part.done; part = await body.read()) chunks.push(part.value);
    const records = toRecords(Buffer.concat(chunks).toString());
    const total = await totalOf(await get('/addresses', { 'cache-control': 'no-cache' }));
    expect(total).toBeGreaterThan(rows);
    expect(new Set(records.map(({ address }) => address)).size).toBe(total);
    await the.standby.restart();
    await untilRead(the);
  }, 60_000);
});

it('a standby that nobody reaches keeps nothing from starting', async () => {
  const nowhere = openStandby({
    ...{ url: 'postgres://nobody@127.0.0.1:1/none', primaryUrl: the.world.databaseUrl },
    ...{ applicationName: 'spec', stalenessMs: STALENESS_MS, isPrepared: true, poolSizes: [2, 2] },
    statementTimeoutMs: 5_000,
    logger: { info: () => undefined, warn: () => undefined },
  });
  const cache = createCache(undefined);
  const replica = await startReplica(the.world, the.natsUrl, { cache, standby: nowhere });
  const answer = await replica.call('GET', '/addresses', { key: reader });
  expect([answer.status, answer.headers.has(DATA_AS_OF)]).toEqual([200, false]);
  await waitFor(async () =>
    /no answer: .*ECONNREFUSED/.test(JSON.stringify((await replica.gateway.readiness()).standby)),
  );
  await replica.stop();
  await Promise.all([nowhere.close(), cache.close()]);
});

it.each([
  ['DATABASE_READ_URL', 'mysql://db', /DATABASE_READ_URL: expected a URL that starts with postgres/],
  ['READ_STALENESS', '500ms', /READ_STALENESS: expected at least 1s/],
])('%s=%s stops the start', (name, value, message) => {
  const env = {
    DATABASE_URL: 'postgres://db/x',
    SECRETS_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
    [name]: value,
  };
  expect(() => readConfig(env)).toThrow(message);
});
