import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import type { Principal } from '@chainwatch/key-store';
import { EventStream } from './event-stream.ts';

it('is cut soon after its end where the reader takes nothing, not even the end', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined).pause();
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const [, res] = (await once(server, 'request')) as [unknown, ServerResponse];
  const closed = once(res, 'close');
  const caller: Principal = {
    ...{ keyId: 'k', workspaceId: 'w', projectId: 'p', isOperator: false },
    keyType: 'api',
    permissions: [],
  };
  const filters = {
    ...{ types: undefined, chains: undefined, transactionId: undefined },
    ...{ isTest: false, from: undefined, to: undefined },
  };
  const stream = new EventStream(res, { id: 's', caller, after: 0, filters });
  // Until the buffers of both sides are full, far below what closes a reader that is behind.
  for (let isFull = false; !isFull; isFull = res.writableLength > 0) {
    stream.write(`:${'x'.repeat(65_536)}\n\n`);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(stream.isOpen).toBe(true);
  stream.end();
  await closed;
  socket.destroy();
  server.close();
}, 20_000);
