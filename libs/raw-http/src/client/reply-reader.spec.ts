import { once } from 'node:events';
import { request } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import fc from 'fast-check';
import { MalformedReplyError, type WireHead } from './read-reply-head.ts';
import { ReplyReader } from './reply-reader.ts';

const RUNS = Number(process.env.WIRE_RUNS ?? 150);

interface Outcome {
  /** `cut`: the server closed in the middle; `malformed`: refused. */
  readonly end: 'whole' | 'cut' | 'malformed';
  readonly head: WireHead | undefined;
  readonly body: string;
  readonly isClean: boolean | undefined;
}

/** What a reader makes of bytes that come in these pieces, behind which the server closes. */
function readAll(pieces: readonly Buffer[]): Outcome {
  const outcome: { -readonly [Key in keyof Outcome]: Outcome[Key] } = {
    end: 'cut',
    head: undefined,
    body: '',
    isClean: undefined,
  };
  const reader = new ReplyReader({
    onHead: (head) => (outcome.head = head),
    onBody: (bytes, start, end) => (outcome.body += bytes.toString('latin1', start, end)),
    onReplyEnd: (isClean) => Object.assign(outcome, { end: 'whole', isClean }),
  });
  reader.expect();
  // As a socket does it: into one buffer, whose bytes behind the piece are of an earlier one.
  const buffer = Buffer.alloc(1 << 20, '\r\n\r\n');
  try {
    for (const piece of pieces) if (outcome.end !== 'whole') reader.read(buffer, piece.copy(buffer));
    if (outcome.end !== 'whole') reader.end();
  } catch (error) {
    if (!(error instanceof MalformedReplyError)) throw error;
    outcome.end = 'malformed';
  }
  return outcome;
}

const read = (text: string): Outcome => readAll([Buffer.from(text, 'latin1')]);
const cutAt = (bytes: Buffer, places: readonly number[]): Buffer[] => {
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

const inAnyCase = (text: string): fc.Arbitrary<string> =>
  fc
    .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
    .map((capitals) => [...text].map((char, at) => (capitals[at] ? char.toUpperCase() : char)).join(''));
const blanks = fc.constantFrom('', ' ', '\t', '  \t ');
const field = (name: string, value: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(inAnyCase(name), blanks, value, blanks)
    .map(([written, before, text, behind]) => `${written}:${before}${text}${behind}\r\n`);
const body = fc.oneof(
  fc.constantFrom(
    '',
    '{"jsonrpc":"2.0","id":1,"result":"0x1"}',
    '\r\n\r\n',
    'HTTP/1.1 200 OK\r\n\r\n',
    '0\r\n\r\n',
  ),
  fc.string({ unit: 'binary-ascii', maxLength: 200 }),
);
const extension = fc.constantFrom('', '', ';a', ';a=b', ';a="b;c"');
const trailers = fc.constantFrom('', '', 'X-Check: 1\r\n', 'A:\r\nb: c d\r\n');
const chunk = fc.tuple(
  fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 40 }),
  extension,
  fc.boolean(),
  fc.constantFrom('', '0', '000'),
);
const chunked = fc
  .tuple(fc.array(chunk, { maxLength: 5 }), trailers, extension)
  .map(([chunks, trailer, last]) => ({
    fields: 'chunked',
    bytes: `${chunks.map(([data, ext, isUpper, zeros]) => `${zeros}${isUpper ? data.length.toString(16).toUpperCase() : data.length.toString(16)}${ext}\r\n${data}\r\n`).join('')}0${last}\r\n${trailer}\r\n`,
  }));
