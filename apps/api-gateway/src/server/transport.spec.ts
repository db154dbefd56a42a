// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../spec-support/spec-world.ts';
import type { SpecWorld } from '../spec-support/spec-world.ts';

const page = 'https://app.example.com';

/** What holds for every answer, whoever asks for what. */
describe('answers to browsers, through proxies, in time', () => {
  let closed: SpecWorld;
  let open: SpecWorld;
  /** A world with short time-outs, for one case each: on a busy machine everything else would be too slow for them. */
  let hurried: SpecWorld;
  let impatient: SpecWorld;
  beforeAll(async () => {
    closed = await startSpecWorld();
    open = await startSpecWorld({
      sharing: closed,
      app: { corsOrigins: [page, 'http://localhost:5173'], trustedProxies: 1 },
    });
    hurried = await startSpecWorld({ sharing: closed, app: { requestTimeoutMs: 300, corsOrigins: ['*'] } });
    impatient = await startSpecWorld({ sharing: closed, statementTimeoutMs: 300 });
  });
  afterAll(async () => {
    for (const world of [impatient, hurried, open, closed]) await world.stop();
  });

  const corsHeaders = (headers: Record<string, string>): string[] =>
    Object.keys(headers).filter((name) => name.startsWith('access-control-'));

  it.each<[string, number, () => PromiseLike<{ status: number; headers: Record<string, string> }>]>([
    ['success', 200, () => open.api.get('/version')],
    ['a missing key', 401, () => open.send('get', '/v1/version')],
    ['a missing permission', 403, () => open.send('get', '/v1/addresses', open.project.keys.rpc)],
    ['an unknown path', 404, () => open.api.get('/nothing')],
    ['an unknown path outside', 404, () => open.send('get', '/elsewhere')],
    ['another method', 405, () => open.api.put('/addresses')],
    ['too large a body', 413, () => open.api.post('/blockchains').send({ chain_gid: 'x'.repeat(300_000) })],
    ['the document', 200, () => open.send('get', '/openapi.json')],
    [
      'a preflight',
      204,
      () =>
        open.send('options', '/v1/addresses').set({ Origin: page, 'Access-Control-Request-Method': 'GET' }),
    ],
    [
      'a refused preflight',
      401,
      () =>
        open
          .send('options', '/v1/addresses')
          .set({ Origin: 'https://evil.example', 'Access-Control-Request-Method': 'GET' }),
    ],
  ])('%s (%i) carries the limits, its id and the security headers', async (_name, status, send) => {
    const answer = await send();
    expect(answer.status).toBe(status);
    for (const name of ['limit', 'remaining', 'reset'])
      expect(answer.headers[`x-ratelimit-${name}`]).toMatch(/^\d+$/);
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(answer.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'content-security-policy': expect.stringMatching(/^default-src 'none';.*frame-ancestors 'none'$/),
      'strict-transport-security': 'max-age=31536000',
      vary: 'Origin',
    });
    expect(answer.headers['x-powered-by']).toBeUndefined();
  });

  it('answers a conditional request in whole', async () => {
    for (const [name, value] of [
      ['If-None-Match', '*'],
      ['If-Modified-Since', new Date().toUTCString()],
      ['Range', 'bytes=0-1'],
    ] as const) {
      expect((await closed.api.get('/version').set(name, value).expect(200)).body.api_version).toBe('v1');
    }
  });

  it('lets no page of another origin in by default', async () => {
    const preflight = await closed
      .send('options', '/v1/addresses')
      .set({ Origin: page, 'Access-Control-Request-Method': 'GET' })
      .expect(401);
    const answer = await closed.api.get('/version').set('Origin', page).expect(200);
    for (const { headers } of [preflight, answer])
      expect([corsHeaders(headers), headers.vary, headers['cross-origin-resource-policy']]).toEqual([
        [],
        undefined,
        'same-origin',
      ]);
  });

  it('an OPTIONS that asks for no preflight is 405, on paths with large bodies too', async () => {
    for (const path of ['/v1/addresses', '/v1/addresses/external/batch']) {
      const { headers } = await open.send('options', path, open.project.keys.api).expect(405);
      expect(headers.allow).toContain(path === '/v1/addresses' ? 'GET' : 'POST');
    }
  });

  it('lets pages of the origins in that are configured, to what they need', async () => {
    const preflight = await open
      .send('options', '/v1/addresses/external')
      .set({
        Origin: page,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'x-api-key',
      })
      .expect(204);
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': page,
      'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers': 'X-Api-Key, Content-Type, Idempotency-Key, X-Request-Id, Cache-Control',
      'access-control-max-age': '600',
    });
    for (const send of [
      open.api.get('/version'),
      open.send('get', '/v1/version'),
      open.api.get('/nothing'),
    ]) {
      const { headers } = await send.set('Origin', page);
      expect(headers['access-control-allow-origin']).toBe(page);
      expect(headers['access-control-expose-headers']).toBe(
        'X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, Idempotency-Replayed, X-Data-As-Of, Allow',
      );
      expect(headers['access-control-allow-credentials']).toBeUndefined();
    }
    for (const origin of [
      'https://app.example.com.evil.example',
      'http://app.example.com',
      'null',
      `${page}:444`,
    ]) {
      expect(corsHeaders((await open.api.get('/version').set('Origin', origin).expect(200)).headers)).toEqual(
        [],
      );
    }
    expect(
      (await hurried.send('get', '/openapi.json').set('Origin', 'https://anybody.example').expect(200))
        .headers['access-control-allow-origin'],
    ).toBe('*');
  });

  it('believes X-Forwarded-For as far as configured, and no text that is no address', async () => {
    for (const world of [closed, open]) world.limits.failedPerClient = 2;
    /** What is left of two; -1: refused. */
    const guess = async (world: SpecWorld, forwarded: string): Promise<number> => {
      const { status, headers } = await world
        .send('get', '/v1/version', 'guess')
        .set('X-Forwarded-For', forwarded);
      return status === 429 ? -1 : Number(headers['x-ratelimit-remaining']);
    };
    expect([
      await guess(closed, '198.51.100.1'),
      await guess(closed, '198.51.100.2'),
      await guess(closed, '2001:db8::1'),
    ]).toEqual([1, 0, -1]);
    expect(await guess(open, '198.51.100.1')).toBe(1);
    expect(await guess(open, '203.0.113.9, 198.51.100.2')).toBe(1);
    // Entries before the last one were written by the client itself.
    expect(await guess(open, '203.0.113.10, 198.51.100.2')).toBe(0);
    expect(await guess(open, '203.0.113.11, 198.51.100.2')).toBe(-1);
    // One network, one client; IPv4 in IPv6 is IPv4.
    expect(await guess(open, '2001:db8:1:2::1')).toBe(1);
    expect(await guess(open, '2001:0DB8:1:2:ffff:1:2:3')).toBe(0);
    expect(await guess(open, '2001:db8:1:3::1')).toBe(1);
    expect(await guess(open, '::ffff:198.51.100.1')).toBe(0);
    expect([
      await guess(open, 'unknown'),
      await guess(open, '_hidden'),
      await guess(open, '1.2.3.4.5'),
    ]).toEqual([1, 0, -1]);
    // A key of its own is not refused for the failures of others at its address.
    await closed.api.get('/version').expect(200);
    for (const world of [closed, open]) world.limits.failedPerClient = 1_000_000;
  });

  it('limits what needs no key by client', async () => {
    open.limits.publicPerClient = 2;
    try {
      const get = () => open.send('get', '/openapi.json').set('X-Forwarded-For', '198.51.100.77');
      await get().expect(200);
      await open
        .send('options', '/v1/addresses')
        .set({ Origin: page, 'Access-Control-Request-Method': 'GET', 'X-Forwarded-For': '198.51.100.77' })
        .expect(204);
      expect((await get().expect(429)).body).toMatchObject({ title: 'Too Many Requests', status: 429 });
      await open.send('get', '/openapi.json').set('X-Forwarded-For', '198.51.100.78').expect(200);
    } finally {
      open.limits.publicPerClient = 1_000_000;
    }
  });

  it('is 503 when the database or a handler takes too long', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const held = new Promise<void>((resolve) => {
      void closed.db.transaction(async (sql) => {
        await sql.query('SET LOCAL idle_in_transaction_session_timeout = 0');
        await sql.query('LOCK TABLE blockchains, notification_channels');
        resolve();
        await released;
      });
    });
    await held;
    try {
      const answers = [
        await impatient.api.get('/blockchains/eip155:1'),
        await impatient.api.post('/channels').send({ name: 'x', url: 'https://1.1.1.1/' }),
        await hurried.api.get('/blockchains'),
      ];
      for (const { status, headers, body } of answers)
        expect([status, headers['retry-after'], body.type]).toEqual([
          503,
          '1',
          'https://api.example.com/problems/service-unavailable',
        ]);
      expect(answers[2]!.body.detail).toBe(
        'The request took longer than 0.3 s; it may still be carried out.',
      );
    } finally {
      release();
    }
    expect([...impatient.failures, ...hurried.failures]).toEqual([]);
  });
});
