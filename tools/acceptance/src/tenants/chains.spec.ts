// SPDX-License-Identifier: Apache-2.0
import { startAnvil, type AnvilHandle } from '@chainwatch/testing';
import { deployToken } from '../../../../apps/api-gateway/src/spec-support/tokens.ts';
import { connectAs, type Client } from '../interface/client.ts';
import { TenantsStack } from './tenants-stack.ts';

// What all workspaces share, chains and assets, and a key of another workspace at the API of the production bundle.

const CHAIN = 'eip155:31337';
const NATIVE = `${CHAIN}/slip44:60`;

const stack = new TenantsStack();
let anvil: AnvilHandle;
/** A node of the same chain id that says what its owner wants. */
let forged: AnvilHandle;
let victim: Client;
let attacker: Client;

beforeAll(async () => {
  [anvil, forged] = await Promise.all([startAnvil(), startAnvil()]);
  await stack.start(['api-gateway']);
  victim = connectAs(stack.apiUrl, stack.victim.keys.api);
  attacker = connectAs(stack.apiUrl, stack.attacker.keys.api);
  for (const [status, method, path, body] of [
    [201, 'POST', '/blockchains', { chain_gid: CHAIN }],
    [200, 'PATCH', `/blockchains/${CHAIN}/evm`, { endpoint_url: anvil.url }],
    [200, 'POST', `/blockchains/${CHAIN}/actions/activate`, undefined],
  ] as const)
    expect([path, (await victim(method, path, body)).status]).toEqual([path, status]);
});
afterAll(async () => {
  await stack.stop();
  await Promise.all([anvil, forged].map((node) => node?.stop()));
});

/** What the victim sees of what is shared, and what stands in the chain's row. */
async function readShared(): Promise<unknown> {
  const lists = await Promise.all(
    [
      '/blockchains',
      `/blockchains/${CHAIN}`,
      '/assets?sort_by=gid',
      '/assets?is_archived=true',
      '/tokens?sort_by=gid',
      `/tokens/${NATIVE}`,
    ].map(async (path) => {
      const { status, body } = await victim('GET', path);
      return [path, status, body];
    }),
  );
  return [lists, (await stack.db.query('SELECT * FROM blockchains ORDER BY gid')).rows];
}

describe('a key of another workspace', () => {
  it('archives an asset for its own project alone', async () => {
    const before = await readShared();
    for (const action of ['archive', 'restore']) {
      expect([action, (await attacker('POST', `/assets/${NATIVE}/actions/${action}`)).status]).toEqual([
        action,
        204,
      ]);
      expect(await readShared()).toEqual(before);
    }
  });

  it.each(['', 'which was given the permission once'])('deactivates no chain: 403 %s', async (given) => {
    if (given !== '')
      await stack.db.query(
        `UPDATE api_keys SET permissions = array_append(permissions, 'api:blockchain:write') WHERE project_id = $1`,
        [stack.attacker.projectId],
      );
    const before = await readShared();
    for (const action of ['deactivate', 'activate', 'reprocess', 'reset']) {
      const { status, body } = await attacker(
        'POST',
        `/blockchains/${CHAIN}/actions/${action}`,
        action === 'reprocess' ? { from_block: 0, to_block: 0 } : undefined,
      );
      expect([action, status, (body as { title: string }).title]).toEqual([action, 403, 'Forbidden']);
    }
    expect(await readShared()).toEqual(before);
  });

  it.each(['?verify=false', ''])('points nobody at a node of its own: 403 for PATCH %s', async (query) => {
    const before = await readShared();
    for (const gid of [CHAIN, 'eip155:43114'])
      expect([
        gid,
        (await attacker('PATCH', `/blockchains/${gid}/evm${query}`, { endpoint_url: forged.url })).status,
      ]).toEqual([gid, 403]);
    expect((await attacker('POST', '/blockchains', { chain_gid: 'eip155:43114' })).status).toBe(403);
    expect(await readShared()).toEqual(before);
  });

  it('sees no token that others added or discovered, not even its time', async () => {
    const paths = [
      '/assets',
      '/assets?is_archived=true',
      '/assets?namespaces=erc20',
      '/tokens',
      '/tokens?type=fungible',
      '/tokens?sort_by=name',
      '/transactions',
      '/events',
    ];
    const read = (client: Client) => Promise.all(paths.map(async (path) => (await client('GET', path)).body));
    const before = await read(attacker);
    const contract = await deployToken(anvil);
    const gid = `${CHAIN}/erc20:${contract}`;
    expect((await victim('POST', `/tokens/${gid}`)).status).toBe(201);
    expect(JSON.stringify(await read(victim))).toContain(contract);
    expect(await read(attacker)).toEqual(before);
    const nobodys = `${CHAIN}/erc20:0x00000000219ab540356cbb839cbe05303d7705fb`;
    const ask = async (token: string) =>
      Promise.all(
        (
          [
            ['GET', '/tokens/', ''],
            ['POST', '/assets/', '/actions/archive'],
            ['POST', '/assets/', '/actions/restore'],
          ] as const
        ).map(async ([method, path, action]) => {
          const { status, body } = await attacker(method, `${path}${token}${action}`);
          return [
            status,
            JSON.stringify(body).replaceAll(token.slice(token.indexOf(':0x') + 1), '<contract>'),
          ];
        }),
      );
    expect((await ask(gid)).map(([status]) => status)).toEqual([404, 404, 404]);
    expect(await ask(gid)).toEqual(await ask(nobodys));
    // For itself it may add the same one, with the time of then; the other's stays what it was.
    const mine = (await victim('GET', `/tokens/${gid}`)).body;
    expect((await attacker('POST', `/tokens/${gid}`)).status).toBe(201);
    expect((await attacker('POST', `/assets/${gid}/actions/archive`)).status).toBe(204);
    expect((await victim('GET', `/tokens/${gid}`)).body).toEqual(mine);
  });
});
