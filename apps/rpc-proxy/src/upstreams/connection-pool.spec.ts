// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { connect as connectSecurely, createServer as createSecureServer } from 'node:tls';
import { createDial, createGuardedSockets, type OpenSocket } from '@chainwatch/outbound';
import { waitFor } from '@chainwatch/testing';
import { ConnectionPool, type Sender } from './connection-pool.ts';
import { setTimeout } from 'node:timers/promises';
import { StaleConnectionError, type NodeReply, type NodeRequest } from './node-connection.ts';

const ok = (body = 'ok', headers = ''): string =>
  `HTTP/1.1 200 OK\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`;
const requestOf = (body: string): NodeRequest => ({
  method: 'POST',
  path: '/',
  headers: ['Host', 'server', 'Connection', 'keep-alive'],
  body: Buffer.from(body, 'latin1'),
});
const writtenHead = (length: number): string =>
  `POST / HTTP/1.1\r\nHost: server\r\nConnection: keep-alive\r\nContent-Length: ${length}\r\n\r\n`;

const NOT_WANTED = 'the reply is not wanted any more';

/** The bytes received on one connection, and the answer to them. */
interface Visit {
  readonly socket: Socket;
  text: string;
}

let server: Server;
let visits: Visit[];
let answer: (visit: Visit) => void;
let pool: ConnectionPool;
let clock: { readonly now: number };
/** By how much the clock is ahead of the time. */
let aheadMs: number;
const open: ConnectionPool[] = [];

