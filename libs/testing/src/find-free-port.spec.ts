// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { findFreePort } from './find-free-port.ts';

describe('findFreePort', () => {
  it('gives each port once, although nobody listens', async () => {
    const ports = await Promise.all(Array.from({ length: 50 }, () => findFreePort()));
    expect(new Set(ports).size).toBe(50);
    const server = createServer();
    server.listen(ports[0]);
    await once(server, 'listening');
    server.close();
  });

  it('keeps it from other processes until this one ends', async () => {
    const port = await findFreePort();
    const bind = `require('node:dgram').createSocket('udp4').bind({ port: ${port}, address: '127.0.0.1' }, () => process.exit(0)).on('error', () => process.exit(7))`;
    const child = spawn(process.execPath, ['-e', bind]);
    const [code] = (await once(child, 'exit')) as [number];
    expect(code).toBe(7);
  });
});
