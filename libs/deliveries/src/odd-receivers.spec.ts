// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { waitFor } from '@chainwatch/testing';
import { giveWorlds, type World } from './spec-world.ts';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

let world: World;
giveWorlds((given) => ({ world } = given));

let server: Server;
let url: string;
/** What the receiver does with each request, which is the nth of its connection. */
let answer: (socket: Socket, count: number) => void;
/** The id of each event that came, and of its delivery. */
let events: string[];
let deliveries: string[];
const sockets = new Set<Socket>();
beforeEach(async () => {
  [events, deliveries] = [[], []];
  server = createServer((socket) => {
    let count = 0;
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.on('data', (data) => {
      const head = String(data);
      events.push(/x-webhook-event-id: (\S+)/.exec(head)![1]!);
      deliveries.push(/x-webhook-delivery-id: (\S+)/.exec(head)![1]!);
      answer(socket, (count += 1));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

const attempts = (): Promise<unknown[]> =>
  world.rows(
    'SELECT number, status_code, error_code, response_body FROM delivery_attempts ORDER BY started_at',
  );
const GOOD = { number: 1, status_code: 200, error_code: null, response_body: 'ok' };

test.each([
  ['100', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ['102', 'HTTP/1.1 102 Processing\r\n\r\n'],
  ['103 with headers', 'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\nRetry-After: 9\r\n\r\n'],
  [
    'several in a row',
    `${'HTTP/1.1 100 Continue\r\n\r\n'.repeat(3)}HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n`,
  ],
])('a receiver that sends interim responses first: %s', async (_name, interim) => {
  answer = (socket) => void socket.write(interim, () => socket.write(OK));
  await world.addChannel(url);
  await world.start();
  for (let count = 0; count < 2; count += 1) await world.waitForStatus(await world.emit(), 'delivered');
  expect(await attempts()).toEqual([GOOD, GOOD]);
});

test('a receiver whose interim response is its last word has not answered', async () => {
  answer = (socket) => void socket.end('HTTP/1.1 102 Processing\r\n\r\n');
  await world.addChannel(url);
  await world.start({ scheduleMs: [0, 60_000] });
  await world.emit();
  await waitFor(async () => (await attempts()).length === 1);
  expect(await attempts()).toMatchObject([{ error_code: 'connection_reset', status_code: null }]);
});

test.each<[string, (socket: Socket, count: number) => void]>([
  ['right after its answer', (socket) => void socket.end(OK)],
  ['as the next request arrives', (socket, count) => void (count === 1 ? socket.write(OK) : socket.end())],
  [
    'with a reset as the next request arrives',
    (socket, count) => void (count === 1 ? socket.write(OK) : socket.resetAndDestroy()),
  ],
])('a receiver that closes kept connections %s spends no attempt', async (_name, behave) => {
  answer = behave;
  await world.addChannel(url);
  await world.start({ scheduleMs: [0, 60_000] });
  const sent: string[] = [];
  for (let count = 0; count < 5; count += 1) {
    sent.push(await world.emit());
    await world.waitForStatus(sent.at(-1)!, 'delivered');
  }
  expect(await attempts()).toEqual(sent.map(() => GOOD));
  expect([...new Set(events)]).toEqual(sent);
  // The same request: the same delivery.
  expect(new Set(deliveries).size).toBe(5);
  expect(await world.rows('SELECT status, consecutive_failures FROM notification_channels')).toEqual([
    { status: 'active', consecutive_failures: 0 },
  ]);
});

test('a receiver that closes its connection while nothing is sent', async () => {
  answer = (socket) => void socket.write(OK);
  await world.addChannel(url);
  await world.start({ scheduleMs: [0, 60_000] });
  for (let count = 0; count < 3; count += 1) {
    await world.waitForStatus(await world.emit(), 'delivered');
    for (const socket of sockets) socket.end();
    await waitFor(() => sockets.size === 0);
  }
  expect(await attempts()).toEqual([GOOD, GOOD, GOOD]);
});

test('a receiver that resets new connections, too, has failed once', async () => {
  answer = (socket, count) => void (events.length === 1 && count === 1 ? socket.write(OK) : socket.destroy());
  await world.addChannel(url);
  await world.start({ scheduleMs: [0, 60_000] });
  await world.waitForStatus(await world.emit(), 'delivered');
  await world.emit();
  await waitFor(async () => (await attempts()).length === 2);
  expect(await attempts()).toMatchObject([GOOD, { number: 1, error_code: 'connection_reset' }]);
  expect(events).toHaveLength(3);
});
