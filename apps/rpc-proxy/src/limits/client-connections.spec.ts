// SPDX-License-Identifier: Apache-2.0
import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import { PassThrough } from 'node:stream';
import { ClientConnections } from './client-connections.ts';

it('counts the connections of an IPv6 network as one client, and lets another one in', () => {
  const connections = new ClientConnections({
    tenants: { limits: { heldBytesPerConnection: 1 } } as never,
    perClient: 2,
    writeTimeoutMs: 1_000,
  });
  const admitted: string[] = [];
  const server = new EventEmitter().on('connection', ({ remoteAddress }) => admitted.push(remoteAddress));
  connections.guard(server as Server);
  const sockets = [
    '2001:db8:1:2::1',
    '2001:db8:1:2::2',
    '2001:db8:1:2:ffff::3',
    '2001:db8:1:3::1',
    '::ffff:198.51.100.1',
    '198.51.100.1',
    '198.51.100.1',
  ].map((remoteAddress) => Object.assign(new PassThrough(), { remoteAddress }));
  for (const socket of sockets) server.emit('connection', socket);
  expect(admitted).toEqual([
    '2001:db8:1:2::1',
    '2001:db8:1:2::2',
    '2001:db8:1:3::1',
    '::ffff:198.51.100.1',
    '198.51.100.1',
  ]);
  connections.stop();
});
