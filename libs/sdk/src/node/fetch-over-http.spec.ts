// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { ConnectionError, createClient } from '../index.ts';
import { fetchOverHttp } from './fetch-over-http.ts';

/** Sends these interim responses before each answer. */
let interim: string;
/** The answer, as bytes. */
let final: string;
let server: Server;
let baseUrl: string;
let requests: string[];
const sockets = new Set<Socket>();

const ANSWER = '{"items":[],"meta":{"limit":20,"page":1,"total":0,"total_pages":0}}';
const answerWith = (body: string, status = '200 OK', type = 'application/json'): string =>
  `HTTP/1.1 ${status}\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\nset-cookie: a=1\r\nset-cookie: b=2\r\n\r\n${body}`;

beforeAll(async () => {
  server = createServer((socket) => {
    let seen = '';
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (piece) => {
      // One character a byte, as `content-length` counts.
      seen += piece.toString('latin1');
      const [head, body] = seen.split('\r\n\r\n');
      if (body === undefined || Number(/content-length: (\d+)/i.exec(head!)?.[1] ?? 0) > body.length) return;
      requests.push(Buffer.from(seen, 'latin1').toString());
      seen = '';
      socket.write(interim);
      setTimeout(() => socket.write(final), 10);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});
beforeEach(() => {
  requests = [];
  final = answerWith(ANSWER);
});

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const HINTS = 'HTTP/1.1 103 Early Hints\r\nlink: </style.css>; rel=preload\r\n\r\n';
const PROCESSING = 'HTTP/1.1 102 Processing\r\n\r\n';
// A new connection for each: what the answer before left behind is no part of the question.
const FRESH = { connection: 'close' };
const open = (fetch?: typeof globalThis.fetch) => createClient({ baseUrl, apiKey: 'key', fetch });

describe("Node's own fetch", () => {
  it.each([
    ['103 Early Hints', HINTS],
    ['102 Processing', PROCESSING],
    ['several', PROCESSING + HINTS],
  ])('reads past %s', async (_name, sent) => {
    interim = sent;
    expect((await open().addresses.list()).meta.total).toBe(0);
  });

  it('fails at a 100 Continue that it did not ask for, which the README says', async () => {
    interim = CONTINUE;
    await expect(
      open((input, init) => fetch(new Request(input, init), { headers: FRESH })).addresses.updateMany({
        items: [{ address: '0x1', label: 'x' }],
      }),
    ).rejects.toThrow(ConnectionError);
  });
});

describe('fetchOverHttp', () => {
  it.each([
    ['none', ''],
    ['100 Continue', CONTINUE],
    ['103 Early Hints', HINTS],
    ['all of them', CONTINUE + PROCESSING + HINTS + CONTINUE],
  ])('reads past %s', async (_name, sent) => {
    interim = sent;
    const client = open(fetchOverHttp);
    expect((await client.addresses.list()).meta.total).toBe(0);
    final = answerWith('{"items":[]}');
    await client.addresses.updateMany({ items: [{ address: '0x1', label: 'ü' }] });
    expect(requests.map((request) => request.split(' ', 2).join(' '))).toEqual([
      'GET /v1/addresses',
      'PATCH /v1/addresses',
    ]);
    expect(requests[1]).toMatch(/x-api-key: key\r\n/);
    expect(requests[1]).toContain('{"items":[{"address":"0x1","label":"ü"}]}');
  });

  it('gives the status, every header and no body where there is none', async () => {
    interim = CONTINUE;
    final = 'HTTP/1.1 204 No Content\r\nset-cookie: a=1\r\nset-cookie: b=2\r\n\r\n';
    const response = await fetchOverHttp(baseUrl, { method: 'DELETE' });
    expect([response.status, response.body, response.headers.getSetCookie()]).toEqual([
      204,
      null,
      ['a=1', 'b=2'],
    ]);
  });

  it('reads the stream of events', async () => {
    interim = CONTINUE;
    final = answerWith(
      'id: 1\nevent: balance.changed\ndata: {"type":"balance.changed"}\n\n',
      '200 OK',
      'text/event-stream',
    );
    for await (const event of open(fetchOverHttp).events.stream({ after: 0 })) {
      expect(event).toMatchObject({ type: 'balance.changed', position: 1 });
      break;
    }
  });

  it('ends with the signal, before and after the answer', async () => {
    interim = '';
    const abort = new AbortController();
    final = 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n12345';
    const response = await fetchOverHttp(baseUrl, { signal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(response.text()).rejects.toThrow();
    await expect(fetchOverHttp(baseUrl, { signal: abort.signal })).rejects.toThrow();
  });
});
