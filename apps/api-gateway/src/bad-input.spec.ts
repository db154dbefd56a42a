import { Agent, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { problemDocumentSchema } from '@chainwatch/problem';
import { routeTable } from './route-table.ts';
import { hostileJson, nearlyValid } from './spec-arbitraries.ts';
import { accounts, bip84AsXpub, bodyOf } from './spec-public-keys.ts';
import { startSpecWorld } from './spec-world.ts';
import type { SpecWorld } from './spec-world.ts';

const address = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045';
const requestsPerRoute = Number(process.env.BAD_INPUT_RUNS ?? 40);

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

describe('hostile requests', () => {
  let world: SpecWorld;
  let port: number;
  let known: Record<string, string[]>;
  let publicKeyId: string;
  let sent = 0;
  const statuses = new Map<number, number>();
  const agent = new Agent({ keepAlive: true });

  beforeAll(async () => {
    world = await startSpecWorld({ allow: [] });
    port = (world.server.address() as AddressInfo).port;
    for (const gid of ['eip155:31337', 'eip155:1', 'bip122:000000000019d6689c085ae165831e93']) await world.api.post('/blockchains').send({ chain_gid: gid });
  });
  // Some requests are fine, and delete what is there.
  beforeEach(async () => {
    await world.api.post('/addresses/external').send({ value: address, chain_family: 'evm' });
    const { body: channel } = await world.api.post('/channels').send({ name: 'c', url: 'https://1.1.1.1/' }).expect(201);
    const { body: nats } = await world.api.post('/channels/nats').send({ name: 'n', url: 'nats://u:p@1.1.1.1', subject: 'a' }).expect(201);
    const { body: telegram } = await world.api.post('/channels/telegram').send({ name: 't', bot_token: '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsawx', chat_id: 1 }).expect(201);
    const { body: delivery } = await world.api.post(`/channels/${channel.id}/actions/test`).expect(202);
    const { body: publicKey } = await world.api.post('/public_keys').send(bodyOf(accounts.bip84));
    if (publicKey.id !== undefined) publicKeyId = publicKey.id;
    const { body: project } = await world.management.post('/management/projects').send({ name: 'p' }).expect(201);
    const { body: key } = await world.management.post('/management/keys').send({ type: 'api', name: 'k', project_id: project.id, permissions: ['api:address:read'] }).expect(201);
    const { body: member } = await world.management.post('/management/members').send({ email: `${project.id}@example.com`, role: 'owner' }).expect(201);
    known = {
      chain_gid: ['eip155:31337', 'eip155:1', 'eip155:2', 'bip122:000000000019d6689c085ae165831e93', 'tron:mainnet'],
      asset_path: ['slip44:60', 'slip44:0', `erc20:${address}`, 'token:x', 'erc20:%41'],
      address: [address, accounts.bip84.first, 'nope'],
      value: [address, accounts.bip84.first],
      channel_id: [channel.id, nats.id, telegram.id],
      delivery_id: [delivery.id],
      event_id: [delivery.event_id],
      subject: ['a.b', 'a.*', '$SYS.x'],
      bot_token: ['110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsawx'],
      project_id: [project.id, project.id, '00000000-0000-4000-8000-000000000000'],
      key_id: [key.id],
      member_id: [member.id],
      email: ['a@example.com', 'A@Example.com', `${'a'.repeat(60)}@example.com`, 'a@b', 'a b@example.com', '"a"@example.com', 'ä@example.com'],
      expires_at: ['2999-01-01T00:00:00Z', '2999-01-01T00:00:00+14:00', '2001-01-01T00:00:00Z', '9999-12-31T23:59:59-23:59'],
      since: ['0000-01-01T00:00:00Z', '2026-01-01T00:00:00Z', '9999-12-31T23:59:59Z'],
      until: ['0000-01-01T00:00:00Z', '2026-01-01T00:00:00Z', '9999-12-31T23:59:59Z'],
      public_key_id: [publicKeyId, publicKeyId, '00000000-0000-4000-8000-000000000000'],
      extended_public_key: [...Object.values(accounts).map(({ key }) => key), bip84AsXpub, accounts.bip84.key.slice(0, -1), accounts.bip84.key.replace('zpub', 'zprv')],
      derivation_path: [...Object.values(accounts).map(({ path }) => path), "m/84'/0'/1'", "m/84'/0'"],
      url: ['https://10.1.2.3/', 'https://1.1.1.1/hook', 'nats://1.1.1.1:4222', 'nats://%zz@1.1.1.1', 'tls://u:p@10.0.0.1', 'http://169.254.169.254/latest'],
      endpoint_url: ['http://10.1.2.3:8545', 'ws://127.0.0.1:8546'],
      evm_endpoint_url: ['http://10.1.2.3:8545'],
    };
  });
  afterAll(async () => {
    agent.destroy();
    await world.stop();
  });

  it.each(routeTable.map((route) => [`${route.method} ${route.path}`, route] as const))('%s never answers 5xx', async (_name, route) => {
    const { params, query, body } = route.schemas;
    const part = (schema: typeof params) => (schema ? nearlyValid(schema, known) : fc.constant<unknown>({}));
    const requests = fc.record({
      params: part(params),
      query: fc.oneof({ weight: 15, arbitrary: part(query) }, { weight: 1, arbitrary: hostileJson }),
      body: body ? fc.oneof({ weight: 15, arbitrary: nearlyValid(body, known) }, { weight: 1, arbitrary: hostileJson }) : rarely(hostileJson),
      mediaType: fc.oneof({ weight: 25, arbitrary: fc.constant('application/json') }, { weight: 1, arbitrary: fc.constantFrom('text/plain', 'application/json; charset=latin1', 'multipart/form-data', '', 'application/x-www-form-urlencoded') }),
      raw: rarely(fc.constantFrom('{', '{"a":', '[', '"\\ud800"', '{"__proto__":{"x":1}}', '\u0000', '['.repeat(100_000), 'nul', '{"a":1}{"b":2}', 'x'.repeat(300_000))),
      idempotencyKey: rarely(fc.constantFrom('a', 'b', '', ' ', 'x'.repeat(256), '\u00e9')),
      encoding: rarely(fc.constantFrom('gzip', 'br', 'identity', 'nonsense')),
    });
    await fc.assert(
      fc.asyncProperty(requests, async (attempt) => {
        const path = `/v1${fillPath(route.path, attempt.params)}${toQuery(attempt.query)}`;
        const text = attempt.raw ?? (attempt.body === undefined ? undefined : JSON.stringify(attempt.body));
        const key = world.project.keys[route.path.startsWith('/management/') ? 'management' : 'api'];
        const answer = await send(route.method, path, text, { 'x-api-key': key, 'content-type': attempt.mediaType, ...(attempt.idempotencyKey !== undefined && { 'idempotency-key': attempt.idempotencyKey }), ...(attempt.encoding && { 'content-encoding': attempt.encoding }) });
        expectClear(answer);
      }),
      { numRuns: requestsPerRoute },
    );
  });

  it('adds up to more than 2,000 requests, and the process answers as before', async () => {
    expect(sent).toBeGreaterThan(2_000);
    // Neither all refused at the door, nor all let through.
    for (const status of [200, 400, 404, 413, 415, 422]) expect(statuses.get(status)).toBeGreaterThan(0);
    expect(world.failures).toEqual([]);
    await world.api.get('/version').expect(200);
  });

  function expectClear(answer: Answer): void {
    expect(answer.status).toBeLessThan(500);
    // A head of more than 16 KiB reaches no route: the HTTP parser refuses it.
    if (answer.status === 431) return;
    expect(answer.headers['x-request-id']).toBeDefined();
    expect(answer.headers['x-ratelimit-remaining']).toBeDefined();
    if (answer.status < 400) return;
    expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
    const problem = problemDocumentSchema.parse(JSON.parse(answer.text));
    expect(problem.status).toBe(answer.status);
    if (answer.status === 400) expect(problem.fields?.length).toBeGreaterThan(0);
  }

  function send(method: string, path: string, body: string | undefined, headers: Record<string, string>): Promise<Answer> {
    sent += 1;
    return new Promise((resolve, reject) => {
      const { 'content-type': _type, 'content-encoding': _encoding, ...bare } = headers;
      const length = body === undefined ? bare : { ...headers, 'content-length': Buffer.byteLength(body) };
      const req = request({ host: '127.0.0.1', port, method, path, agent, headers: length }, (res) => {
        let text = '';
        res.setEncoding('utf8');
        res.on('data', (chunk: string) => (text += chunk));
        res.on('end', () => {
          const status = res.statusCode ?? 0;
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          resolve({ status, headers: res.headers, text });
        });
      });
      req.on('error', reject);
      req.end(body);
    });
  }
});

function rarely<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 25, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
}

function fillPath(path: string, params: unknown): string {
  const values = typeof params === 'object' && params !== null ? (params as Record<string, unknown>) : {};
  return path.replace(/:(\w+)/g, (_, name: string) => encode(values[name] ?? '%00'));
}

function toQuery(query: unknown): string {
  if (typeof query !== 'object' || query === null) return query === undefined ? '' : `?${encode(query)}`;
  const pairs = Object.entries(query).flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((entry: unknown) => `${encode(name)}=${encode(entry)}`));
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** Percent-encoded, except for what is broken percent-encoding itself: that is sent as it is. */
function encode(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return /^%[0-9a-z]{0,2}$/i.test(text) ? text : encodeURIComponent(Buffer.from(text).toString()).slice(0, 6_000);
}
