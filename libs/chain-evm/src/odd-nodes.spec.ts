// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { parseEndpoint, type Dial } from '@chainwatch/chain-core';
import { startBlackHole } from '@chainwatch/testing';
import { HttpTransport } from './http-transport.ts';
import { SocketTransport } from './socket-transport.ts';

const INTERIM = 'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n';
const HOLE = '127.0.0.9';

/** A node that answers over HTTP and over WebSocket, each after interim responses. */
let server: Server;
let port: number;
beforeEach(async () => {
  const sockets = new WebSocketServer({ noServer: true });
  server = createServer((req, res) => {
    req.socket.write(INTERIM);
    res.end('{"jsonrpc":"2.0","id":1,"result":"0x7"}');
  });
  server.on('upgrade', (req, socket, head) => {
    socket.write(INTERIM);
    sockets.handleUpgrade(req, socket, head, (opened) =>
      opened.on('message', () => opened.send('{"jsonrpc":"2.0","id":1,"result":"0x7"}')),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const dialOf = (...addresses: string[]): Dial => ({
  check: () => undefined,
  lookup: (_host, _options, callback) =>
    callback(null, addresses.map((address) => ({ address, family: 4 })) as never),
});

it.each([
  ['http', HttpTransport, 'the first refuses', '127.0.0.2'],
  ['ws', SocketTransport, 'the first refuses', '127.0.0.2'],
  ['http', HttpTransport, 'the first does not answer', HOLE],
  ['ws', SocketTransport, 'the first does not answer', HOLE],
] as const)(
  'is read over %s past interim responses, at the address that answers: %s',
  async (scheme, Transport, _name, dead) => {
    const hole = dead === HOLE ? await startBlackHole({ host: HOLE, port }) : undefined;
    const transport = new Transport({
      endpoint: parseEndpoint(`${scheme}://node.test:${port}/`),
      dial: dialOf(dead, '127.0.0.1'),
      timeoutMs: 5_000,
      concurrency: 2,
    });
    expect(await transport.call('eth_blockNumber', [])).toBe('0x7');
    transport.close();
    await hole?.stop();
  },
);
