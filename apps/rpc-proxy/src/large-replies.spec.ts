// SPDX-License-Identifier: Apache-2.0
import { connect, type Socket } from 'node:net';
import type { ServerResponse } from 'node:http';
import { waitFor } from '@chainwatch/testing';
import { answerResult, startSpecNode, type SpecNode } from './spec-node.ts';
import { startSpecWorld, type SpecWorld } from './spec-world.ts';
import type { RpcProxy } from './start-rpc-proxy.ts';

type Gateway = RpcProxy & { readonly url: string };

const SIZE = 40_000_000;
const head = '{"jsonrpc":"2.0","id":1,"result":"';

let world: SpecWorld;
let node: SpecNode;
let gateway: Gateway;
/** A gateway that shares equal calls. */
let sharing: Gateway;
const readTime = performance.now.bind(performance);
const sockets: Socket[] = [];

beforeAll(async () => {
  world = await startSpecWorld();
  node = await startSpecNode();
  [gateway, sharing] = await Promise.all([
    world.open({ 'eip155:1': [node.url] }),
    world.open({ 'eip155:1': [node.url] }, { cacheBytes: 10_000_000 }),
  ]);
});
afterAll(async () => {
  await world.stop();
  await node.stop();
  expect(world.failures).toEqual([]);
});
beforeEach(async () => {
  node.answer = answerResult('"0x1"');
  node.seen.length = 0;
  for (const { directory } of [gateway, sharing]) {
    const chain = directory.find('ethereum')!;
    await waitFor(() => chain.upstreams.every((upstream) => chain.serves(upstream)));
  }
});
afterEach(() => {
  performance.now = readTime;
  for (const socket of sockets.splice(0)) socket.destroy();
});

const call = (method: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"${method}","params":["0x1",true]}`;

/** A client that reads nothing until it is told to. */
function send(to: Gateway, body: string): Socket {
  const socket = connect(to.port, '127.0.0.1').on('error', () => undefined);
  sockets.push(socket);
  socket.pause();
  socket.write(
    `POST /ethereum HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${world.project.keys.rpc}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  return socket;
}

/** The node sends this much and no end. @returns its responses */
function answerEndlessly(bytes = SIZE): ServerResponse[] {
  const responses: ServerResponse[] = [];
  node.answer = (_seen, res) => {
    responses.push(res);
    res.writeHead(200, { 'content-type': 'application/json' });
    res.write(head + 'x'.repeat(bytes));
  };
  return responses;
}

const isReleased = ({ tenants, directory }: Gateway): boolean =>
  tenants.process.held === 0 && directory.find('ethereum')!.upstreams[0]!.inFlight === 0;

describe.each([
  ['of its own', 'eth_estimateGas'],
  ['that others may share', 'eth_getBlockReceipts'],
])('a large reply to a call %s', (_name, method) => {
  it('holds the node back where the client does not read, and is cut when its time is over', async () => {
    const [response] = await sendAndWait(method);
    // The kernels' buffers are full, and the node keeps the rest.
    await waitFor(() => response!.writableLength > 0 && isStill(response!));
    // At most the 4 MiB that others may share.
    expect(sharing.tenants.process.held).toBeLessThan(5_000_000);
    performance.now = () => readTime() + 31_000;
    await waitFor(() => response!.destroyed && isReleased(sharing));
  });

  it('ends at the node when the client leaves in the middle', async () => {
    const [response] = await sendAndWait(method);
    sockets[0]!.destroy();
    await waitFor(() => response!.destroyed && isReleased(sharing));
  });

  it('ends at the node when the client leaves while the node is silent', async () => {
    const responses = answerEndlessly(200_000);
    const client = send(sharing, call(method));
    let said = 0;
    client.on('data', (bytes: Buffer) => (said += bytes.length)).resume();
    await waitFor(() => said > 200_000);
    client.destroy();
    await waitFor(() => responses[0]!.destroyed && isReleased(sharing));
  });

  it('is cut where the node breaks off', async () => {
    const responses = answerEndlessly(300_000);
    const client = send(sharing, call(method));
    let said = 0;
    let isClosed = false;
    client
      .on('close', () => (isClosed = true))
      .on('data', (bytes: Buffer) => (said += bytes.length))
      .resume();
    await waitFor(() => said > 300_000);
    responses[0]!.destroy();
    await waitFor(() => isClosed && isReleased(sharing));
  });

  async function sendAndWait(name: string): Promise<ServerResponse[]> {
    const responses = answerEndlessly();
    send(sharing, call(name));
    await waitFor(() => responses.length === 1 && sharing.tenants.process.held > 100_000);
    return responses;
  }

  /** The node could write nothing for a moment. */
  async function isStill(response: ServerResponse): Promise<boolean> {
    const before = response.socket!.bytesWritten;
    await new Promise((resolve) => setTimeout(resolve, 50));
    return response.socket!.bytesWritten === before;
  }
});

it.each([
  ['a small answer', 10],
  ['a large one', 300_000],
])('%s is read behind interim responses of the node, over one connection', async (_name, bytes) => {
  const connections = new Set<unknown>();
  node.answer = (seen, res, req) => {
    connections.add(req.socket);
    res.writeContinue();
    res.writeProcessing();
    res.writeEarlyHints({ link: '</style.css>; rel=preload' });
    res.writeContinue();
    answerResult(`"${'x'.repeat(bytes)}"`)(seen, res, req);
  };
  for (let round = 0; round < 3; round += 1) {
    const response = await fetch(`${gateway.url}/ethereum`, {
      method: 'POST',
      body: call('eth_estimateGas'),
      headers: { 'content-type': 'application/json', 'x-api-key': world.project.keys.rpc },
    });
    expect([response.status, await response.text()]).toEqual([200, `${head}${'x'.repeat(bytes)}"}`]);
  }
  expect([node.seen.length, connections.size]).toEqual([3, 1]);
});
