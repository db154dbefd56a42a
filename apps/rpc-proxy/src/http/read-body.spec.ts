// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { waitFor } from '@chainwatch/testing';
import type { Payer } from './http-request.ts';
import { createHttpServer, type HttpServer } from './create-rpc-server.ts';

interface Heard {
  readonly error: string | undefined;
  readonly body: string;
}

/** Has room for whatever comes. */
class SpecPayer implements Payer {
  held = 0;

  take(bytes: number): undefined {
    this.held += bytes;
  }

  release(bytes: number): void {
    this.held -= bytes;
  }
}

let known: SpecPayer;
let stranger: SpecPayer;
let http: HttpServer;
let client: Socket;
let heard: Heard[];
let said: string;
let answer: (payer: Payer | undefined) => void;
let asked: number;

beforeEach(async () => {
  [heard, said, asked] = [[], '', 0];
  [known, stranger] = [new SpecPayer(), new SpecPayer()];
  const payers = {
    find: () => undefined,
    ask: () => {
      asked += 1;
      return new Promise<Payer | undefined>((resolve) => (answer = resolve));
    },
    payerOf: () => stranger,
  };
  http = createHttpServer({
    handle: (_req, channel, { error, body }) => {
      heard.push({ error: error?.name, body: body.toString() });
      channel.send(418, ['Content-Length', '5'], Buffer.from('heard'));
    },
    payers,
    answerOther: () => false,
  });
  http.server.listen(0, '127.0.0.1');
  await once(http.server, 'listening');
  client = connect((http.server.address() as AddressInfo).port, '127.0.0.1');
  client.on('data', (bytes: Buffer) => (said += bytes.toString())).on('error', () => undefined);
});
afterEach(async () => {
  client.destroy();
  await http.close(0);
  await waitFor(() => known.held + stranger.held === 0);
});

const post = (length: number, more = ''): void =>
  void client.write(`POST /x HTTP/1.1\r\nHost: x\r\n${more}Content-Length: ${length}\r\n\r\n`);

it('waits until it is known whose it is, and keeps no more than a read of it meanwhile', async () => {
  const body = 'b'.repeat(900_000);
  post(body.length);
  client.write(body);
  await waitFor(() => asked === 1 && stranger.held > 0);
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect([stranger.held <= 131_072, heard]).toEqual([true, []]);
  answer(known);
  await waitFor(() => heard.length === 1);
  expect([heard[0]!.error, heard[0]!.body === body, known.held + stranger.held]).toEqual([
    undefined,
    true,
    0,
  ]);
});

it('is empty where it is a stranger’s: nothing of it is unpacked', async () => {
  const bomb = gzipSync('b'.repeat(1_000_000));
  post(bomb.length, 'Content-Encoding: gzip\r\n');
  client.write(bomb);
  await waitFor(() => asked === 1);
  answer(undefined);
  await waitFor(() => heard.length === 1);
  expect(heard).toEqual([{ error: undefined, body: '' }]);
});

it('of a stranger is waited for to its end, or for 16 KiB, behind which the connection closes', async () => {
  post(10_000);
  client.write('s'.repeat(5_000));
  await waitFor(() => asked === 1);
  answer(undefined);
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(heard).toEqual([]);
  client.write('s'.repeat(5_000));
  await waitFor(() => said.includes('heard'));
  expect(said).not.toContain('Connection: close');
  said = '';
  post(1_000_000);
  client.write('s'.repeat(10_000));
  await waitFor(() => asked === 2);
  answer(undefined);
  client.write('s'.repeat(10_000));
  await waitFor(() => said.includes('heard') && client.closed);
  expect([said.includes('Connection: close'), heard]).toEqual([
    true,
    [
      { error: undefined, body: '' },
      { error: undefined, body: '' },
    ],
  ]);
});

it('of a sender who leaves is forgotten', async () => {
  post(10_000);
  client.write('s'.repeat(5_000));
  await waitFor(() => asked === 1);
  answer(known);
  await waitFor(() => known.held === 5_000);
  client.destroy();
  await waitFor(() => known.held + stranger.held === 0);
  expect(heard).toEqual([]);
});

it('that is too large in the end, or in no known code, is told so', async () => {
  for (const [body, encoding, error] of [
    [gzipSync('b'.repeat(1_100_000)), 'gzip', 'BodyTooLargeError'],
    [gzipSync('b'.repeat(80_000)), 'br', 'BodyEncodingError'],
    [Buffer.from('b'), 'zip', 'BodyEncodingError'],
  ] as const) {
    post(body.length, `Content-Encoding: ${encoding}\r\n`);
    client.write(body);
    const before = heard.length;
    await waitFor(() => asked === before + 1);
    answer(known);
    await waitFor(() => heard.length === before + 1);
    expect([heard[before]!.error, known.held]).toEqual([error, 0]);
  }
});