const framed = fc.oneof(
  body.map((bytes) => ({ fields: `length ${bytes.length}`, bytes })),
  chunked,
  body.map((bytes) => ({ fields: 'close', bytes })),
);
const replyWith = (behindIt: fc.Arbitrary<string>): fc.Arbitrary<Buffer> =>
  fc
    .record({
      version: fc.constantFrom('1.1', '1.1', '1.1', '1.0'),
      status: fc.constantFrom(200, 200, 200, 201, 204, 304, 400, 404, 429, 500, 503),
      reason: fc.constantFrom(' OK', ' ', ' Not Found at all', ''),
      interim: fc.constantFrom(
        '',
        '',
        '',
        'HTTP/1.1 100 Continue\r\n\r\n',
        'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 100 \r\n\r\n',
      ),
      headers: fc.tuple(
        fc.option(
          field(
            'content-type',
            fc.constantFrom('application/json', 'Application/JSON', 'text/html; charset=utf-8'),
          ),
          { nil: '' },
        ),
        fc.option(field('content-encoding', fc.constantFrom('gzip', 'br')), { nil: '' }),
        fc.option(field('retry-after', fc.constantFrom('1', 'Wed, 21 Oct 2015 07:28:00 GMT')), { nil: '' }),
        fc.option(field('connection', fc.constantFrom('close', 'keep-alive', 'Keep-Alive, x')), { nil: '' }),
        fc.option(field('x-content-length', fc.constantFrom('7', '\u00e9', '')), { nil: '' }),
      ),
      // Node takes no tab behind a length.
      framing: fc.tuple(
        inAnyCase('content-length'),
        inAnyCase('transfer-encoding'),
        inAnyCase('chunked'),
        fc.constantFrom('', ' ', '  '),
      ),
      body: framed,
      behind: behindIt,
      missing: fc.oneof(
        { weight: 4, arbitrary: fc.constant(0) },
        { weight: 1, arbitrary: fc.integer({ min: 1, max: 60 }) },
      ),
    })
    // HTTP/1.0 has no chunks.
    .filter(({ version, body: { fields } }) => version === '1.1' || fields !== 'chunked')
    .map(
      ({
        version,
        status,
        reason,
        interim,
        headers,
        framing: [lengthName, codingName, coding, blank],
        body: { fields, bytes },
        behind,
        missing,
      }) => {
        const frame =
          fields === 'chunked'
            ? `${codingName}:${blank}${coding}\r\n`
            : fields === 'close'
              ? ''
              : `${lengthName}:${blank}${fields.slice(7)}${blank}\r\n`;
        const hasBody = status !== 204 && status !== 304;
        const text = `${interim}HTTP/${version} ${status}${reason}\r\n${headers.join('')}${frame}\r\n${hasBody ? bytes : ''}${hasBody && fields === 'close' ? '' : behind}`;
        return Buffer.from(text, 'latin1').subarray(0, Math.max(1, text.length - missing));
      },
    );

