// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { createDial, createHttpClient, type HttpClient, type HttpRequest } from './index.ts';

const dial = createDial({ allow: ['127.0.0.0/8', '::1/128'] });
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

let server: Server;
let url: string;
let client: HttpClient;
/** What the server does with each request: the number of the connection, and of the request on it. */
let answer: (socket: Socket, connection: number, request: number) => void;
let connections: number;
let heads: string[];
const sockets = new Set<Socket>();

beforeEach(async () => {
  connections = 0;
  heads = [];
  server = createServer((socket) => {
    const connection = (connections += 1);
    let requests = 0;
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.on('data', (data) => {
      heads.push(String(data));
      answer(socket, connection, (requests += 1));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?a=b`;
  client = createHttpClient({ dial, connectTimeoutMs: 5_000 });
});
afterEach(() => {
  client.close();
  for (const socket of sockets) socket.destroy();
  server.close();
});

const ask = async (more: Partial<HttpRequest> = {}): Promise<[number, string]> => {
  const { status, body } = await client.request({ url, method: 'POST', body: '{}', ...more });
  return [status, await text(body)];
};

describe('interim responses', () => {
  it.each([
    ['100', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['102', 'HTTP/1.1 102 Processing\r\n\r\n'],
    [
      '103 with headers',
      'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\nLink: </b>; rel=preload\r\n\r\n',
    ],
    ['an unknown one', 'HTTP/1.1 199 Whatever\r\nContent-Length: 5\r\n\r\n'],
    ['several in a row', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n'.repeat(20)],
  ])('are read past: %s', async (_name, interim) => {
    answer = (socket) => void socket.write(interim, () => socket.write(OK));
    expect([await ask(), await ask()]).toEqual([
      [200, 'ok'],
      [200, 'ok'],
    ]);
    expect(connections).toBe(1);
  });

  it('that change the protocol unasked end the request', async () => {
    answer = (socket) =>
      void socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n');
    await expect(ask()).rejects.toMatchObject({ code: 'unanswered' });
  });

  it('do not make a lost connection one that is tried again', async () => {
    answer = (socket, _connection, request) => {
      if (request === 1) socket.write(OK);
      else socket.write('HTTP/1.1 102 Processing\r\n\r\n', () => socket.destroy());
    };
    await ask();
    await expect(ask()).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(heads).toHaveLength(2);
  });
});

describe('a kept connection that the server closed', () => {
  it.each<[string, (socket: Socket) => void]>([
    ['closed', (socket) => socket.end()],
    ['reset', (socket) => socket.resetAndDestroy()],
  ])('is not the request’s fault: %s as the request arrives', async (_name, drop) => {
    answer = (socket, connection, request) => void (request === 1 ? socket.write(OK) : drop(socket));
    for (let count = 0; count < 5; count += 1) expect(await ask({ body: `${count}` })).toEqual([200, 'ok']);
    // The same request, whole.
    expect(heads[2]).toBe(heads[1]!.replace('keep-alive', 'close'));
  });

  it('is closed right after the answer', async () => {
    answer = (socket) => void socket.end(OK);
    for (let count = 0; count < 5; count += 1) expect(await ask()).toEqual([200, 'ok']);
    expect(connections).toBe(5);
  });

  it('is tried again once', async () => {
    answer = (socket, connection) =>
      void (connection === 1 && heads.length === 1 ? socket.write(OK) : socket.end());
    await ask();
    await expect(ask()).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(heads).toHaveLength(3);
  });

  it('is not tried again after the first byte of an answer, nor where it was new', async () => {
    answer = (socket, _connection, request) => void (request === 1 ? socket.write(OK) : socket.end('H'));
    await ask();
    await expect(ask()).rejects.toMatchObject({ code: expect.stringMatching(/^(ECONNRESET|HPE_)/) });
    answer = (socket) => void socket.end();
    await expect(ask()).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(heads).toHaveLength(3);
  });

  it('leaves the second try within the same signal', async () => {
    const abort = new AbortController();
    const reason = new Error('the time was up');
    answer = (socket, connection, request) => {
      if (connection === 2) abort.abort(reason);
      else if (request === 1) socket.write(OK);
      else socket.end();
    };
    await ask();
    await expect(ask({ signal: abort.signal })).rejects.toBe(reason);
    expect(heads).toHaveLength(3);
  });
});

describe('an idle connection', () => {
  it('is closed after its time', async () => {
    const hasty = createHttpClient({ dial, connectTimeoutMs: 5_000, keepAliveTimeoutMs: 20 });
    answer = (socket) => void socket.write(OK);
    const { body } = await hasty.request({ url, method: 'GET' });
    const [socket] = sockets;
    const closing = once(socket!, 'close');
    expect(await text(body)).toBe('ok');
    await closing;
    hasty.close();
  });

  it('is closed with the client', async () => {
    answer = (socket) => void socket.write(OK);
    await ask();
    const [socket] = sockets;
    const closing = once(socket!, 'close');
    client.close();
    await closing;
  });
});

describe('a request', () => {
  it('is written plainly, without what the URL has of credentials', async () => {
    answer = (socket) => void socket.write(OK);
    await ask({ url: url.replace('//', '//user:secret@'), headers: { 'x-a': '1' }, body: 'ü' });
    expect(heads[0]).toBe(
      `POST /hook?a=b HTTP/1.1\r\nx-a: 1\r\nHost: ${new URL(url).host}\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nü`,
    );
  });

  it('ends with its signal before, while it is dialled, while it waits, and in the body', async () => {
    const reason = new Error('enough');
    await expect(ask({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const hanging = createHttpClient({
      dial: createDial({ allow: [], resolve: () => new Promise(() => undefined) }),
      connectTimeoutMs: 1_000,
    });
    const dialled = new AbortController();
    const dialling = hanging.request({ url: 'http://slow.example/', method: 'GET', signal: dialled.signal });
    dialled.abort(reason);
    await expect(dialling).rejects.toBe(reason);

    const waiting = new AbortController();
    answer = () => waiting.abort(reason);
    await expect(ask({ signal: waiting.signal })).rejects.toBe(reason);

    const reading = new AbortController();
    answer = (socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart');
    const { status, body } = await client.request({ url, method: 'GET', signal: reading.signal });
    reading.abort(reason);
    expect(status).toBe(200);
    await expect(text(body)).rejects.toBe(reason);
  });

  it('ends when the client is closed, also while it is dialled', async () => {
    const hanging = createHttpClient({
      dial: createDial({ allow: [], resolve: () => new Promise(() => undefined) }),
      connectTimeoutMs: 1_000,
    });
    const dialling = hanging.request({ url: 'http://slow.example/', method: 'GET' });
    hanging.close();
    await expect(dialling).rejects.toThrow('the client was closed');
    answer = () => client.close();
    await expect(ask()).rejects.toThrow('the client was closed');
  });

  it('is refused where it is none', async () => {
    for (const one of ['ftp://127.0.0.1/', 'hook', ''])
      await expect(ask({ url: one })).rejects.toMatchObject({ code: 'invalid_url' });
    await expect(ask({ headers: { 'x-a': '\n' } })).rejects.toMatchObject({ code: 'ERR_INVALID_CHAR' });
    expect(connections).toBe(0);
  });

  it('fails with a body that is cut', async () => {
    answer = (socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart');
    await expect(ask()).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('reads a large body whole', async () => {
    const large = createHttpServer((_req, res) => res.end('x'.repeat(5_000_000)));
    large.listen(0, '127.0.0.1');
    await once(large, 'listening');
    const [, body] = await ask({ url: `http://127.0.0.1:${(large.address() as AddressInfo).port}/` });
    expect(body).toHaveLength(5_000_000);
    large.close();
  });
});
