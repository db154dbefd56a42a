// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { startNats, waitFor, type NatsHandle } from '@chainwatch/testing';
import { subscribe } from './subscribe.ts';

let nats: NatsHandle;
let publisher: NatsConnection;
const connections: NatsConnection[] = [];
beforeAll(async () => {
  nats = await startNats();
  publisher = await connect({ servers: nats.url });
});
afterAll(async () => {
  await Promise.all([publisher, ...connections].map((one) => one.close()));
  await nats.stop();
});

const open = async (): Promise<NatsConnection> => {
  const connection = await connect({ servers: nats.url });
  connections.push(connection);
  return connection;
};
function publish(project: string, kind = 'tx.detected'): string {
  const eventId = randomUUID();
  publisher.publish(
    `${kind}.eip155:1.${project}`,
    JSON.stringify({ event_id: eventId, type: 'transaction.detected' }),
  );
  return eventId;
}

it('takes the events of its project alone, in order, and those that came before it', async () => {
  const [mine, other] = [randomUUID(), randomUUID()];
  const abort = new AbortController();
  const seen: string[] = [];
  const first = subscribe({
    connection: await open(),
    project: mine,
    durable: 'first',
    signal: abort.signal,
    handle: (event) => seen.push(event.event_id),
  });
  const manager = await jetstreamManager(publisher);
  await waitFor(
    async () => (await manager.consumers.info('EVENTS', 'first').catch(() => undefined)) !== undefined,
  );
  const expected = [
    publish(mine),
    publish(other) && publish(mine, 'balance.changed'),
    publish(mine, 'tx.reorged'),
  ];
  await waitFor(() => seen.length === 3);
  expect(seen).toEqual(expected);
  abort.abort();
  await first;
});

it('acknowledges when the effect has happened: what throws, or dies on the way, comes again', async () => {
  const project = randomUUID();
  const abort = new AbortController();
  const eventIds = [publish(project), publish(project)];
  await publisher.flush();
  const tried: string[] = [];
  const done: string[] = [];
  const errors: unknown[] = [];
  let isStuck = true;
  const doomed = await open();
  // Dies with the first event in its hands.
  void subscribe({
    connection: doomed,
    project,
    durable: 'billing',
    handle: (event) => {
      tried.push(event.event_id);
      return new Promise(() => undefined);
    },
  }).catch(() => undefined);
  await waitFor(() => tried.length === 1);
  const manager = await jetstreamManager(publisher);
  // In place of the half minute after which an event goes to another process.
  const { config } = await manager.consumers.info('EVENTS', 'billing');
  expect(config.ack_wait).toBe(30_000_000_000);
  await doomed.close();
  await manager.consumers.delete('EVENTS', 'billing');
  const running = subscribe({
    connection: await open(),
    project,
    durable: 'billing',
    signal: abort.signal,
    onError: (error) => errors.push(error),
    handle: async (event) => {
      if (event.event_id === eventIds[0] && isStuck) {
        isStuck = false;
        throw new Error('the database is away');
      }
      const { num_ack_pending: pending } = await manager.consumers.info('EVENTS', 'billing');
      expect(pending).toBeGreaterThan(0);
      done.push(event.event_id);
    },
  });
  await waitFor(() => done.length === 2);
  expect([...done].sort()).toEqual([...eventIds].sort());
  expect(errors).toEqual([expect.objectContaining({ message: 'the database is away' })]);
  await waitFor(async () => (await manager.consumers.info('EVENTS', 'billing')).num_ack_pending === 0);
  abort.abort();
  await running;
});

it('refuses a project that would be another filter', async () => {
  const connection = await open();
  await expect(
    subscribe({ connection, project: '*', durable: 'x', handle: () => undefined }),
  ).rejects.toThrow('expected the id of a project');
});
