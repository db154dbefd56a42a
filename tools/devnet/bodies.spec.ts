// SPDX-License-Identifier: Apache-2.0
import { startAnvil } from '@chainwatch/testing';
import { once } from 'node:events';
import WebSocket from 'ws';
import { startBcoin } from './bitcoin/start-bcoin.ts';
import { startSolana } from './solana/start-solana.ts';

/** Neither JSON nor a call. */
const BODIES = ['', '{', 'no JSON', '\u0000', 'null', '5', '"text"', '{}', '[]', '[null]', '{"method":5}'];

/** Sends each body, then a call; returns the status of that and the code of the error of each body. */
async function shout(
  url: string,
  call: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; codes: (number | undefined)[] }> {
  const post = (body: string): Promise<Response> =>
    fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });
  const codes: (number | undefined)[] = [];
  for (const body of BODIES) {
    const text = await (await post(body)).text();
    codes.push(
      /"code":\s*(-?\d+)/.exec(text)?.[1] === undefined
        ? undefined
        : Number(/"code":\s*(-?\d+)/.exec(text)![1]),
    );
  }
  return { status: (await post(call)).status, codes };
}

it('bodies that are no call end no node: Solana, by HTTP and WebSocket', async () => {
  const node = await startSolana({ intervalMs: 0 });
  const call = '{"jsonrpc":"2.0","id":1,"method":"getSlot"}';
  const { status, codes } = await shout(node.url, call);
  expect(status).toBe(200);
  expect(codes).toEqual([
    ...[-32700, -32700, -32700, -32700],
    ...[-32600, -32600, -32600, -32600],
    undefined,
    ...[-32600, -32600],
  ]);
  const socket = new WebSocket(node.url.replace(/^http/, 'ws'));
  await once(socket, 'open');
  for (const [body, code] of [
    ['{', -32700],
    ['null', -32600],
    ['[]', -32600],
  ] as const) {
    socket.send(body);
    const [answer] = (await once(socket, 'message')) as [Buffer];
    expect(JSON.parse(answer.toString())).toMatchObject({ error: { code } });
  }
  socket.send(call);
  const [answer] = (await once(socket, 'message')) as [Buffer];
  expect(JSON.parse(answer.toString())).toMatchObject({ id: 1, result: expect.any(Number) });
  socket.terminate();
  const large = await fetch(node.url, { method: 'POST', body: 'x'.repeat(60_000) }).then(
    (response) => response.status,
    () => 413,
  );
  expect(large).toBe(413);
  await node.stop();
});

it('nor those of Bitcoin and Ethereum', async () => {
  const [bcoin, anvil] = await Promise.all([startBcoin(), startAnvil()]);
  const { origin, username, password } = new URL(bcoin.url);
  const { status } = await shout(origin, '{"id":1,"method":"getblockcount","params":[]}', {
    authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
  });
  expect(status).toBe(200);
  expect((await shout(anvil.url, '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}')).status).toBe(
    200,
  );
  await Promise.all([bcoin.stop(), anvil.stop()]);
});
