// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createDial } from '@chainwatch/outbound';
import { startBlackHole } from '@chainwatch/testing';
import { createNatsPublisher } from './create-nats-publisher.ts';

/** A server that a customer wrote: it takes everything, and says what it wants. */
async function startServer(): Promise<{ server: Server; sockets: Set<Socket>; url: string }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.write(
      'INFO {"server_id":"s","version":"2.10.0","proto":1,"headers":true,"max_payload":1048576}\r\n',
    );
    socket.on('data', (data) => {
      for (const _ping of data.toString('latin1').matchAll(/PING\r\n/g)) socket.write('PONG\r\n');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, sockets, url: `nats://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test.each([
  ['refuse', ['127.0.0.2', '127.0.0.1'], false],
  ['do not answer', ['127.0.0.9', '127.0.0.1'], true],
])('reaches a server of whose addresses some %s', async (_name, addresses, isDead) => {
  const { server, url } = await startServer();
  const { port } = server.address() as AddressInfo;
  const hole = isDead ? await startBlackHole({ host: addresses[0]!, port }) : undefined;
  const resolve = () => Promise.resolve(addresses.map((address) => ({ address, family: 4 })));
  const publisher = createNatsPublisher({ dial: createDial({ allow: ['127.0.0.0/8'], resolve }) });
  const auth = { type: 'none' } as const;
  const target = {
    config: { url: url.replace('127.0.0.1', 'nats.test'), subject: 'payments', auth },
    credentials: { auth },
    secrets: [],
  };
  const message = { subject: 'payments', payload: '{}', messageId: 'm', headers: {} };
  expect(await publisher.publish(target as never, message, 5_000)).toEqual({ stream: undefined });
  await publisher.close();
  await hole?.stop();
  server.close();
});

test.each<[string, (socket: Socket) => void]>([
  ['closes', (socket) => socket.end()],
  ['resets', (socket) => socket.resetAndDestroy()],
])(
  'publishes again over a new connection where the server %s a kept one as the message comes',
  async (_name, drop) => {
    const { server, url } = await startServer();
    const got: string[] = [];
    server.on('connection', (socket: Socket) => {
      let count = 0;
      socket.prependListener('data', (data) => {
        if (!/HPUB payments/.test(data.toString('latin1'))) return;
        got.push(/Nats-Msg-Id: (\S+)/.exec(data.toString('latin1'))![1]!);
        if ((count += 1) > 1) drop(socket);
      });
    });
    const publisher = createNatsPublisher({ dial: createDial({ allow: ['127.0.0.0/8'] }) });
    const auth = { type: 'none' } as const;
    const target = { config: { url, subject: 'payments', auth }, credentials: { auth }, secrets: [] };
    for (const messageId of ['a', 'b', 'c'])
      expect(
        await publisher.publish(
          target as never,
          { subject: 'payments', payload: '{}', messageId, headers: {} },
          20_000,
        ),
      ).toEqual({ stream: undefined });
    expect(got).toEqual(['a', 'b', 'b', 'c', 'c']);
    await publisher.close();
    server.close();
  },
);

test('says at once that a new connection was closed', async () => {
  const { server, url } = await startServer();
  server.on('connection', (socket: Socket) => {
    socket.prependListener('data', (data) => {
      if (/HPUB payments/.test(data.toString('latin1'))) socket.destroy();
    });
  });
  const publisher = createNatsPublisher({ dial: createDial({ allow: ['127.0.0.0/8'] }) });
  const auth = { type: 'none' } as const;
  const target = { config: { url, subject: 'payments', auth }, credentials: { auth }, secrets: [] };
  const message = { subject: 'payments', payload: '{}', messageId: 'm', headers: {} };
  await expect(publisher.publish(target as never, message, 20_000)).rejects.toMatchObject({
    code: 'ECONNRESET',
  });
  await publisher.close();
  server.close();
});

test('keeps nothing of what a server says of subjects that nobody publishes to', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const { server, sockets, url } = await startServer();
  const publisher = createNatsPublisher({ dial: createDial({ allow: ['127.0.0.0/8'] }) });
  const publish = () =>
    publisher.publish(
      {
        config: { url, subject: 'payments', auth: { type: 'none' } },
        credentials: { auth: { type: 'none' } },
        secrets: [],
      } as never,
      { subject: 'payments', payload: '{}', messageId: 'm', headers: {} },
      5_000,
    );
  await publish();
  collect();
  const before = process.memoryUsage().heapUsed;
  const [socket] = sockets;
  const padding = 'x'.repeat(3_000);
  let isClosed = false;
  socket!.once('close', () => (isClosed = true));
  for (let count = 0; count < 20_000 && !isClosed; count += 1) {
    const isTaken = socket!.write(`-ERR 'Permissions Violation for Publish to "s${count}.${padding}"'\r\n`);
    if (!isTaken) await Promise.race([once(socket!, 'drain'), once(socket!, 'close')]).catch(() => undefined);
  }
  expect(isClosed).toBe(true);
  await publish();
  collect();
  expect((process.memoryUsage().heapUsed - before) / 1_048_576).toBeLessThan(20);
  await publisher.close();
  server.close();
}, 30_000);
