// SPDX-License-Identifier: Apache-2.0
import { connect } from 'node:net';
import { startHttpServer } from './start-http-server.ts';

async function sendRaw(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.end(text);
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  return answer;
}

describe('startHttpServer', () => {
  it.each([
    ['no HTTP', 'hello\r\n\r\n', 400],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab', 400],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['a header of 100 KB', `GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(100_000)}\r\n\r\n`, 431],
  ])('answers a problem to %s', async (_name, text, status) => {
    const server = await startHttpServer((_req, res) => void res.end('fine'), {
      port: 0,
      host: '127.0.0.1',
      badRequestHeaders: () => ({ 'X-RateLimit-Limit': 7 }),
    });
    try {
      const answer = await sendRaw(server.port, text);
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(answer).toMatch(/\r\nX-RateLimit-Limit: 7\r\n/);
      expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({
        status,
        title: expect.any(String),
        type: expect.any(String),
      });
    } finally {
      await server.close();
    }
  });

  it('answers a head alone to HEAD', async () => {
    const server = await startHttpServer((_req, res) => void res.end('fine'), { port: 0, host: '127.0.0.1' });
    try {
      expect(await sendRaw(server.port, 'HEAD /caf\u00e9 HTTP/1.1\r\nHost: x\r\n\r\n')).toMatch(
        /^HTTP\/1\.1 400 [^]*\r\n\r\n$/,
      );
    } finally {
      await server.close();
    }
  });

  it.each([
    ['a head', 'GET / HTTP/1.1\r\nHost: x\r\nA: '],
    ['a body', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nab'],
  ])('ends the wait for %s that does not arrive', async (_name, text) => {
    const server = await startHttpServer((req) => void req.resume(), {
      port: 0,
      host: '127.0.0.1',
      requestTimeoutMs: 200,
      headersTimeoutMs: 100,
    });
    try {
      const socket = connect(server.port, '127.0.0.1');
      socket.write(text);
      let answer = '';
      for await (const chunk of socket) answer += String(chunk);
      expect(answer).toMatch(/^HTTP\/1.1 408 [^]*\r\nX-Request-Id: [^]*"status":408/);
    } finally {
      await server.close();
    }
  });

  it('waits longer for a body that may take long, and not for others', async () => {
    const server = await startHttpServer((req, res) => void req.resume().once('end', () => res.end('fine')), {
      ...{ port: 0, host: '127.0.0.1', requestTimeoutMs: 200, longRequestTimeoutMs: 60_000 },
      isLong: ({ url }) => url === '/long',
    });
    const begin = (path: string) => {
      const socket = connect(server.port, '127.0.0.1');
      socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 4\r\n\r\nab`);
      return socket;
    };
    try {
      const long = begin('/long');
      let answer = '';
      for await (const chunk of begin('/short')) answer += String(chunk);
      expect(answer).toMatch(/^HTTP\/1.1 408 /);
      long.write('cd');
      let later = '';
      for await (const chunk of long) later += String(chunk);
      expect(later).toMatch(/^HTTP\/1.1 200 [^]*fine/);
    } finally {
      await server.close();
    }
  });

  it('lets a request under way finish, and takes no new one', async () => {
    let release = (): void => undefined;
    const entered = new Promise<void>((resolve) => {
      release = resolve;
    });
    let finish = (): void => undefined;
    const server = await startHttpServer(
      (_req, res) => {
        finish = () => void res.end('done');
        release();
      },
      { port: 0, host: '127.0.0.1' },
    );
    const answer = fetch(`http://127.0.0.1:${server.port}/`).then((response) => response.text());
    await entered;
    const closed = server.close(5_000);
    await expect(fetch(`http://127.0.0.1:${server.port}/`)).rejects.toThrow();
    finish();
    expect(await answer).toBe('done');
    await closed;
  });

  it('answers on while it drains, and ends each connection behind its answer', async () => {
    let finish = (): void => undefined;
    const entered = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let release = (): void => undefined;
    const server = await startHttpServer(
      (req, res) => {
        if (req.url !== '/slow') return void res.end('fine');
        release = () => void res.end('slow');
        finish();
      },
      { port: 0, host: '127.0.0.1' },
    );
    const ask = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${server.port}${path}`);
    expect((await ask('/')).headers.get('connection')).toBe('keep-alive');
    const slow = ask('/slow');
    await entered;
    server.drain();
    for (let count = 0; count < 3; count += 1) {
      const response = await ask('/');
      expect([response.status, response.headers.get('connection'), await response.text()]).toEqual([
        200,
        'close',
        'fine',
      ]);
    }
    release();
    expect((await slow).headers.get('connection')).toBe('close');
    await server.close();
    await expect(ask('/')).rejects.toThrow();
  });

  it('cuts what does not finish in time', async () => {
    const server = await startHttpServer(() => undefined, { port: 0, host: '127.0.0.1' });
    const answer = fetch(`http://127.0.0.1:${server.port}/`).catch(() => 'cut');
    await new Promise<void>((resolve) => setImmediate(resolve));
    await server.close(50);
    expect(await answer).toBe('cut');
  });
});
