// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { findFreePort, startAnvil } from '@chainwatch/testing';
import type { AnvilHandle } from '@chainwatch/testing';
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

const gid = 'eip155:31337';

describe("a chain's node", () => {
  let world: SpecWorld;
  let anvil: AnvilHandle;
  beforeAll(async () => {
    [world, anvil] = await Promise.all([
      startSpecWorld({ settings: { nodeTimeoutMs: 2_000 } }),
      startAnvil(),
    ]);
    for (const chain of [gid, 'eip155:1', 'bip122:000000000019d6689c085ae165831e93'])
      await world.api.post('/blockchains').send({ chain_gid: chain }).expect(201);
  });
  afterAll(async () => {
    await anvil.stop();
    await world.stop();
  });

  it('must be set before the chain can be activated', async () => {
    const { body } = await world.api.post(`/blockchains/${gid}/actions/activate`).expect(422);
    expect(body.detail).toContain('no endpoint');
  });

  it('is asked which chain it serves, and stored sealed', async () => {
    const { body } = await world.api
      .patch(`/blockchains/${gid}/evm`)
      .send({ endpoint_url: anvil.url })
      .expect(200);
    expect(body).toMatchObject({ gid, has_endpoint: true });
    const { rows } = await world.db.query('SELECT endpoint_sealed FROM blockchains WHERE gid = $1', [gid]);
    expect(rows[0].endpoint_sealed).not.toContain('127.0.0.1');
    expect(world.deps.sealer.open(rows[0].endpoint_sealed, `endpoint:${gid}`)).toBe(anvil.url);
    expect(JSON.stringify({ ...body, image_url: '' })).not.toContain('127.0.0.1');
  });

  it('may be a WebSocket', async () => {
    await world.api.patch(`/blockchains/${gid}/evm`).send({ endpoint_url: anvil.webSocketUrl }).expect(200);
  });

  it('lets the chain be activated and deactivated, again and again', async () => {
    world.published.length = 0;
    expect((await world.api.post(`/blockchains/${gid}/actions/activate`).expect(200)).body.is_active).toBe(
      true,
    );
    expect((await world.api.post(`/blockchains/${gid}/actions/activate`).expect(200)).body.is_active).toBe(
      true,
    );
    expect((await world.api.post(`/blockchains/${gid}/actions/deactivate`).expect(200)).body.is_active).toBe(
      false,
    );
    expect((await world.api.post(`/blockchains/${gid}/actions/deactivate`).expect(200)).body.is_active).toBe(
      false,
    );
    expect(world.published.filter(({ kind }) => kind === 'chain.changed')).toHaveLength(2);
  });

  it.each<[string, string, string, () => string, number, RegExp]>([
    ['of another chain', 'eip155:1', 'evm', () => anvil.url, 422, /chain/],
    ['under another family', gid, 'solana', () => anvil.url, 422, /family evm, not solana/],
    ['in a blocked range', gid, 'evm', () => 'http://169.254.169.254/', 422, /blocked/],
    ['in a private range', gid, 'evm', () => 'http://10.0.0.1:8545', 422, /blocked/],
  ])('is refused when it is %s', async (_name, chain, family, url, status, detail) => {
    const { body } = await world.api
      .patch(`/blockchains/${chain}/${family}`)
      .send({ endpoint_url: url() })
      .expect(status);
    expect(body.detail).toMatch(detail);
  });

  it('is 502 while it does not answer, and stored all the same with verify=false', async () => {
    const url = `http://127.0.0.1:${await findFreePort()}`;
    const { body } = await world.api.patch(`/blockchains/${gid}/evm`).send({ endpoint_url: url }).expect(502);
    expect(body).toMatchObject({
      title: 'Bad Gateway',
      type: 'https://api.example.com/problems/bad-gateway',
    });
    await world.api.patch(`/blockchains/${gid}/evm?verify=false`).send({ endpoint_url: url }).expect(200);
  });

  it('is 502 when what answers is no node', async () => {
    const server = createServer((_req, res) => void res.end('<html>')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await world.api.patch(`/blockchains/${gid}/evm`).send({ endpoint_url: url }).expect(502);
    server.closeAllConnections();
    server.close();
  });

  it('is 502 when it says nothing', async () => {
    const server = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      await world.api
        .patch(`/blockchains/${gid}/evm`)
        .send({ endpoint_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
        .expect(502);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it.each([
    [
      'are the ones of the chain',
      '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
      '00000000000000000019f112ec0a9982926f1258cdcc558dd7c3b7e5dc7fa148',
      200,
    ],
    ['is another one', '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206', '', 422],
    ['is none', 'genesis', '', 502],
    [
      'is that of Bitcoin Cash behind the split',
      '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
      '000000000000000000651ef99cb9fcbe0dadde1d424bd9f15ff20136191a5eec',
      422,
    ],
  ])('of a Bitcoin chain is asked for blocks of its own: %s', async (_name, genesis, split, status) => {
    const chain = 'bip122:000000000019d6689c085ae165831e93';
    const asked: (string | undefined)[] = [];
    const server = createServer((req, res) => {
      let text = '';
      req
        .on('data', (chunk) => (text += String(chunk)))
        .on('end', () => {
          const { id, method, params } = JSON.parse(text) as {
            id: unknown;
            method: string;
            params: unknown[];
          };
          asked.push(req.headers.authorization, `${method} ${params.join()}`);
          const result = params[0] === 0 ? genesis : split;
          res.end(JSON.stringify({ jsonrpc: '2.0', id, result, error: null }));
        });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      await world.api
        .patch(`/blockchains/${chain}/bitcoin`)
        .send({ endpoint_url: `http://ada:hunter2@127.0.0.1:${(server.address() as AddressInfo).port}` })
        .expect(status);
      expect(asked.slice(0, 2)).toEqual([
        `Basic ${Buffer.from('ada:hunter2').toString('base64')}`,
        'getblockhash 0',
      ]);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it.each(['ftp://x', 'x', '', 'http://'])('is 400 for %p', async (url) => {
    const { body } = await world.api.patch(`/blockchains/${gid}/evm`).send({ endpoint_url: url }).expect(400);
    expect(body.fields[0].name).toBe('endpoint_url');
  });

  it('needs one of two URLs on tron', async () => {
    await world.api.post('/blockchains').send({ chain_gid: 'tron:nile' }).expect(201);
    expect(
      (await world.api.patch('/blockchains/tron:nile/tron').send({}).expect(400)).body.fields[0].name,
    ).toBe('evm_endpoint_url');
    await world.api
      .patch('/blockchains/tron:nile/tron')
      .send({ evm_endpoint_url: 'http://10.1.2.3/jsonrpc' })
      .expect(422);
    const both = { evm_endpoint_url: 'https://1.1.1.1/jsonrpc', endpoint_url: 'https://1.1.1.1' };
    expect(
      (await world.api.patch('/blockchains/tron:nile/tron?verify=false').send(both).expect(200)).body
        .has_endpoint,
    ).toBe(true);
  });
});
