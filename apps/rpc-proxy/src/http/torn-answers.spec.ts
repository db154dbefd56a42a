// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { waitFor } from '@chainwatch/testing';
import { createHttpServer, type HttpServer } from './create-rpc-server.ts';
import type { ReplyHead } from '../upstreams/reply-head.ts';
import { DEFAULT_BOUNDS } from '../limits/bounds.ts';
import { ClientConnection } from '../limits/client-connections.ts';
import { Tenants } from '../limits/tenants.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { ClientReply } from './client-reply.ts';

const accounts = new Tenants(DEFAULT_BOUNDS);
const payer = accounts.quotaOf(
  { keyId: 'key', workspaceId: 'workspace' },
  new ClientConnection({} as Socket, Infinity, accounts.strangers),
);
const payers = {
  find: () => payer,
  ask: () => Promise.resolve(payer),
  payerOf: () => payer,
};
const head = (contentLength: number): ReplyHead => ({
  status: 200,
  contentType: 'application/json',
  contentEncoding: undefined,
  retryAfter: undefined,
  contentLength,
});

/** Sends these pieces of an answer, and its end when that comes. */
function sendLarge(
  reply: ClientReply,
  length: number,
  pieces: readonly string[],
  end: Promise<void> = Promise.resolve(),
): void {
  async function* read(): AsyncGenerator<Buffer> {
    for (const piece of pieces) yield Buffer.from(piece);
    await end;
  }
  void reply.send({
    type: 'large',
    head: head(length),
    pieces: read(),
    cancel: () => undefined,
    onCancel: () => undefined,
    upstream: {} as Upstream,
  });
}

describe('answers', () => {
  let http: HttpServer;
  let client: Socket;
  let said: string;
  let isClosed: boolean;
  /** The replies to each request, by its body. */
  let replies: Map<string, ClientReply>;

  beforeEach(async () => {
    [said, isClosed, replies] = ['', false, new Map()];
    http = createHttpServer({
      handle: (_req, channel, { body }) => void replies.set(body.toString(), new ClientReply(channel)),
      payers,
      answerOther: () => false,
      sweepMs: 10,
    });
    http.server.listen(0, '127.0.0.1');
    await once(http.server, 'listening');
    client = connect({
      port: (http.server.address() as AddressInfo).port,
      host: '127.0.0.1',
      allowHalfOpen: true,
    });
    client
      .on('data', (bytes: Buffer) => (said += bytes.toString('latin1')))
      .on('error', () => undefined)
      .on('close', () => (isClosed = true))
      .on('end', () => client.destroy());
  });
  afterEach(async () => {
    client.destroy();
    await http.close(0);
  });

  const post = (body: string, more = ''): string =>
    `POST /x HTTP/1.1\r\nHost: x\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;

  const begin = async (): Promise<ClientReply> => {
    client.write(post('[1]'));
    await waitFor(() => replies.has('[1]'));
    const reply = replies.get('[1]')!;
    sendLarge(reply, 10, ['12345'], new Promise(() => undefined));
    await waitFor(() => said.endsWith('12345'));
    return reply;
  };

  it('an answer in pieces is broken off, and nothing put into it, where the next request is cut', async () => {
    await begin();
    client.end('POST /x HTTP/1.1\r\nHo');
    await waitFor(() => isClosed);
    expect(said.slice(said.indexOf('\r\n\r\n') + 4)).toBe('12345');
  });

  it('an answer in pieces has nothing put into it where the next request is no HTTP', async () => {
    await begin();
    client.write('\0\0\r\n\r\n');
    await waitFor(() => isClosed);
    expect(said.slice(said.indexOf('\r\n\r\n') + 4)).toBe('12345');
  });

  it('what is no HTTP is told so behind a whole answer', async () => {
    client.write(post('[1]'));
    await waitFor(() => replies.has('[1]'));
    replies.get('[1]')!.whole({ ...head(3), body: Buffer.from('one') });
    client.write('\0\0\r\n\r\n');
    await waitFor(() => isClosed);
    expect(said).toMatch(/\r\n\r\noneHTTP\/1\.1 400 /);
  });

  it.each([
    ['whole', false],
    ['in pieces', true],
  ])(
    'a 100 Continue stands before its answer, also where that is given %s before its turn',
    async (_way, isStreamed) => {
      client.write(post('[1]', 'Connection: keep-alive, x\r\n') + post('[2]', 'Expect: 100-continue\r\n'));
      await waitFor(() => replies.size === 2);
      const [first, second] = [replies.get('[1]')!, replies.get('[2]')!];
      if (isStreamed) {
        sendLarge(second, 6, ['sec', 'ond']);
      } else second.whole({ ...head(6), body: Buffer.from('second') });
      first.whole({ ...head(5), body: Buffer.from('first') });
      await waitFor(() => said.includes('second'));
      expect(said.split('\r\n').filter((line) => /^HTTP|HTTP\/1|second/.test(line))).toEqual([
        'HTTP/1.1 200 OK',
        'firstHTTP/1.1 100 Continue',
        'HTTP/1.1 200 OK',
        'second',
      ]);
    },
  );
});
