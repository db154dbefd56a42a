import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { waitFor } from '@chainwatch/testing';
import { createHttpServer, type HttpServer } from './create-http-server.ts';
import type { RequestHandler } from './http-request.ts';
import type { ReplyChannel } from './reply-channel.ts';

const RUNS = Number(process.env.ACCEPTOR_RUNS ?? 120);

/** A server that reads by hand, or one that does not, whose requests are answered as a spec wants. */
interface SpecServer {
  readonly port: number;
  readonly http: HttpServer;
  /** The server's ends of the connections, by the client's port. */
  readonly sockets: Map<number, Socket>;
}

const servers: SpecServer[] = [];

/** Everybody is known, and may bring what fits. */
const payer = { take: () => undefined, release: () => undefined };
const payers = { find: () => payer, ask: () => Promise.resolve(payer), payerOf: () => payer };

async function startServer(
  handle: RequestHandler,
  { isPlain = false, headersTimeout = 15_000, requestTimeout = 60_000, keepAliveTimeout = 65_000 } = {},
): Promise<SpecServer> {
  const http = createHttpServer({
    handle,
    payers,
    headerNames: new Set(['accept-encoding', 'content-type', 'x-api-key', 'x-forwarded-for']),
    answerOther: (req, res) => {
      if (!/^(?:\/?|\/\?.*)$/.test(req.url ?? '')) return false;
      res.end(`list ${req.method}`);
      return true;
    },
    isPlain,
    timeouts: { headersTimeout, requestTimeout, keepAliveTimeout },
    sweepMs: 10,
  });
  http.server.on('upgrade', (req, socket) => socket.end(`HTTP/1.1 426 Upgrade\r\n\r\n${req.url}`));
  const sockets = new Map<number, Socket>();
  http.server.prependListener('connection', (socket: Socket) => void sockets.set(socket.remotePort!, socket));
  http.server.listen(0, '127.0.0.1');
  await once(http.server, 'listening');
  const started = { port: (http.server.address() as AddressInfo).port, http, sockets };
  servers.push(started);
  return started;
}

afterAll(() => Promise.all(servers.map(({ http }) => http.close(0))));

const JSON_TYPE = ['Content-Type', 'application/json'];
const MANY_HEADERS = ['X-Limit', '10', 'X-Reset', '1800000000'];

/** Answers with what was read of the request, in one of the ways that a channel offers. */
function answerInSomeWay(channel: ReplyChannel, text: string, largeBytes: number): void {
  const body = Buffer.from(text, 'latin1');
  const count = Math.ceil(largeBytes / body.length);
  const way = body.reduce((sum, byte) => sum + byte, 0) % 8;
  const headers = way > 3 ? [...JSON_TYPE, ...MANY_HEADERS] : JSON_TYPE;
  if (way === 0) sendWhole(channel, 200, ['Content-Type', 'text/x'], Buffer.concat([Buffer.from('>'), body]));
  else if (way === 1) sendWhole(channel, 400, headers, Buffer.from(JSON.stringify({ error: text })));
  else if (way === 2)
    sendWhole(
      channel,
      503,
      [...headers, 'Content-Encoding', 'gzip', 'Vary', 'Accept-Encoding', 'Retry-After', '7'],
      Buffer.concat([body, Buffer.alloc(70_000, 'x')]),
    );
  else if (way === 3) channel.send(204, [], Buffer.alloc(0));
  else if (way === 4)
    passPieces(channel, [...headers, 'Content-Length', String(body.length * count)], body, count);
  else if (way === 5) passPieces(channel, headers, body, Math.min(3, count));
  else sendWhole(channel, 200, headers, body);
}

function sendWhole(channel: ReplyChannel, status: number, headers: readonly string[], body: Buffer): void {
  if (!channel.isGone) channel.send(status, [...headers, 'Content-Length', String(body.length)], body);
}

