// SPDX-License-Identifier: Apache-2.0
import { waitFor } from '@chainwatch/testing';
import { Connections, type Connection } from './keep-connections.ts';

const never = <T>(): Promise<T> => new Promise(() => undefined);
const connection = (close: () => Promise<void>): Connection => ({
  isClosed: () => false,
  onClosed: () => undefined,
  close,
  destroy: () => undefined,
});
const keep = (open: () => Promise<Connection>): Connections<string, Connection> =>
  new Connections({ keyOf: (key: string) => key, open, idleMs: 60_000 });

it('ends although a client forgot an opening whose server died in it', async () => {
  const connections = keep(never);
  await expect(connections.through('a', 50, async () => 'done')).rejects.toThrow('within 50 ms');
  await connections.close();
});

it('ends although a server does not answer the farewell', async () => {
  const connections = keep(async () => connection(never));
  expect(await connections.through('a', 1_000, async () => 'done')).toBe('done');
  await connections.close();
});

it('closes what was opened too late', async () => {
  let open: (one: Connection) => void = () => undefined;
  let isClosed = false;
  const connections = keep(() => new Promise((resolve) => (open = resolve)));
  await expect(connections.through('a', 50, async () => 'done')).rejects.toThrow('within 50 ms');
  open(connection(async () => void (isClosed = true)));
  await new Promise((resolve) => setImmediate(resolve));
  expect(isClosed).toBe(true);
  await connections.close();
});

it('opens a new connection after one that hung, although nobody tells that it is closed', async () => {
  let opened = 0;
  let isDestroyed = false;
  const connections = keep(async () => {
    opened += 1;
    return { ...connection(never), destroy: () => (isDestroyed = true) };
  });
  await expect(connections.through('a', 50, never)).rejects.toThrow('within 50 ms');
  expect(await connections.through('a', 1_000, async () => opened)).toBe(2);
  await waitFor(async () => isDestroyed);
  await connections.close();
});
