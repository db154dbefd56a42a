// SPDX-License-Identifier: Apache-2.0
import { connect } from 'node:net';

interface ThroughputRequest {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly forMs: number;
}

/**
 * Sends the same GET over and over on connections that stay open, the next one when the answer is there. Written on bare
 * sockets, so that the client costs a fraction of the server.
 * @throws Error on any answer but 200
 */
export async function measureThroughput({
  port,
  path,
  headers,
  connections,
  forMs,
}: ThroughputRequest): Promise<{ count: number; elapsedMs: number }> {
  const lines = [
    `GET ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  const request = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  const started = performance.now();
  const counts = await Promise.all(
    Array.from({ length: connections }, () => runConnection(port, request, started + forMs)),
  );
  return { count: counts.reduce((sum, count) => sum + count, 0), elapsedMs: performance.now() - started };
}

function runConnection(port: number, request: Buffer, until: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    let count = 0;
    let answer = '';
    socket.on('connect', () => socket.write(request));
    socket.on('error', reject);
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString('latin1');
      if (!isWhole(answer)) return;
      if (!answer.startsWith('HTTP/1.1 200 '))
        return void socket.destroy(new Error(`expected 200, got ${answer.slice(0, 400)}`));
      answer = '';
      count += 1;
      if (performance.now() < until) return void socket.write(request);
      socket.destroy();
      resolve(count);
    });
  });
}

function isWhole(answer: string): boolean {
  const bodyStart = answer.indexOf('\r\n\r\n') + 4;
  const length = /\r\ncontent-length: (\d+)/i.exec(answer.slice(0, bodyStart));
  return bodyStart >= 4 && length !== null && answer.length >= bodyStart + Number(length[1]);
}
