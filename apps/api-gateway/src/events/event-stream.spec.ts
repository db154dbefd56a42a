// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { waitFor } from '@chainwatch/testing';
import type { Principal } from '@chainwatch/data/key-store';
import { EventStream } from './event-stream.ts';

let server: Server;
let socket: Socket;
let res: ServerResponse;
let stream: EventStream;
beforeEach(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined).pause();
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  [, res] = (await once(server, 'request')) as [unknown, ServerResponse];
  const caller: Principal = {
    ...{ keyId: 'k', workspaceId: 'w', projectId: 'p', isOperator: false },
    keyType: 'api',
    permissions: [],
  };
  const filters = {
    ...{ types: undefined, chains: undefined, transactionId: undefined },
    ...{ isTest: false, from: undefined, to: undefined },
  };
  stream = new EventStream(res, { caller, after: 0, filters });
});
afterEach(() => {
  socket.destroy();
  server.close();
});

/** One page of news, more than a reader may leave unread and than the buffers of a connection take at once. */
function pushBurst(): void {
  const from = stream.position;
  const events = Array.from({ length: 50 }, (_, index) => ({
    ...{ position: from + index + 1, type: 'balance.changed', payload: 'x'.repeat(160_000) },
    ...{ chain_gid: null, transaction_id: null, subject_kind: 'balance.changed', created_at: new Date() },
  }));
  stream.push({ events, lastPosition: from + events.length });
}

it('outlasts a burst whose reader reads', async () => {
  let tail = '';
  socket
    .setEncoding('latin1')
    .on('data', (text: string) => (tail = (tail + text).slice(-1_000_000)))
    .resume();
  for (const last of [50, 100]) {
    pushBurst();
    expect(res.writableLength).toBeGreaterThan(1_048_576);
    await waitFor(() => tail.includes(`id: ${last}\n`) && res.writableLength === 0);
  }
  expect(stream.isOpen).toBe(true);
});

it('is closed with the next word where the reader left a burst unread', async () => {
  pushBurst();
  stream.write(':\n\n');
  expect(stream.isOpen).toBe(false);
});

it('is cut soon after its end where the reader takes nothing, not even the end', async () => {
  const closed = once(res, 'close');
  // Until the buffers of both sides are full, far below what closes a reader that is behind.
  for (let isFull = false; !isFull; isFull = res.writableLength > 0) {
    stream.write(`:${'x'.repeat(65_536)}\n\n`);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(stream.isOpen).toBe(true);
  stream.end();
  await closed;
}, 20_000);