/** Pieces are only lent: as soon as one is done with, it is overwritten. */
function passPieces(channel: ReplyChannel, headers: readonly string[], body: Buffer, count: number): void {
  const lent: Buffer[] = [];
  let passed = 0;
  const spoil = (): void => lent.splice(0).forEach((piece) => piece.fill('!'));
  const lend = (): Buffer => {
    passed += 1;
    lent.push(Buffer.from(body));
    return lent.at(-1)!;
  };
  const go = (): void => {
    while (passed < count) {
      if (!channel.write(lend())) return;
      spoil();
    }
    channel.end();
  };
  const resume = (): void => {
    spoil();
    go();
  };
  if (!channel.begin({ status: 200, headers }, [lend()], resume)) return;
  spoil();
  go();
}

const tellRequest = (...[req, , { error, body }]: Parameters<RequestHandler>): string => {
  const {
    'x-api-key': key,
    'content-type': type,
    'accept-encoding': encoding,
    'x-forwarded-for': forwarded,
  } = req.headers;
  return `${JSON.stringify([req.method, req.url, key, type, encoding, forwarded, error?.name])}${body.toString('latin1')}`;
};

/** Answers of a pair of servers to the same bytes: one read by hand, one by node:http. */
class Pair {
  pending = 0;
  isSlow = false;
  readonly #servers: SpecServer[] = [];

  async start(): Promise<this> {
    const handle: RequestHandler = (req, channel, received) => {
      const { body } = received;
      const text = tellRequest(req, channel, received);
      if (!this.isSlow) return answerInSomeWay(channel, text, 1);
      this.pending += 1;
      void this.#wait(body.length % 5).then(() => {
        this.pending -= 1;
        answerInSomeWay(channel, text, 300_000);
      });
    };
    this.#servers.push(await startServer(handle), await startServer(handle, { isPlain: true }));
    return this;
  }

  /** @param stages pieces of bytes; the answer to one stage is awaited before the next is sent */
  async expectSame(...stages: readonly (readonly Buffer[])[]): Promise<void> {
    const [own, plain] = [
      await this.#talk(this.#servers[0]!, stages),
      await this.#talk(this.#servers[1]!, stages),
    ];
    expect(own).toBe(plain);
  }

  async #wait(turns: number): Promise<void> {
    for (let turn = 0; turn < turns; turn += 1) await nextTurn();
  }

  /** Returns everything received and how the connection ended; then what came after the client closed its side. */
  async #talk({ port, sockets }: SpecServer, stages: readonly (readonly Buffer[])[]): Promise<string> {
    const client = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    let said = '';
    let isEnded = false;
    client.on('data', (bytes: Buffer) => (said += bytes.toString('latin1')));
    client
      .on('end', () => (isEnded = true))
      .on('error', () => (isEnded = true))
      .on('close', () => (isEnded = true));
    await once(client, 'connect');
    await turnsUntil(() => sockets.has(client.localPort!));
    const { localPort } = client;
    const socket = sockets.get(localPort!)!;
    const isQuiet = (): boolean =>
      isEnded ||
      (socket.bytesRead === client.bytesWritten &&
        this.pending === 0 &&
        socket.writableLength === 0 &&
        said.length === socket.bytesWritten);
    for (const pieces of stages) {
      for (const piece of pieces) {
        if (!isEnded) client.write(piece);
        await nextTurn();
      }
      let turns = 0;
      await turnsUntil(() => (turns = isQuiet() ? turns + 1 : 0) === 4);
    }
    const before = said;
    const fate = isEnded ? 'ended' : 'open';
    said = '';
    if (!client.destroyed) client.end();
    await turnsUntil(() => isEnded && (socket.destroyed || socket.writableEnded));
    client.destroy();
    sockets.delete(localPort!);
    return `${before}\n--- ${fate}\n${said}`.replaceAll(/^Date: .*\r$/gm, 'Date: masked');
  }
}

/** As `waitFor`, without a pause: what is waited for takes some turns. */
async function turnsUntil(isSo: () => boolean): Promise<void> {
  for (const until = Date.now() + 30_000; !isSo(); await nextTurn())
    if (Date.now() > until) throw new Error(`expected ${isSo.toString()} within 30 s`);
}