const reply = replyWith(
  fc.constantFrom('', '', '', 'x', '\r\n', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'),
);

describe('a reply', () => {
  let server: Server;
  let pieces: readonly Buffer[] = [];
  beforeAll(async () => {
    server = createServer({ noDelay: true }, (socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        for (const piece of pieces) socket.write(piece);
        socket.end();
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => server.close());

  /** What Node's own client makes of the same bytes from a real socket. */
  function ask(): Promise<{
    end: string;
    status?: number;
    type?: string;
    encoding?: string;
    retryAfter?: string;
    body?: string;
  }> {
    return new Promise((resolve) => {
      const req = request({
        port: (server.address() as AddressInfo).port,
        host: '127.0.0.1',
        method: 'POST',
        agent: false,
      });
      req.on('error', () => resolve({ end: 'failed' }));
      req.on('response', (res) => {
        let text = '';
        res.setEncoding('latin1').on('data', (data: string) => (text += data));
        res.on('error', () => resolve({ end: 'failed' }));
        res.on('end', () =>
          resolve({
            end: 'whole',
            status: res.statusCode!,
            type: res.headers['content-type'] ?? 'application/json',
            encoding: res.headers['content-encoding'],
            retryAfter: res.headers['retry-after'],
            body: text,
          }),
        );
      });
      req.end();
    });
  }

  it("is read as Node's client reads it, whatever its framing, and when it breaks off", async () => {
    await fc.assert(
      // What comes behind a whole reply is a fault of the reply to Node's client, and of the connection here.
      fc.asyncProperty(
        replyWith(fc.constant('')),
        fc.array(fc.nat(), { maxLength: 4 }),
        async (bytes, places) => {
          pieces = cutAt(bytes, places);
          const { end, head, body: text } = readAll(pieces);
          const own =
            end === 'whole'
              ? {
                  end,
                  status: head!.status,
                  type: head!.contentType,
                  encoding: head!.contentEncoding,
                  retryAfter: head!.retryAfter,
                  body: text,
                }
              : { end: 'failed' };
          expect(own).toEqual(await ask());
        },
      ),
      { numRuns: RUNS },
    );
  });

  it('is the same in whatever pieces it comes', () => {
    fc.assert(
      fc.property(reply, fc.array(fc.nat(), { maxLength: 12 }), (bytes, places) => {
        const { isClean: _, ...whole } = readAll([bytes]);
        expect(readAll(cutAt(bytes, places))).toMatchObject(whole);
        expect(readAll([...bytes].map((byte) => Buffer.of(byte)))).toMatchObject(whole);
      }),
      { numRuns: RUNS },
    );
  });

  it('is never taken from bytes that are none, and no byte is made up', () => {
    fc.assert(
      fc.property(
        reply,
        fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 3 }),
        (bytes, changes) => {
          const changed = Buffer.from(bytes);
          for (const [place, byte] of changes) changed[place % changed.length] = byte;
          const outcome = readAll([changed]);
          expect(changed.toString('latin1')).toContain(
            outcome.head?.framing === 'chunked' ? '' : outcome.body,
          );
        },
      ),
      { numRuns: RUNS },
    );
  });

  it.each([
    ['without a version', '200 OK\r\n\r\n'],
    ['of HTTP/2', 'HTTP/2.0 200 OK\r\n\r\n'],
    ['of HTTP/1.2', 'HTTP/1.2 200 OK\r\n\r\n'],
    ['with a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n'],
    ['with a status of four digits', 'HTTP/1.1 2000 OK\r\n\r\n'],
    ['with a status below 100', 'HTTP/1.1 099 OK\r\n\r\n'],
    ['with lines that end in a line feed alone', 'HTTP/1.1 200 OK\nContent-Length: 0\n\n'],
    ['with one line that ends in a line feed alone', 'HTTP/1.1 200 OK\r\nA: b\nContent-Length: 0\r\n\r\n'],
    ['with a carriage return inside', 'HTTP/1.1 200 OK\r\nA: b\rc\r\nContent-Length: 0\r\n\r\n'],
    ['with a NUL in a value', 'HTTP/1.1 200 OK\r\nA: b\0c\r\nContent-Length: 0\r\n\r\n'],
    ['with a folded header', 'HTTP/1.1 200 OK\r\nA: b\r\n c\r\nContent-Length: 0\r\n\r\n'],
    ['with a space before a colon', 'HTTP/1.1 200 OK\r\nContent-Length : 0\r\n\r\n'],
    ['with a header without a name', 'HTTP/1.1 200 OK\r\n: b\r\nContent-Length: 0\r\n\r\n'],
    ['with a header without a colon', 'HTTP/1.1 200 OK\r\nContent-Length\r\n\r\n'],
    [
      'with a length and chunks',
      'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['with two lengths that differ', 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd'],
    ['with a list of lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 3, 3\r\n\r\nabc'],
    ['with an empty length', 'HTTP/1.1 200 OK\r\nContent-Length: \r\n\r\n'],
    ['with a signed length', 'HTTP/1.1 200 OK\r\nContent-Length: +3\r\n\r\nabc'],
    ['with a length that no number holds', `HTTP/1.1 200 OK\r\nContent-Length: ${'9'.repeat(17)}\r\n\r\nabc`],
    ['with another transfer coding', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n'],
    [
      'that is chunked twice',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['of HTTP/1.0 with chunks', 'HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['with a chunk without a size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n\r\n'],
    ['with a chunk of a negative size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n\r\n'],
    [
      'with a chunk of a size that no number holds',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1000000000000\r\n\r\n',
    ],
    [
      'with a chunk that is longer than its size',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n',
    ],
    [
      'with a chunk that a line feed alone ends',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\na\r\n0\r\n\r\n',
    ],
    [
      'with an extension of control characters',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;\x01\r\na\r\n0\r\n\r\n',
    ],
    [
      'with an endless extension',
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;${'a'.repeat(5_000)}`,
    ],
    [
      'with a size of endless zeros',
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'0'.repeat(5_000)}`,
    ],
    ['with a folded trailer', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\n c\r\n\r\n'],
    [
      'with endless trailers',
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n${'a: b\r\n'.repeat(20_000)}`,
    ],
    ['with an endless head', `HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(20_000)}`],
    ['that goes on in another protocol', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n'],
    ['that is none', 'SSH-2.0-OpenSSH_9.6'],
  ])('%s is refused, also byte by byte', (_name, text) => {
    expect(read(text).end).toBe('malformed');
    expect(
      readAll(
        cutAt(
          Buffer.from(text, 'latin1'),
          Array.from({ length: text.length }, (_, at) => at),
        ),
      ).end,
    ).toBe('malformed');
  });

  it('with the same length twice, or a head of almost 64 KiB, is read', () => {
    expect(read('HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc')).toMatchObject({
      end: 'whole',
      body: 'abc',
    });
    expect(read(`HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(10_000)}Content-Length: 3\r\n\r\nabc`)).toMatchObject(
      { end: 'whole', body: 'abc' },
    );
  });

  it.each([
    ['HTTP/1.1 200 OK\r\n', 4_000],
    ['HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nKeep-Alive: timeout=10, max=100\r\n', 8_000],
    ['HTTP/1.1 200 OK\r\nKeep-Alive: max=5,timeout=600\r\n', 25_000],
    ['HTTP/1.1 200 OK\r\nKeep-Alive: timeout=2\r\n', 0],
    ['HTTP/1.1 200 OK\r\nKeep-Alive: timeout=soon\r\n', 4_000],
    ['HTTP/1.1 200 OK\r\nConnection: x\r\nConnection: Close\r\n', 0],
    ['HTTP/1.0 200 OK\r\n', 0],
    ['HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\n', 4_000],
  ])('%j keeps its connection for %i ms', (head, ms) => {
    expect(read(`${head}Content-Length: 0\r\n\r\n`).head!.keepAliveMs).toBe(ms);
    expect(read(`${head}\r\n`).head!.keepAliveMs).toBe(0);
  });

  it('tells whether anything came behind it', () => {
    expect(read('HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na').isClean).toBe(true);
    for (const text of [
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab',
      'HTTP/1.1 204 OK\r\n\r\n\r\n',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nx',
    ])
      expect(read(text)).toMatchObject({ end: 'whole', isClean: false });
  });
});
