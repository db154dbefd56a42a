// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { waitFor } from '@chainwatch/testing';
import { closeWaitingAnswers } from './open-answers.ts';

describe('closeWaitingAnswers', () => {
  let server: Server;
  let client: Socket;
  let said: string;
  let answers: ServerResponse[];
  /** How often each was closed. */
  let closed: number[];
  beforeEach(async () => {
    [said, answers, closed] = ['', [], []];
    server = createServer((_req, res) => {
      const place = answers.push(res) - 1;
      closed.push(0);
      res.on('close', () => (closed[place]! += 1));
    });
    closeWaitingAnswers(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.on('error', () => undefined).on('data', (bytes) => (said += String(bytes)));
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20));
    await waitFor(() => answers.length === 20);
  });
  afterEach(async () => {
    client.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  it('tells every answer of a connection once that it has closed', async () => {
    for (const res of answers.slice(5)) res.end('done');
    client.destroy();
    await waitFor(() => closed.every((times) => times > 0));
    for (const res of answers.slice(0, 5)) res.end('late');
    await new Promise((resolve) => setImmediate(resolve));
    expect(closed).toEqual(answers.map(() => 1));
    expect(answers.every(({ destroyed }) => destroyed)).toBe(true);
  });

  it('leaves answers alone that go out in their turn', async () => {
    for (const [place, res] of [...answers.entries()].reverse()) res.end(`<${place}>`);
    await waitFor(() => said.includes('<19>'));
    expect(said.match(/<\d+>/g)).toEqual(answers.map((_res, place) => `<${place}>`));
    client.destroy();
    await waitFor(() => server.listening && closed.every((times) => times > 0));
    expect(closed).toEqual(answers.map(() => 1));
  });
});