const split = (text: string, places: readonly number[]): Buffer[] => {
  const bytes = Buffer.from(text, 'latin1');
  const cuts = [
    0,
    ...[...new Set(places.map((place) => place % (bytes.length + 1)))].sort((one, other) => one - other),
    bytes.length,
  ];
  return cuts
    .slice(1)
    .map((cut, index) => bytes.subarray(cuts[index], cut))
    .filter(({ length }) => length > 0);
};

const post = (body: string, more = '', path = '/ethereum'): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nX-Api-Key: key\r\nContent-Type: application/json\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;
const withHead = (lines: string, body = '{"id":1}'): string =>
  `POST /ethereum HTTP/1.1\r\nHost: x\r\n${lines}\r\n\r\n${body}`;

/** Legal, and not of the strict form. */
const ODD = [
  'GET / HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /ethereum HTTP/1.1\r\nHost: x\r\n\r\n',
  '\r\n\r\nPOST /ethereum HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}',
  post('{}', '', '/'),
  post('{}', '', '//ethereum'),
  post('{}', '', '/ethereum?a=b'),
  post('{}', '', '/eth%65reum'),
  post('{}', '', 'http://x/ethereum'),
  post('{}', 'Connection: keep-alive, x\r\n'),
  post('{}', 'Proxy-Connection: keep-alive\r\n'),
  post('{}', 'Expect: 100-continue\r\n'),
  post('{}', 'Content-Encoding: identity\r\n'),
  post(gzipSync('{"id":1}').toString('latin1'), 'Content-Encoding: gzip\r\n'),
  post('{}', 'X-Api-Key: other\r\n'),
  post('{}', 'Content-Type: text/plain\r\n'),
  post('{}', 'Host: y\r\n'),
  post('{}', 'X-High: caf\xe9\r\n'),
  post('{}', `X-Long: ${'x'.repeat(5_000)}\r\n`),
  post('{}', 'X-Forwarded-For: 1.2.3.4\r\nX-Forwarded-For: 5.6.7.8\r\n'),
  withHead('X-Api-Key: key\r\nTransfer-Encoding: chunked', '5\r\nhello\r\n0\r\n\r\n'),
  withHead('X-Api-Key: key', ''),
  withHead('Content-Length: 08'),
  withHead('Content-Length: 8 '),
  withHead('Content-Length:8'),
];

/** Requests that readers interpret differently, and those that end the connection. */
const HOSTILE = [
  withHead('Content-Length: 8\r\nTransfer-Encoding: chunked', '0\r\n\r\nGET'),
  withHead('Transfer-Encoding: chunked\r\nContent-Length: 8', '0\r\n\r\nGET'),
  withHead('Content-Length: 8\r\nContent-Length: 8'),
  withHead('Content-Length: 8\r\nContent-Length: 9'),
  withHead('Content-Length: 8, 8'),
  withHead('Content-Length:\t 8\t '),
  ...['+8', '-8', '8a', '0x8', '', '8.0', '1e1', '99999999999999999999', ' ', '\t', '8 8'].map((length) =>
    withHead(`Content-Length: ${length}`),
  ),
  ...[
    'xchunked',
    'chunked, identity',
    'identity',
    'chunked\r\nTransfer-Encoding: identity',
    '\x0bchunked',
    '"chunked"',
    'chunked;a=b',
    ' chunked ',
  ].map((coding) => withHead(`Transfer-Encoding: ${coding}`, '0\r\n\r\n')),
  withHead('Transfer-Encoding : chunked\r\nContent-Length: 8'),
  withHead('Content-Length : 8'),
  withHead('Content-Length: 8\r\n folded: 1'),
  withHead('Content-Length: 8\r\nX: 1\r\n\t2'),
  withHead('Content-Length: 8\r\nX y: 1'),
  withHead('Content-Length: 8\r\n: 1'),
  withHead('Content-Length: 8\r\nX: \x00'),
  withHead('Content-Length: 8\r\nX: a\rb'),
  withHead('Content-Length: 8\r\nX: a\x7f'),
  withHead('Content-Length: 8\r\nX\x00: a'),
  withHead('Content-Length: 8\r\n\x80: a'),
  withHead('Content-Length: 8\nX: 1'),
  withHead('Content-Length: 8\r\nX'),
  'POST /ethereum HTTP/1.1\nHost: x\nContent-Length: 2\n\n{}',
  'POST /ethereum HTTP/1.1\r\nHost: x\r\nContent-Length: 2\n\n{}',
  'POST /ethereum HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}',
  'POST  /ethereum HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}',
  'POST /ethereum  HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}',
  'POST /ethereum\tHTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}',
  'POST /eth ereum HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}',
  'POST /ethereum HTTP/1.1 \r\nHost: x\r\nContent-Length: 2\r\n\r\n{}',
  'POST /ethereum HTTP/1.2\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}',
  'POST /ethereum HTTP/2.0\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}',
  'POST /ethereum http/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}',
  'post /ethereum HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}',
  'POST ethereum HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}',
  'POST /ethereum\r\nHost: x\r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  '\x00',
  post('{}', `X-Long: ${'x'.repeat(20_000)}\r\n`),
  // Longer and shorter than they say.
  `${post('{"id":1}')}{"id":2}`,
  withHead('Content-Length: 9\r\nX-Api-Key: key'),
];

