// SPDX-License-Identifier: Apache-2.0
import { startAnvil, startMailServer, type AnvilHandle, type MailServerHandle } from '@chainwatch/testing';
import { operations } from '../route-table.ts';
import { accounts, bodyOf } from '../spec-support/public-keys.ts';
import { startSpecWorld, type Client, type SpecWorld } from '../spec-support/spec-world.ts';
import { deployToken } from '../spec-support/tokens.ts';

const EVM = 'eip155:31337';
const HOOK = { name: 'n', url: 'http://127.0.0.1:9/' };

let world: SpecWorld;
let anvil: AnvilHandle;
let mail: MailServerHandle;
let publicKeyId: string;
beforeAll(async () => {
  [anvil, mail] = await Promise.all([startAnvil(), startMailServer()]);
  const server = {
    ...{ url: `smtp://127.0.0.1:${mail.port}`, from: 'alerts@example.com' },
    ...{ publicUrl: 'https://watch.example.com', isEncrypted: false },
  };
  world = await startSpecWorld({ settings: { channelOptions: { email: { server } } } });
  await world.api.post('/blockchains').send({ chain_gid: EVM }).expect(201);
  await world.api.patch(`/blockchains/${EVM}/evm`).send({ endpoint_url: anvil.url }).expect(200);
  publicKeyId = (await world.api.post('/public_keys').send(bodyOf(accounts.bip84)).expect(201)).body.id;
}, 60_000);
afterAll(async () => {
  await world.stop();
  await Promise.all([anvil.stop(), mail.stop()]);
});

/** Where the documented example does not do. */
const channelBodies: Readonly<Record<string, object>> = {
  webhook: HOOK,
  nats: { name: 'n', url: 'nats://127.0.0.1:9', subject: 'a.b' },
  telegram: { name: 't', bot_token: '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsawx', chat_id: 1 },
};
const bodies: Readonly<Record<string, () => object | Promise<object>>> = {
  createChannel: () => HOOK,
  createChannelByShortPath: () => HOOK,
  createBlockchain: () => ({ chain_gid: 'eip155:1' }),
  putNetwork: async () => {
    const { body } = await world.api.get(`/networks/${EVM}`).expect(200);
    const { source: _source, is_used: _isUsed, image_url: _image, ...document } = body;
    return document;
  },
  createEndpoint: () => ({ endpoint_url: anvil.url, weight: 3 }),
  createToken: () => ({}),
  createPublicKey: () => bodyOf(accounts.bip49),
  createPublicKeyAddresses: () => ({ indexes: [7] }),
  createNextAddress: () => ({}),
  createExternalAddress: () => ({ value: `0x${'ab'.repeat(20)}`, chain_family: 'evm' }),
  createProject: () => ({ name: 'New' }),
  createMember: () => ({ email: 'new@example.com', role: 'viewer' }),
  createKey: () => ({ type: 'rpc', name: 'k', permissions: ['rpc:evm:read'] }),
  createSession: () => ({}),
  createPortalSession: async () => {
    const { body } = await world.api.post('/channels').send(HOOK).expect(201);
    return { channel_ids: [body.id], ttl_seconds: 60 };
  },
};

const creating = Object.entries(operations).filter(([, route]) => 201 in route.schemas.responses);

it.each(creating.map(([id, route]) => [`${route.method} ${route.path}`, id, route] as const))(
  '%s says where the new one is, and there it is',
  async (_name, id, route) => {
    const kind = /^\/notification_channels\/(\w+)$/.exec(route.path)?.[1];
    const body = (await bodies[id]?.()) ?? channelBodies[kind ?? ''] ?? route.example ?? {};
    const client: Client = route.path.startsWith('/management/') ? world.management : world.api;
    const path = route.path
      .replace(':public_key_id', publicKeyId)
      .replace(':chain_gid', EVM)
      .replace(':asset_path', `erc20:${route.path.includes(':asset_path') ? await deployToken(anvil) : ''}`);
    const made = await client[route.method === 'PUT' ? 'put' : 'post'](path).send(body).expect(201);
    const location = String(made.headers.location);
    expect(location).toMatch(/^\/v1\//);
    const { status, body: found, headers } = await client.get(location.slice('/v1'.length));
    if (id === 'createMember') {
      // Members are read as a list.
      expect([status, headers.allow]).toEqual([405, 'PATCH, DELETE']);
      expect((await client.get('/management/members').expect(200)).body.items).toContainEqual(made.body);
      return;
    }
    expect(status).toBe(200);
    const shown = Object.entries(found as object).filter(
      ([name]) => name in made.body && name !== 'updated_at',
    );
    expect(shown.length).toBeGreaterThan(0);
    if (found.items === undefined)
      expect(found).toMatchObject(Object.fromEntries(shown.map(([name]) => [name, made.body[name]])));
    else expect(found.items).toEqual(expect.arrayContaining(made.body.items));
  },
);
