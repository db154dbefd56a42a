// SPDX-License-Identifier: Apache-2.0
import { startSpecNode, type SpecNode } from './spec-node.ts';
import { startSpecWorld, type SpecWorld } from './spec-world.ts';
import { waitFor } from '@chainwatch/testing';
import type { RpcProxy, RpcProxyOptions } from './start-rpc-proxy.ts';

const PAGE = 'https://app.example.com';
const BODY = '{"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":[]}';

type Gateway = RpcProxy & { readonly url: string };

let world: SpecWorld;
let node: SpecNode;
beforeAll(async () => {
  world = await startSpecWorld();
  node = await startSpecNode();
});
afterAll(async () => {
  await world.stop();
  await node.stop();
  expect(world.failures).toEqual([]);
});

async function open(
  corsOrigins: readonly string[],
  options: Partial<RpcProxyOptions> = {},
): Promise<Gateway> {
  const gateway = await world.open({ 'eip155:1': [node.url] }, { corsOrigins, ...options });
  await waitFor(() =>
    gateway.directory.find('ethereum')!.upstreams.every(({ isChecked, isDown }) => isChecked && !isDown),
  );
  return gateway;
}

const preflight = (gateway: Gateway, origin = PAGE, path = '/ethereum'): Promise<Response> =>
  fetch(gateway.url + path, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type,x-api-key',
    },
  });
const post = (gateway: Gateway, headers: Record<string, string>): Promise<Response> =>
  fetch(`${gateway.url}/ethereum`, {
    method: 'POST',
    body: BODY,
    headers: { 'content-type': 'application/json', ...headers },
  });
const told = ({ headers }: Response): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => /^(access-control-|vary|cross-origin|www-)/.test(name)));

it.each([
  ['is named', [PAGE, 'https://b.example'], PAGE, { vary: 'Origin' }],
  ['is any', ['*'], '*', {}],
])(
  'a page whose origin %s asks without a key, calls with one, and sees why it may not',
  async (_how, origins, allowed, vary) => {
    const gateway = await open(origins);
    const asked = await preflight(gateway);
    expect([asked.status, await asked.text(), told(asked)]).toEqual([
      204,
      '',
      {
        ...vary,
        'access-control-allow-origin': allowed,
        'access-control-allow-methods': 'POST, GET',
        'access-control-allow-headers': 'Content-Type, X-Api-Key, Authorization',
        'access-control-max-age': '600',
        'cross-origin-resource-policy': 'cross-origin',
      },
    ]);
    const exposed = {
      ...vary,
      'access-control-allow-origin': allowed,
      'access-control-expose-headers':
        'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After',
      'cross-origin-resource-policy': 'cross-origin',
    };
    const called = await post(gateway, { origin: PAGE, 'x-api-key': world.project.keys.rpc });
    expect([called.status, told(called)]).toEqual([200, exposed]);
    const refused = await post(gateway, { origin: PAGE });
    expect([refused.status, told(refused)]).toEqual([401, exposed]);
    expect(told(await fetch(gateway.url, { headers: { origin: PAGE } }))).toEqual(exposed);
  },
);

it('a page of another origin is told nothing, nor is a client without one', async () => {
  const gateway = await open([PAGE]);
  const asked = await preflight(gateway, 'https://evil.example');
  expect([asked.status, told(asked)]).toEqual([401, { vary: 'Origin' }]);
  expect(
    told(await post(gateway, { origin: 'https://evil.example', 'x-api-key': world.project.keys.rpc })),
  ).toEqual({ vary: 'Origin' });
  expect(told(await post(gateway, { 'x-api-key': world.project.keys.rpc }))).toEqual({});
});

it('no page may call where no origin is named', async () => {
  const gateway = await open([]);
  const asked = await preflight(gateway);
  expect([asked.status, told(asked)]).toEqual([401, {}]);
  expect(told(await post(gateway, { origin: PAGE, 'x-api-key': world.project.keys.rpc }))).toEqual({});
});

it('preflights count for the address: what is more is 429, and no call is concerned', async () => {
  const gateway = await open(['*'], {
    limits: { perKey: 1_000, failedPerClient: 1_000, publicPerClient: 3 },
  });
  const statuses: number[] = [];
  for (let index = 0; index < 4; index += 1) statuses.push((await preflight(gateway)).status);
  expect(statuses).toEqual([204, 204, 204, 429]);
  const last = await preflight(gateway);
  expect([last.headers.get('retry-after'), last.headers.get('access-control-allow-origin')]).toEqual([
    expect.stringMatching(/^\d+$/),
    '*',
  ]);
  expect((await post(gateway, { origin: PAGE, 'x-api-key': world.project.keys.rpc })).status).toBe(200);
});