/** What ends the connection in order. */
const LAST = [
  post('{}', 'Connection: close\r\n'),
  post('{}', 'Connection: Close\r\n'),
  post('{}').replace('HTTP/1.1', 'HTTP/1.0'),
  'GET /ethereum HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  'GET /ethereum HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
];

const inAnyCase = (text: string): fc.Arbitrary<string> =>
  fc
    .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
    .map((capitals) => [...text].map((char, at) => (capitals[at] ? char.toUpperCase() : char)).join(''));
const blanks = fc.constantFrom('', ' ', '\t', '  \t ');
const field = (name: string, value: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(inAnyCase(name), blanks, value, blanks)
    .map(([written, before, text, behind]) => `${written}:${before}${text}${behind}\r\n`);
const value = fc.oneof(
  fc.constantFrom('', 'application/json', 'gzip, br', 'a  b'),
  fc.string({ maxLength: 12 }),
);
const body = fc.oneof(
  fc.constantFrom('', '{}', '{"id":1}', '\r\n\r\n', 'POST / HTTP/1.1\r\n\r\n', '0\r\n\r\n'),
  fc.string({ unit: 'binary-ascii', maxLength: 60 }),
  fc.nat(90_000).map((length) => 'y'.repeat(length)),
);
/** Requests of the strict form, however unusual. */
const strict = body.chain((sent) =>
  fc
    .tuple(
      fc.constantFrom('/ethereum', '/eip155:1', '/tron/wallet/x', '/a-b_c.d~'),
      fc.shuffledSubarray([
        'x-api-key',
        'content-type',
        'accept-encoding',
        'x-forwarded-for',
        'x-other',
        'te',
        'keep-alive',
        'user-agent',
      ]),
      fc.array(value, { minLength: 8, maxLength: 8 }),
      field('host', fc.constantFrom('x', '127.0.0.1:80', '')),
      fc
        .tuple(inAnyCase('content-length'), fc.constantFrom('', ' ', '  '))
        .map(([name, blank]) => `${name}:${blank}${sent.length}\r\n`),
      fc.option(field('connection', inAnyCase('keep-alive')), { nil: '' }),
    )
    .chain(([path, names, values, ...framing]) =>
      fc
        .tuple(
          fc.tuple(...names.map((name, at) => field(name, fc.constant(values[at]!)))),
          fc.shuffledSubarray(framing, { minLength: 3 }),
        )
        .map(([fields, frame]) => `POST ${path} HTTP/1.1\r\n${[...fields, ...frame].join('')}\r\n${sent}`),
    ),
);
const legal = fc.oneof({ weight: 3, arbitrary: strict }, { weight: 1, arbitrary: fc.constantFrom(...ODD) });
const places = fc.oneof(fc.constant([]), fc.array(fc.nat(100_000), { maxLength: 6 }));

describe('by hand and by node:http', () => {
  let pair: Pair;

  beforeAll(async () => (pair = await new Pair().start()));

  it.each([...ODD, ...HOSTILE, ...LAST].map((text) => [text.slice(0, 200), text]))(
    '%j is answered alike, alone, first and second',
    async (_, text) => {
      pair.isSlow = false;
      await pair.expectSame([Buffer.from(text, 'latin1')]);
      await pair.expectSame([Buffer.from(post('[1]'))], [Buffer.from(text, 'latin1')]);
      if (LAST.includes(text)) return;
      await pair.expectSame([Buffer.from(text + post('[2]'), 'latin1')]);
      await pair.expectSame([Buffer.from(post('[1]'))], split(text + post('[2]'), [1, 20, 60, 100, 150]));
    },
  );

  it('two requests in one are answered alike wherever they are cut', async () => {
    pair.isSlow = true;
    const text = post('{"id":1}', 'Connection: keep-alive\r\n') + post('{"id":23}');
    for (let place = 0; place <= text.length; place += RUNS > 1_000 ? 1 : 3)
      await pair.expectSame(split(text, [place]));
  });

  it('anything legal, in any pieces, is answered alike and in its order, however long the answers take', async () => {
    pair.isSlow = true;
    await fc.assert(
      fc.asyncProperty(
        fc.array(legal, { minLength: 1, maxLength: 5 }),
        fc.constantFrom('', '', ...LAST),
        places,
        async (requests, last, cuts) =>
          void (await pair.expectSame(split(requests.join(''), cuts), [Buffer.from(last)])),
      ),
      { numRuns: RUNS },
    );
  });

  it('anything illegal, behind and before what is legal, is answered alike', async () => {
    pair.isSlow = false;
    await fc.assert(
      fc.asyncProperty(
        fc.array(legal, { maxLength: 3 }),
        fc.constantFrom(...HOSTILE),
        fc.array(legal, { maxLength: 1 }),
        places,
        async (before, hostile, behind, cuts) =>
          void (await pair.expectSame(
            ...before.map((text) => split(text, cuts)),
            split([hostile, ...behind].join(''), cuts),
          )),
      ),
      { numRuns: RUNS },
    );
  });

  it('a request with a letter changed anywhere is answered alike, also behind the same one without', async () => {
    pair.isSlow = false;
    await fc.assert(
      fc.asyncProperty(
        strict,
        fc.nat(),
        fc.nat(255),
        fc.constantFrom(0, 1),
        fc.boolean(),
        async (text, at, byte, cut, isSecond) => {
          const place = at % Math.min(text.length, 200);
          const changed = Buffer.from(
            `${text.slice(0, place)}${String.fromCharCode(byte)}${text.slice(place + cut)}`,
            'latin1',
          );
          await pair.expectSame(isSecond ? [Buffer.from(text, 'latin1')] : [], [changed]);
        },
      ),
      { numRuns: RUNS * 2 },
    );
  });
});

describe('an acceptor', () => {
  interface Client {
    readonly socket: Socket;
    said: string;
    isEnded: boolean;
  }

  async function open({ port }: SpecServer, text = ''): Promise<Client> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    const client: Client = { socket, said: '', isEnded: false };
    socket
      .on('data', (bytes: Buffer) => (client.said += bytes.toString('latin1')))
      .on('end', () => (client.isEnded = true))
      .on('error', () => (client.isEnded = true));
    await once(socket, 'connect');
    if (text !== '') socket.write(text);
    return client;
  }

  const bodiesOf = ({ said }: Client): string[] =>
    said
      .split(/HTTP\/1\.1 /)
      .slice(1)
      .map((answer) => `${answer.slice(0, 3)} ${answer.slice(answer.indexOf('\r\n\r\n') + 4)}`);

  /** Holds calls until the spec answers them. */
  function holdCalls(): {
    handle: RequestHandler;
    calls: { text: string; channel: ReplyChannel; isLeft: boolean; answer: () => void }[];
  } {
    const calls: ReturnType<typeof holdCalls>['calls'] = [];
    const handle: RequestHandler = (_req, channel, { body: sent }) => {
      const held = {
        text: sent.toString(),
        channel,
        isLeft: false,
        answer: () => sendWhole(channel, 200, JSON_TYPE, sent),
      };
      channel.onLeave(() => (held.isLeft = true));
      calls.push(held);
    };
    return { handle, calls };
  }

  it('begins pipelined requests at once and answers them in order, also before what is none', async () => {
    const { handle, calls } = holdCalls();
    const client = await open(await startServer(handle));
    client.socket.write(`${post('1')}${post('2')}${post('3')}nonsense\r\n\r\n`);
    await waitFor(() => calls.length === 3);
    for (const index of [2, 1]) calls[index]!.answer();
    await nextTurn();
    expect(client.said).toBe('');
    calls[0]!.answer();
    await waitFor(() => client.isEnded);
    expect(bodiesOf(client)).toEqual([
      '200 1',
      '200 2',
      '200 3',
      '400 {"error":"the request is not well-formed HTTP"}',
    ]);
    client.socket.destroy();
  });

  it('has no more than 100 requests of a connection under way', async () => {
    const { handle, calls } = holdCalls();
    const client = await open(await startServer(handle));
    const texts = Array.from({ length: 250 }, (_, index) => String(index));
    client.socket.write(texts.map((text) => post(text)).join(''));
    await waitFor(() => calls.length === 100);
    for (let at = 0; at < 250; at += 1) {
      await waitFor(() => calls.length > at);
      expect(calls.length).toBeLessThanOrEqual(at + 100);
      calls[at]!.answer();
    }
    await waitFor(() => bodiesOf(client).length === 250);
    expect(bodiesOf(client)).toEqual(texts.map((text) => `200 ${text}`));
    client.socket.destroy();
  });

  it('begins no request while large answers wait for those before them', async () => {
    const { handle, calls } = holdCalls();
    const server = await startServer(handle);
    const client = await open(server, post('1') + post('2'.repeat(100_000)));
    await waitFor(() => calls.length === 2);
    calls[1]!.answer();
    client.socket.write(post('3'));
    const [end] = server.sockets.values();
    await waitFor(() => end!.bytesRead === client.socket.bytesWritten);
    await nextTurn();
    expect(calls).toHaveLength(2);
    calls[0]!.answer();
    await waitFor(() => calls.length === 3);
    calls[2]!.answer();
    await waitFor(() => bodiesOf(client).length === 3);
    expect(bodiesOf(client)).toEqual(['200 1', `200 ${'2'.repeat(100_000)}`, '200 3']);
    client.socket.destroy();
  });

  it('tells of a client that leaves, and of none that has its answer', async () => {
    const { handle, calls } = holdCalls();
    const client = await open(await startServer(handle));
    client.socket.write(post('1') + post('2') + post('3'));
    await waitFor(() => calls.length === 3);
    calls[0]!.answer();
    calls[2]!.answer();
    await waitFor(() => client.said !== '');
    client.socket.resetAndDestroy();
    await waitFor(() => calls[1]!.isLeft);
    // The third has an answer that never went out.
    expect(calls.map(({ isLeft }) => isLeft)).toEqual([false, true, true]);
    calls[1]!.answer();
  });

  it('cuts the connection where an answer breaks off, behind those before it', async () => {
    const { handle, calls } = holdCalls();
    const client = await open(await startServer(handle));
    client.socket.write(post('1') + post('2') + post('3'));
    await waitFor(() => calls.length === 3);
    const { channel } = calls[1]!;
    channel.begin(
      { status: 200, headers: ['Content-Length', '100'] },
      [Buffer.from('some')],
      () => undefined,
    );
    channel.destroy();
    calls[2]!.answer();
    calls[0]!.answer();
    await waitFor(() => client.isEnded);
    expect(bodiesOf(client)).toEqual(['200 1']);
  });

  it('ends connections that say nothing, and those that stop in the middle, as node:http does', async () => {
    const { handle, calls } = holdCalls();
    const server = await startServer(handle, {
      headersTimeout: 300,
      requestTimeout: 400,
      keepAliveTimeout: 300,
    });
    const [silent, head, cut, idle] = await Promise.all(
      ['', 'POST /ethereum HTTP/1.1\r\n', post('{"id":1}').slice(0, -3), post('1')].map((text) =>
        open(server, text),
      ),
    );
    await waitFor(() => calls.length === 1);
    await waitFor(() => silent!.isEnded && head!.isEnded && cut!.isEnded);
    for (const client of [silent!, head!, cut!])
      expect(bodiesOf(client)).toEqual(['400 {"error":"the request is not well-formed HTTP"}']);
    // A client that waits for an answer may wait as long as the answer takes.
    const later = await open(server);
    await waitFor(() => later.isEnded);
    expect(idle!.isEnded).toBe(false);
    calls[0]!.answer();
    await waitFor(() => idle!.isEnded);
    expect(bodiesOf(idle!)).toEqual(['200 1']);
    for (const { socket } of [silent!, head!, cut!, idle!, later]) socket.destroy();
  });

  it('lets answers under way end when it stops, and says that they are the last', async () => {
    const { handle, calls } = holdCalls();
    const server = await startServer(handle);
    const [unused, idle, busy, foreign] = await Promise.all([
      open(server),
      open(server),
      open(server),
      open(server),
    ]);
    idle!.socket.write(post('1'));
    await waitFor(() => calls.length === 1);
    calls[0]!.answer();
    await waitFor(() => idle!.said !== '');
    busy!.socket.write(post('2') + post('3'));
    foreign!.socket.write(post('4', '', '/ethereum?a'));
    await waitFor(() => calls.length === 4);
    const closed = server.http.close(30_000);
    await waitFor(() => unused!.isEnded && idle!.isEnded);
    for (const { socket } of [unused!, idle!]) socket.destroy();
    for (const call of calls.slice(1)) call.answer();
    await waitFor(() => busy!.isEnded);
    expect(bodiesOf(busy!)).toEqual(['200 2', '200 3']);
    expect(busy!.said.match(/Connection: [a-z-]+/g)).toEqual(['Connection: keep-alive', 'Connection: close']);
    await waitFor(() => foreign!.said !== '');
    for (const { socket } of [busy!, foreign!]) socket.destroy();
    await closed;
  });

  it('takes no more from the answering side than a client takes that reads slowly', async () => {
    const piece = Buffer.alloc(262_144, 'x');
    const count = 400;
    const passed: number[] = [];
    const handle: RequestHandler = (_req, channel) => {
      const index = passed.push(1) - 1;
      const go = (): void => {
        while (passed[index]! < count) {
          passed[index]! += 1;
          if (!channel.write(piece)) return;
        }
        channel.end();
      };
      const headers = ['Content-Length', String(piece.length * count)];
      if (channel.begin({ status: 200, headers }, [piece], go)) go();
    };
    const server = await startServer(handle);
    const socket = connect({ port: server.port, host: '127.0.0.1' });
    await once(socket, 'connect');
    socket.pause();
    socket.write(post('large') + post('larger'));
    // What fits into the buffers of the kernel and of the client; the second request waits.
    let before = '';
    await waitFor(() => passed.length > 0 && before === (before = passed.join()), { intervalMs: 100 });
    expect(passed[0]).toBeLessThan(count / 4);
    expect(passed).toHaveLength(1);
    let bytes = 0;
    socket.on('data', (data: Buffer) => (bytes += data.length));
    socket.resume();
    await waitFor(() => bytes > 2 * count * piece.length);
    socket.destroy();
  });
});
