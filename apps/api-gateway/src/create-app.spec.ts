// SPDX-License-Identifier: Apache-2.0
import { createLogger } from '@chainwatch/platform/telemetry';
import { waitFor } from '@chainwatch/testing';
import { startSpecWorld } from './spec-support/spec-world.ts';
import type { SpecWorld } from './spec-support/spec-world.ts';

describe('what every route answers', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
  });
  afterAll(() => world.stop());

  const post = (path: string) => world.api.post(path).set('Content-Type', 'application/json');
  const problems: [
    string,
    number,
    string | undefined,
    () => PromiseLike<{ status: number; body: Record<string, unknown>; headers: Record<string, string> }>,
  ][] = [
    ['an unknown path', 404, undefined, () => world.api.get('/nothing')],
    ['a path outside of the base address', 404, undefined, () => world.send('get', '/elsewhere')],
    ['another media type', 415, undefined, () => world.api.post('/blockchains').type('text/plain').send('x')],
    [
      'a media type that is missing',
      415,
      undefined,
      () => world.api.post('/blockchains').set('Content-Type', '').send('x'),
    ],
    [
      'an unknown charset',
      415,
      undefined,
      () => post('/blockchains').set('Content-Type', 'application/json; charset=klingon').send('{}'),
    ],
    [
      'an unknown content encoding',
      415,
      undefined,
      () => post('/blockchains').set('Content-Encoding', 'zip').send('{}'),
    ],
    [
      'a body over the limit',
      413,
      undefined,
      () => post('/blockchains').send(JSON.stringify({ chain_gid: 'x'.repeat(300_000) })),
    ],
    ['malformed JSON', 400, 'body', () => post('/blockchains').send('{"chain_gid":')],
    ['no body', 400, 'chain_gid', () => world.api.post('/blockchains')],
    ['an array as body', 400, 'body', () => post('/blockchains').send('[]')],
    [
      'a body where none belongs',
      400,
      'body',
      () => post('/blockchains/eip155:1/actions/deactivate').send('{"a":1}'),
    ],
    [
      'an unknown member',
      400,
      'extra',
      () => post('/blockchains').send('{"chain_gid":"eip155:1","extra":1}'),
    ],
    [
      'a null character in the body',
      400,
      'label',
      () => post('/addresses/external').send('{"value":"x","chain_family":"evm","label":"a\\u0000b"}'),
    ],
    [
      'half a surrogate pair',
      400,
      'metadata.a',
      () => post('/addresses/external').send('{"value":"x","chain_family":"evm","metadata":{"a":"\\ud800"}}'),
    ],
    [
      'deep nesting',
      400,
      'metadata',
      () =>
        post('/addresses/external').send(
          `{"value":"x","chain_family":"evm","metadata":{"a":${'['.repeat(9_000)}${']'.repeat(9_000)}}}`,
        ),
    ],
    ['bad percent-encoding in the path', 400, 'path', () => world.api.get('/addresses/%E0%A4%A')],
    ['a null byte in the path', 400, 'path', () => world.api.get('/addresses/a%00b')],
    ['bad percent-encoding in the query', 400, 'query', () => world.api.get('/addresses?search=%zz')],
    ['a null byte in the query', 400, 'query', () => world.api.get('/addresses?search=%00')],
    ['an unknown query parameter', 400, 'limits', () => world.api.get('/addresses?limits=1')],
    ['a query parameter on a route without any', 400, 'verbose', () => world.api.get('/version?verbose=1')],
    ['a scalar twice', 400, 'limit', () => world.api.get('/addresses?limit=1&limit=2')],
    ['limit 0', 400, 'limit', () => world.api.get('/addresses?limit=0')],
    ['limit 101', 400, 'limit', () => world.api.get('/addresses?limit=101')],
    ['page 0', 400, 'page', () => world.api.get('/blocks?page=0')],
    ['a sort field that is none', 400, 'sort_by', () => world.api.get('/blocks?sort_by=hash')],
    ['a value that is not of the list', 400, 'statuses[1]', () => world.api.get('/blocks?statuses=new,old')],
    ['an over-long id', 400, 'address', () => world.api.get(`/addresses/${'a'.repeat(129)}`)],
    ['a chain id that is none', 400, 'chain_gid', () => world.api.get('/blockchains/ethereum')],
    [
      'an id that is no UUID',
      400,
      'notification_channel_id',
      () => world.api.get('/notification_channels/42'),
    ],
    ['an id that is no UUID, by the short path', 400, 'channel_id', () => world.api.get('/channels/42')],
    ['a URL without end', 400, 'path', () => world.api.get(`/addresses?search=${'a'.repeat(9_000)}`)],
  ];

  it.each(problems)('%s is a problem of status %i', async (_name, status, field, send) => {
    const response = await send();
    expect(response.status).toBe(status);
    expect(response.headers['content-type']).toMatch(/^application\/problem\+json/);
    expect(response.headers['x-request-id']).toBeDefined();
    expect(response.body).toMatchObject({
      status,
      type: expect.any(String),
      title: expect.any(String),
      instance: expect.any(String),
    });
    if (field !== undefined) {
      expect(response.body).toMatchObject({
        title: 'Invalid Request',
        type: 'https://docs.example.com/apis/problems/invalid-request',
      });
      expect(response.body.fields).toContainEqual({ name: field, reason: expect.any(String) });
    }
  });

  it.each([
    ['put', '/blockchains', 'GET, POST, HEAD'],
    ['delete', '/addresses/external', 'POST'],
    ['post', '/channels/00000000-0000-4000-8000-000000000000', 'GET, DELETE, HEAD'],
  ] as const)('%s %s is 405 with the methods there are', async (method, path, allow) => {
    const response = await world.api[method](path).expect(405);
    expect(response.headers.allow).toBe(allow);
  });

  it('keeps a request id that the client sent, and makes one up for what is no token', async () => {
    expect((await world.api.get('/version').set('X-Request-Id', 'abc-123')).headers['x-request-id']).toBe(
      'abc-123',
    );
    expect((await world.api.get('/version').set('X-Request-Id', 'a b')).headers['x-request-id']).toMatch(
      /^[0-9a-f-]{36}$/,
    );
  });

  it('writes the request id on every log line of a request, also behind the body and the database', async () => {
    const lines: Record<string, unknown>[] = [];
    const logger = createLogger({
      service: 'spec',
      level: 'debug',
      isReadable: false,
      destination: { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
    });
    const logging = await startSpecWorld({ sharing: world, app: { logger } });
    const deps = logging.deps as { bus: unknown; logger: unknown };
    deps.bus = { publish: () => Promise.reject(new Error('the bus is away')) };
    deps.logger = logger;
    try {
      await logging.api
        .post('/addresses/external')
        .set('X-Request-Id', 'one')
        .send({ value: '0xd8da6bf26964af9d7eed9e03e53415d37aa96045', chain_family: 'evm' })
        .expect(201);
      await logging.api.get('/addresses?search=hidden').set('X-Request-Id', 'two').expect(200);
      await waitFor(() => lines.length >= 3);
      expect(
        lines.map(({ msg, request_id, status, path }) => [msg, request_id, status, path]).sort(),
      ).toEqual([
        ['a request was answered', 'one', 201, '/v1/addresses/external'],
        ['a request was answered', 'two', 200, '/v1/addresses'],
        ['failed to announce changed addresses', 'one', undefined, undefined],
      ]);
    } finally {
      await logging.stop();
    }
  });

  it('takes lists repeated, comma-separated and mixed', async () => {
    await world.api.post('/blockchains').send({ chain_gid: 'eip155:1' });
    await world.api.post('/blockchains').send({ chain_gid: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' });
    for (const query of [
      'families=evm,solana',
      'families=evm&families=solana',
      'families=evm,bitcoin&families=solana',
    ]) {
      expect((await world.api.get(`/blockchains?${query}`)).body.meta).toEqual({
        limit: 20,
        page: 1,
        total: 2,
        total_pages: 1,
      });
    }
  });

  it('names every fault of a request in one answer', async () => {
    const { body } = await world.api.get('/blocks?limit=x&page=y&chain_gids=z').expect(400);
    expect(body.fields.map(({ name }: { name: string }) => name).sort()).toEqual([
      'chain_gids[0]',
      'limit',
      'page',
    ]);
  });
});