beforeAll(async () => {
  server = createServer({ noDelay: true }, (socket) => visit(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
beforeEach(() => {
  visits = [];
  answer = ({ socket }) => socket.write(ok());
  aheadMs = 0;
  clock = {
    get now() {
      return performance.now() + aheadMs;
    },
  };
  pool = makePool();
});
afterEach(() => {
  for (const each of open.splice(0)) each.destroy();
  for (const { socket } of visits) socket.destroy();
});
afterAll(() => server.close());

function visit(socket: Socket): void {
  const own: Visit = { socket, text: '' };
  visits.push(own);
  socket
    .on('error', () => undefined)
    .on('data', (data: Buffer) => {
      own.text += data.toString('latin1');
      answer(own);
    });
}

const portOf = (one: Server): number => (one.address() as AddressInfo).port;

const openSockets = (): OpenSocket =>
  createGuardedSockets(createDial({ allow: ['127.0.0.0/8'] }), `http://127.0.0.1:${portOf(server)}`, {
    connectTimeoutMs: 5_000,
  });

function makePool({
  openSocket = openSockets(),
  connectionsMax,
}: {
  openSocket?: OpenSocket;
  connectionsMax?: number;
} = {}): ConnectionPool {
  const made = new ConnectionPool({
    openSocket,
    clock,
    connectionsMax,
  });
  open.push(made);
  return made;
}

/** A request and what it brought. */
class Taker {
  body = '';
  error: Error | undefined;
  isSent = false;
  isWanting: () => Promise<void> | undefined = () => undefined;
  readonly sender: Sender;
  readonly done: Promise<Taker>;

  constructor(body: string, into: ConnectionPool, idleMsMax?: number) {
    this.sender = {
      idleMsMax: idleMsMax ?? Infinity,
      isDone: false,
      abort: undefined,
      onSend: () => void (this.isSent = true),
    };
    this.done = into
      .send(requestOf(body), this.sender)
      .then((reply) => this.#read(reply))
      .catch((error: Error) => void (this.error = error))
      .then(() => this);
  }

  async #read({ head, body, accept }: NodeReply): Promise<void> {
    for await (const piece of body as AsyncIterable<Buffer>) {
      this.body += piece.toString('latin1');
      await this.isWanting();
    }
    if (head.status === 299) this.sender.abort?.();
    else accept();
  }
}

function send(body = 'body', into = pool, idleMsMax?: number): Taker {
  return new Taker(body, into, idleMsMax);
}

const ask = (body?: string, into?: ConnectionPool): Promise<Taker> => send(body, into).done;
const askFresh = (body: string): Promise<Taker> => send(body, pool, 0).done;

describe('connections', () => {
  it('are used again, one request at a time', async () => {
    for (const body of ['one', 'two', ''])
      expect(await ask(body)).toMatchObject({ body: 'ok', error: undefined });
    expect(visits.map(({ text }) => text)).toEqual([
      `${writtenHead(3)}one${writtenHead(3)}two${writtenHead(0)}`,
    ]);
  });

  it('carry a large body as it is', async () => {
    const body = Array.from({ length: 300_000 }, (_, at) => String.fromCharCode(at % 256)).join('');
    answer = ({ socket, text }) =>
      void (text.length >= writtenHead(body.length).length + body.length && socket.write(ok()));
    expect(await ask(body)).toMatchObject({ body: 'ok' });
    expect(visits[0]!.text).toBe(writtenHead(body.length) + body);
  });

  it.each([
    ['the server says so', ok('ok', 'Connection: close\r\n')],
    ['they are of HTTP/1.0', ok().replace('1.1', '1.0')],
    ['the server keeps them for too short', ok('ok', 'Keep-Alive: timeout=1\r\n')],
    ['the reply is to another request', ok().replace('200', '299')],
    ['something comes behind the reply', `${ok()}HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nbad`],
  ])('are left when %s', async (_name, text) => {
    answer = ({ socket }) => socket.write(text);
    for (let round = 0; round < 2; round += 1)
      expect(await ask()).toMatchObject({ body: 'ok', error: undefined });
    expect(visits).toHaveLength(2);
    await waitFor(() => visits.every(({ socket }) => socket.destroyed || socket.readableEnded));
  });

  it('are left when they were idle for longer than the server keeps them', async () => {
    answer = ({ socket }) => socket.write(ok('ok', 'Keep-Alive: timeout=5\r\n'));
    const stopped = { now: performance.now() };
    clock = stopped;
    pool = makePool();
    await ask();
    stopped.now += 2_999;
    await ask();
    expect(visits).toHaveLength(1);
    stopped.now += 3_001;
    await ask();
    expect(visits).toHaveLength(2);
  });

  it.each([
    ['close', (socket: Socket) => socket.end()],
    ['reset', (socket: Socket) => socket.resetAndDestroy()],
    [
      'a word that nobody asked for',
      (socket: Socket) => socket.write('HTTP/1.1 408 Timeout\r\nContent-Length: 0\r\n\r\n'),
    ],
  ] as const)('that end while they are idle (%s) cost no request', async (_name, end) => {
    await ask();
    end(visits[0]!.socket);
    await waitFor(() => visits[0]!.socket.destroyed || visits[0]!.socket.readableEnded);
    // The bytes sent to this end have arrived: one turn of the loop reads them.
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(await ask()).toMatchObject({ body: 'ok', error: undefined });
    expect(visits).toHaveLength(2);
  });

  it('are left when the server answers before it has read the request', async () => {
    answer = ({ socket }) => {
      socket.pause();
      if (visits.length === 1) socket.write(ok('early'));
      else socket.resume().write(ok());
    };
    expect(await ask('x'.repeat(30_000_000))).toMatchObject({ body: 'early' });
    expect(await ask()).toMatchObject({ body: 'ok' });
    expect(visits).toHaveLength(2);
  });

  it('are not more than allowed: what is more waits in its order', async () => {
    pool = makePool({ connectionsMax: 2 });
    answer = (own) => setImmediate(() => own.socket.write(ok(own.text.slice(-1))));
    const replies = await Promise.all([...'abcdefgh'].map((body) => ask(body)));
    expect(replies.map(({ body }) => body).join('')).toBe('abcdefgh');
    expect(visits).toHaveLength(2);
  });

  it('are new ones for requests that no kept one may carry, though kept ones get free, within what is allowed', async () => {
    pool = makePool({ connectionsMax: 2 });
    const requests = new Map<Visit, number>();
    answer = (own) => {
      requests.set(own, (requests.get(own) ?? 0) + 1);
      setImmediate(() => own.socket.write(ok(`${own.text.slice(-1)}${requests.get(own)}`)));
    };
    await Promise.all([ask('a'), ask('b')]);
    const replies = await Promise.all([ask('c'), askFresh('d'), ask('e'), askFresh('f'), askFresh('g')]);
    expect(
      replies.filter((_reply, position) => [1, 3, 4].includes(position)).map(({ body }) => body),
    ).toEqual(['d1', 'f1', 'g1']);
    expect(replies.map(({ body }) => body[0]).join('')).toBe('cdefg');
  });
});

describe('a request', () => {
  it.each([
    ['nothing', (socket: Socket) => socket.end()],
    ['a reset', (socket: Socket) => socket.resetAndDestroy()],
    ['half a head', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Le')],
    ['half a body', (socket: Socket) => socket.end(ok('abcdef').slice(0, -3))],
    [
      'half a chunk',
      (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab'),
    ],
    ['no HTTP', (socket: Socket) => socket.write('hello\r\n')],
  ] as const)('that gets %s fails, and is known to be sent', async (_name, end) => {
    answer = ({ socket }) => void end(socket);
    const { error, isSent } = await ask();
    expect([error?.message, isSent]).toEqual([expect.any(String), true]);
    answer = ({ socket }) => socket.write(ok());
    expect(await ask()).toMatchObject({ body: 'ok' });
  });

  it('that cannot be sent fails, and is known not to be', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const port = portOf(closed);
    closed.close();
    const dial = createDial({ allow: ['127.0.0.0/8'] });
    const refused = await ask(
      'x',
      makePool({
        openSocket: createGuardedSockets(dial, `http://127.0.0.1:${port}`, { connectTimeoutMs: 5_000 }),
      }),
    );
    expect(refused).toMatchObject({ isSent: false, error: { code: 'ECONNREFUSED' } });
    for (const host of ['127.0.0.1', 'localhost']) {
      const { isSent, error } = await ask(
        'x',
        makePool({
          openSocket: createGuardedSockets(createDial({ allow: [] }), `http://${host}:${portOf(server)}`, {
            connectTimeoutMs: 5_000,
          }),
        }),
      );
      expect([isSent, error!.name]).toEqual([false, 'BlockedAddressError']);
    }
    expect(visits).toHaveLength(0);
  });

  const EARLY = 'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n';
  const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\no\r\n1\r\nk\r\n0\r\n\r\n';
  it.each([
    ['100', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['102', 'HTTP/1.1 102 Processing\r\n\r\n'],
    ['103', EARLY],
    ['several', `HTTP/1.1 100 Continue\r\n\r\n${EARLY}HTTP/1.1 102 Processing\r\n\r\n${EARLY}`],
  ])('gets the answer behind interim responses (%s), over one connection', async (_name, interim) => {
    // At once, and each in a packet of its own; with a length, and in chunks.
    const replies = [ok(), CHUNKED].flatMap((reply) => [[interim + reply], [interim, reply]]);
    for (const parts of replies) {
      answer = ({ socket }) =>
        void parts.reduce(
          (before, part) => before.then(() => void socket.write(part)).then(() => setTimeout(2)),
          Promise.resolve(),
        );
      expect(await ask()).toMatchObject({ body: 'ok', error: undefined });
    }
    expect(visits).toHaveLength(1);
  });

  it('that got an interim response alone fails, and not as one that may be repeated', async () => {
    await ask();
    answer = ({ socket }) => void socket.end(EARLY);
    const { error } = await ask();
    expect([error?.message, error instanceof StaleConnectionError]).toEqual([expect.any(String), false]);
    expect(visits).toHaveLength(1);
  });

  it.each([
    ['closed', (socket: Socket) => socket.end()],
    ['reset', (socket: Socket) => socket.resetAndDestroy()],
  ] as const)('whose kept connection is %s before a byte is told so', async (_name, end) => {
    await ask();
    answer = ({ socket }) => void end(socket);
    expect((await ask()).error).toBeInstanceOf(StaleConnectionError);
    // Over a new connection, the server had it.
    expect((await askFresh('x')).error).not.toBeInstanceOf(StaleConnectionError);
    expect(visits).toHaveLength(2);
  });

  it('that switches protocols fails', async () => {
    answer = ({ socket }) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
    expect((await ask()).error).toBeInstanceOf(Error);
  });

  it('leaves no listener on a connection that is used again', async () => {
    const sockets: Socket[] = [];
    const open = openSockets();
    pool = makePool({
      openSocket: (onread, connected) => {
        const socket = open(onread, connected);
        sockets.push(socket);
        return socket;
      },
    });
    const counts = (): number[] =>
      ['data', 'end', 'error', 'close', 'drain', 'timeout'].map((name) => sockets[0]!.listenerCount(name));
    await ask();
    await ask();
    const before = counts();
    for (let round = 0; round < 20; round += 1) await ask();
    expect([visits.length, counts()]).toEqual([1, before]);
  });

  it('whose reply ends with its connection is whole', async () => {
    answer = ({ socket }) => void socket.end('HTTP/1.1 200 OK\r\n\r\nto the end');
    expect(await ask()).toMatchObject({ body: 'to the end', error: undefined });
  });

  it('that is not wanted any more takes its connection along, or never gets one', async () => {
    pool = makePool({ connectionsMax: 1 });
    answer = () => undefined;
    const [first, second, third] = ['first', 'second', 'third'].map((body) => send(body));
    await waitFor(() => visits[0]?.text.endsWith('first') === true);
    second!.sender.abort?.();
    first!.sender.abort?.();
    answer = ({ socket }) => socket.write(ok());
    expect(await third!.done).toMatchObject({ body: 'ok' });
    expect([
      (await first!.done).error?.message,
      (await second!.done).error?.message,
      second!.isSent,
      visits[0]!.socket.destroyed || visits[0]!.socket.readableEnded,
      visits[1]!.text,
    ]).toEqual([NOT_WANTED, NOT_WANTED, false, true, `${writtenHead(5)}third`]);
  });

  it('whose reply is not taken holds the server back, and loses nothing', async () => {
    const size = 40_000_000;
    answer = ({ socket }) =>
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n${'y'.repeat(size)}`);
    const taker = send();
    let flow: () => void = () => undefined;
    const isFlowing = new Promise<void>((resolve) => (flow = resolve));
    taker.isWanting = () => isFlowing;
    await waitFor(() => taker.body.length > 0);
    await new Promise((resolve) => setImmediate(resolve));
    expect(visits[0]!.socket.writableLength).toBeGreaterThan(0);
    expect(taker.body.length).toBeLessThan(1_000_000);
    flow();
    expect((await taker.done).body).toHaveLength(size);
    expect(await ask()).toMatchObject({ body: expect.any(String) as string, error: undefined });
    expect(visits).toHaveLength(1);
  });

  it('that waits ends with its pool, one that is under way ends in peace', async () => {
    pool = makePool({ connectionsMax: 1 });
    answer = () => undefined;
    const first = send();
    const second = send();
    await waitFor(() => visits.length === 1);
    pool.close();
    visits[0]!.socket.write(ok());
    expect(await first.done).toMatchObject({ body: 'ok', error: undefined });
    await waitFor(() => second.isSent);
    const third = send();
    pool.destroy();
    for (const taker of [second, third])
      expect((await taker.done).error?.message).toBe('the server is not asked any more');
  });
});

it('speaks TLS as well', async () => {
  const psk = { psk: Buffer.alloc(16, 7), identity: 'spec' };
  const secure = createSecureServer({ pskCallback: () => psk.psk, ciphers: 'PSK' }, visit).listen(
    0,
    '127.0.0.1',
  );
  await once(secure, 'listening');
  const openSocket: OpenSocket = (onread, connected) =>
    connectSecurely(
      {
        host: '127.0.0.1',
        port: portOf(secure),
        pskCallback: () => psk,
        ciphers: 'PSK',
        checkServerIdentity: () => undefined,
        onread,
      } as never,
      connected,
    );
  const size = 500_000;
  answer = ({ socket }) => socket.write(ok('z'.repeat(size)));
  const over = makePool({ openSocket });
  for (let round = 0; round < 2; round += 1) expect((await ask('x', over)).body).toHaveLength(size);
  expect(visits).toHaveLength(1);
  // A server whose certificate nobody vouches for gets no request.
  const guarded = createGuardedSockets(
    createDial({ allow: ['127.0.0.0/8'] }),
    `https://127.0.0.1:${portOf(secure)}`,
    { connectTimeoutMs: 5_000 },
  );
  expect(await ask('x', makePool({ openSocket: guarded }))).toMatchObject({
    isSent: false,
    error: { library: 'SSL routines' },
  });
  const mute = createGuardedSockets(
    createDial({ allow: ['127.0.0.0/8'] }),
    `https://127.0.0.1:${portOf(server)}`,
    { connectTimeoutMs: 50 },
  );
  answer = () => undefined;
  expect((await ask('x', makePool({ openSocket: mute }))).error?.message).toMatch(
    /expected a connection to 127.0.0.1:\d+ within 50 ms/,
  );
  secure.close();
});
