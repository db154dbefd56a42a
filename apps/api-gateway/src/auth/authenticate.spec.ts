// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { generateApiKey, hashApiKey } from '@chainwatch/common/api-key';
import { createKeyStore } from '@chainwatch/data/key-store';
import { startSpecWorld } from '../spec-support/spec-world.ts';
import type { SpecWorld } from '../spec-support/spec-world.ts';

describe.each(['svc', 'acmeo'])('authentication under the label %s', (label) => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld({ label });
  });
  afterAll(() => world.stop());

  it('lets a valid key in, and remembers that it was used', async () => {
    const response = await world.api.get('/version').expect(200);
    expect(response.headers['x-ratelimit-limit']).toBe('1000000');
    const { rows } = await world.db.query(
      'SELECT count(*) AS used FROM api_keys WHERE last_used_at IS NOT NULL',
    );
    expect(rows[0].used).toBe(1);
  });

  const valid = () => world.project.keys.api;
  it.each<[string, () => string | undefined]>([
    ['no key', () => undefined],
    ['an empty one', () => ''],
    ['one with a wrong checksum', () => valid().slice(0, -1) + (valid().endsWith('0') ? '1' : '0')],
    ['one of another label', () => generateApiKey({ label: 'other', type: 'api', randomBytes })],
    ['an unknown one', () => generateApiKey({ label, type: 'api', randomBytes })],
    ['one with more behind it', () => `${valid()}x`],
  ])('refuses %s', async (_name, key) => {
    const response = await world.send('get', '/v1/version', key());
    expect(response.status).toBe(401);
    expect(response.headers['content-type']).toMatch(/^application\/problem\+json/);
    expect(response.headers['x-ratelimit-limit']).toBe('1000000');
    expect(response.body).toMatchObject({
      type: 'https://docs.example.com/errors/unauthorized',
      title: 'Unauthorized',
      status: 401,
      instance: '/v1/version',
    });
  });

  it.each<[string, (key: string) => [query: string, headers: Record<string, string>]]>([
    ['?api-key=', (key) => [`?api-key=${key}`, {}]],
    ['Authorization: Bearer', (key) => ['', { authorization: `Bearer ${key}` }]],
    [
      'the password of Basic',
      (key) => ['', { authorization: `Basic ${Buffer.from(`user:${key}`).toString('base64')}` }],
    ],
  ])('takes no valid key in %s: 401, without a challenge', async (_place, place) => {
    const [query, headers] = place(valid());
    const answer = await world.send('get', `/v1/addresses${query}`).set(headers).expect(401);
    expect(answer.headers['www-authenticate']).toBeUndefined();
    expect(answer.text).not.toContain(valid());
  });

  it('asks for a key before it tells which paths there are', async () => {
    await world.send('get', '/v1/nothing').expect(401);
  });

  it('refuses an expired key', async () => {
    const key = generateApiKey({ label, type: 'api', randomBytes });
    await insertKey(world, key, new Date(Date.now() - 1));
    await world.send('get', '/v1/version', key).expect(401);
  });

  it('forgets a key at once when told, and by itself within 10 seconds', async () => {
    let nowMs = Date.now();
    const keys = createKeyStore({ db: world.db, now: () => nowMs });
    const pushed = generateApiKey({ label, type: 'api', randomBytes });
    const silent = generateApiKey({ label, type: 'api', randomBytes });
    for (const key of [pushed, silent]) {
      await insertKey(world, key, null);
      expect(await keys.findPrincipal(key)).toMatchObject({
        projectId: world.project.projectId,
        keyType: 'api',
      });
    }
    await world.db.query('UPDATE api_keys SET revoked_at = now() WHERE key_hash = ANY ($1)', [
      [pushed, silent].map((key) => Buffer.from(hashApiKey(key))),
    ]);
    keys.revoke(Buffer.from(hashApiKey(pushed)).toString('hex'));
    expect(await keys.findPrincipal(pushed)).toBeUndefined();
    expect(await keys.findPrincipal(silent)).toBeDefined();
    nowMs += 10_000;
    expect(await keys.findPrincipal(silent)).toBeUndefined();
  });

  it('ends a key when it was told to, whether it is cached, being looked up or not known yet', async () => {
    let nowMs = Date.now();
    const [cached, looked, later] = [1, 2, 3].map(() =>
      generateApiKey({ label, type: 'api', randomBytes }),
    ) as [string, string, string];
    for (const key of [cached, looked, later]) await insertKey(world, key, null);
    let tell = (): void => undefined;
    const db = {
      query: ((...query: [string, unknown[]]) => {
        tell();
        return world.db.query(...query);
      }) as typeof world.db.query,
    };
    const keys = createKeyStore({ db, now: () => nowMs });
    const end = (key: string, endsAtMs?: number) =>
      keys.revoke(Buffer.from(hashApiKey(key)).toString('hex'), endsAtMs);
    expect(await keys.findPrincipal(cached)).toBeDefined();
    end(cached, nowMs + 3_000);
    tell = () => end(looked, nowMs + 3_000);
    expect(await keys.findPrincipal(looked)).toBeDefined();
    end(later, nowMs + 3_000);
    // A later end never takes back an earlier one.
    end(later, nowMs + 9_000);
    nowMs += 2_999;
    for (const key of [cached, looked, later]) expect(await keys.findPrincipal(key)).toBeDefined();
    nowMs += 1;
    for (const key of [cached, looked, later]) expect(await keys.findPrincipal(key)).toBeUndefined();
    end(cached);
    expect(await keys.findPrincipal(cached)).toBeUndefined();
  });

  it('does not honor a key past its end although it is cached', async () => {
    let nowMs = Date.now();
    const keys = createKeyStore({ db: world.db, now: () => nowMs });
    const key = generateApiKey({ label, type: 'api', randomBytes });
    await insertKey(world, key, new Date(nowMs + 2_000));
    expect(await keys.findPrincipal(key)).toBeDefined();
    nowMs += 2_000;
    expect(await keys.findPrincipal(key)).toBeUndefined();
  });

  it('refuses a key, and a client that guesses keys, when they ask too often', async () => {
    Object.assign(world.limits, { perKey: { api: 3, rpc: 1, mgt: 2 }, failedPerClient: 2 });
    const remaining: unknown[] = [];
    for (let i = 0; i < 3; i += 1)
      remaining.push((await world.api.get('/version').expect(200)).headers['x-ratelimit-remaining']);
    expect(remaining).toEqual(['2', '1', '0']);
    const refused = await world.api.get('/version').expect(429);
    expect(refused.body).toMatchObject({
      type: 'https://docs.example.com/apis/problems/rate-limit',
      title: 'Too Many Requests',
    });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(refused.headers['x-ratelimit-reset'])).toBeGreaterThan(Date.now() / 1000);
    await world.other.get('/version').expect(200);
    for (const [type, limit] of [
      ['rpc', 1],
      ['management', 2],
    ] as const) {
      for (let i = 0; i < limit; i += 1)
        expect(
          (await world.send('get', '/v1/version', world.project.keys[type]).expect(200)).headers[
            'x-ratelimit-limit'
          ],
        ).toBe(String(limit));
      await world.send('get', '/v1/version', world.project.keys[type]).expect(429);
    }
    for (let i = 0; i < 2; i += 1) await world.send('get', '/v1/version', 'guess').expect(401);
    await world.send('get', '/v1/version', 'guess').expect(429);
  });
});

function insertKey(world: SpecWorld, key: string, expiresAt: Date | null) {
  return world.db.query(
    `INSERT INTO api_keys (type, workspace_id, project_id, name, mask, key_hash, permissions, expires_at) VALUES ('api', $1, $2, 'spec', 'spec', $3, '{}', $4)`,
    [world.project.workspaceId, world.project.projectId, Buffer.from(hashApiKey(key)), expiresAt],
  );
}
