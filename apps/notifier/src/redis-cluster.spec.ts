// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:net';
import { promisify } from 'node:util';
import { startRedisCluster, waitFor, type RedisCluster } from '@chainwatch/testing';
import { giveWorlds, type World } from './spec-world.ts';

const run = promisify(execFile);
let world: World;
giveWorlds((given) => ({ world } = given));
let cluster: RedisCluster;
beforeAll(async () => (cluster = await startRedisCluster()), 60_000);
afterAll(() => cluster.stop());

const cli = async (place: number, ...args: string[]): Promise<string> =>
  (await run('redis-cli', ['-p', String(cluster.servers[place]!.port), ...args])).stdout.trim();
const addStream = (stream: string, port = cluster.servers[0]!.port): Promise<string> =>
  world.addChannel(`redis://127.0.0.1:${port}`, {
    kind: 'redis_stream',
    config: { stream },
    credentials: { auth: { type: 'none' } },
  });
const lengthOf = (place: number, stream: string): Promise<string> => cli(place, '-c', 'XLEN', stream);

test('a stream of a cluster is found wherever it is, and where its slot goes', async () => {
  const streams = Array.from({ length: 9 }, (_, index) => `orders-${index}`);
  for (const stream of streams) await addStream(stream);
  await world.start();
  const first = [await world.emit(), await world.emit()];
  for (const eventId of first) await world.waitForStatus(eventId, 'delivered');
  for (const stream of streams) expect(await lengthOf(0, stream)).toBe('2');
  const counts = await Promise.all([0, 1, 2].map(async (place) => Number(await cli(place, 'DBSIZE'))));
  expect(counts.every((count) => count > 0)).toBe(true);
}, 60_000);

test('a stream goes on while its slot is moved to another server', async () => {
  const slot = await cli(0, 'CLUSTER', 'KEYSLOT', 'moving');
  const ids = await Promise.all([0, 1, 2].map((place) => cli(place, 'CLUSTER', 'MYID')));
  const counted = await Promise.all([0, 1, 2].map((place) => cli(place, 'XLEN', 'moving').catch(() => '-')));
  const from = counted.findIndex((count) => !count.includes('MOVED'));
  const to = (from + 1) % 3;
  await addStream('moving', cluster.servers[from]!.port);
  await cli(to, 'CLUSTER', 'SETSLOT', slot, 'IMPORTING', ids[from]!);
  await cli(from, 'CLUSTER', 'SETSLOT', slot, 'MIGRATING', ids[to]!);
  await world.start();
  const sent = [await world.emit(), await world.emit()];
  for (const eventId of sent) await world.waitForStatus(eventId, 'delivered');
  for (const place of [to, from]) await cli(place, 'CLUSTER', 'SETSLOT', slot, 'NODE', ids[to]!);
  sent.push(await world.emit());
  for (const eventId of sent) await world.waitForStatus(eventId, 'delivered');
  expect(await lengthOf(to, 'moving')).toBe('3');
}, 60_000);

test('a server that sends us to a blocked address is not followed', async () => {
  const liar: Server = createServer((socket) => {
    // An answer for each command.
    const answer = (data: Buffer): void => {
      const commands = data.toString().match(/^\*\d+\r\n/gm) ?? [];
      socket.write('-MOVED 1 10.255.255.1:6379\r\n'.repeat(commands.length));
    };
    socket.on('data', answer).on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => liar.once('listening', resolve));
  const { port } = liar.address() as { port: number };
  await addStream('anything', port);
  await world.start({ scheduleMs: [0, 60_000] });
  await world.emit();
  const attempts = (): Promise<Record<string, unknown>[]> =>
    world.rows('SELECT error_code FROM delivery_attempts');
  await waitFor(async () => (await attempts()).length === 1);
  expect(await attempts()).toEqual([{ error_code: 'blocked_address' }]);
  liar.close();
}, 60_000);
