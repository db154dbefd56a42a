// SPDX-License-Identifier: Apache-2.0
import { waitFor } from '@chainwatch/testing';
import { startSpecNode, type SpecNode } from './spec-node.ts';
import { startSpecWorld, type SpecWorld } from './spec-world.ts';
import type { RpcProxy } from './start-rpc-proxy.ts';

const MIB = 1_048_576;
const ANSWER_BYTES = 400 * MIB;
/** What a part may have, with what lies in the sockets of both sides. */
const READ_BYTES_MAX = 24 * MIB;
const PIECE = Buffer.alloc(256 * 1_024, 0x61);

let world: SpecWorld;
let node: SpecNode;
let gateway: RpcProxy & { readonly url: string };
/** What the stand-in could send of its last answer. */
let sent = 0;
let isCut = false;

beforeAll(async () => {
  world = await startSpecWorld();
  node = await startSpecNode((_seen, res) => {
    sent = 0;
    isCut = false;
    res.on('close', () => (isCut = true));
    res.writeHead(200, { 'content-type': 'application/json' });
    res.write(start);
    const more = (): void => {
      while (!res.destroyed && sent < ANSWER_BYTES) {
        sent += PIECE.length;
        if (!res.write(PIECE)) return void res.once('drain', more);
      }
      if (!res.destroyed) res.end(end);
    };
    more();
  });
});
afterAll(async () => {
  await world.stop();
  await node.stop();
  expect(world.failures).toEqual([]);
});

let start = '';
let end = '';

describe.each([
  ['tron', 'tron:0x2b6653dc', '0x2b6653dc', 'eth_call'],
  ['tron', 'tron:0x2b6653dc', '0x2b6653dc', 'eth_getLogs'],
  ['ethereum', 'eip155:1', '0x1', 'eth_getLogs'],
  ['ethereum', 'eip155:1', '0x1', 'eth_newFilter'],
  ['bitcoin', 'bip122:000000000019d6689c085ae165831e93', '0x1', 'getblock'],
  ['solana', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', '0x1', 'getProgramAccounts'],
])('a node of %s (%s, %s) that answers %s with 400 MB', (name, gid, chainId, method) => {
  beforeAll(async () => {
    node.health.eth_chainId = () => chainId;
    gateway = await world.open({ [gid]: [node.url] }, { cacheBytes: 10 * MIB });
    await waitFor(() =>
      gateway.directory.find(name)!.upstreams.every(({ isDown, isChecked }) => isChecked && !isDown),
    );
  });

  it.each([
    ['a result', '{"jsonrpc":"2.0","id":1,"result":"', '"}'],
    ['an error', '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"', '"}}'],
    ['a reply of another call', '{"jsonrpc":"2.0","id":2,"result":"', '"}'],
    ['a page', '<html>', '</html>'],
  ])('costs a batch of one call no more than a part: %s', async (_name, first, last) => {
    [start, end] = [first, last];
    let held = 0;
    let memory = 0;
    const before = process.memoryUsage();
    const timer = setInterval(() => {
      const { external, heapUsed } = process.memoryUsage();
      held = Math.max(held, gateway.tenants.process.held);
      memory = Math.max(memory, external + heapUsed - before.external - before.heapUsed);
    }, 5);
    for (const isNotification of [false, true]) {
      const response = await fetch(`${gateway.url}/${name}`, {
        method: 'POST',
        body: `[{"jsonrpc":"2.0",${isNotification ? '' : '"id":1,'}"method":"${method}","params":[]}]`,
        headers: { 'content-type': 'application/json', 'x-api-key': world.project.keys.rpc },
      });
      expect([200, 204]).toContain(response.status);
      expect((await response.text()).length).toBeLessThan(1_000);
      await waitFor(() => isCut);
      expect(sent).toBeLessThan(READ_BYTES_MAX);
      for (const upstream of gateway.directory.find(name)!.upstreams) upstream.recover();
    }
    clearInterval(timer);
    expect(held).toBeLessThan(READ_BYTES_MAX);
    expect(memory).toBeLessThan(64 * MIB);
    await waitFor(() => gateway.tenants.process.held === 0);
  });
});
