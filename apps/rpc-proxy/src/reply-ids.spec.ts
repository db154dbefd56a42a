// SPDX-License-Identifier: Apache-2.0
import { gzipSync } from 'node:zlib';
import { waitFor } from '@chainwatch/testing';
import { answerResult, sendJson, startSpecNode, type SpecNode } from './spec-node.ts';
import { startSpecWorld, type SpecWorld } from './spec-world.ts';
import type { RpcProxy } from './start-rpc-proxy.ts';

// rpc-gateway.md, "Traps between tenants", d: a reply is checked against its call.
const BITCOIN = 'bip122:000000000019d6689c085ae165831e93';

let world: SpecWorld;
let one: SpecNode;
let two: SpecNode;
/** A gateway with the first node only. */
let single: RpcProxy & { url: string };
/** A gateway with both nodes, which strongly prefers the first one. */
let pair: RpcProxy & { url: string };

beforeAll(async () => {
  world = await startSpecWorld();
  [one, two] = await Promise.all([startSpecNode(), startSpecNode()]);
  const nodes = [
    { url: one.url, weight: 1_000, headers: {} },
    { url: two.url, weight: 0.000_001, headers: {} },
  ];
  [single, pair] = await Promise.all([
    world.open({ 'eip155:1': [one.url], [BITCOIN]: [one.url] }),
    world.open({ 'eip155:1': nodes, [BITCOIN]: nodes }),
  ]);
  for (const proxy of [single, pair])
    await waitFor(() =>
      [...proxy.directory.chains].every(({ upstreams }) =>
        upstreams.every(({ isChecked, isDown }) => isChecked && !isDown),
      ),
    );
});
afterAll(async () => {
  await world.stop();
  await Promise.all([one.stop(), two.stop()]);
  expect(world.failures).toEqual([]);
});
beforeEach(() => {
  one.answer = answerResult('"one"');
  two.answer = answerResult('"two"');
  for (const node of [one, two]) node.seen.length = 0;
});

const call = (method: string, params = '[]', id = '7'): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`;
/**
 * A call that is retried at another node but never hedged, so that the answering node is known however slow the machine
 * is.
 */
const send = (id?: string): string => call('eth_sendRawTransaction', '["0x02"]', id);
const mismatches = (proxy: RpcProxy, name = 'ethereum'): number =>
  [...proxy.directory.find(name)!.outcomes.values()].reduce((sum, { mismatch }) => sum + mismatch, 0);

async function post(
  proxy: { url: string },
  body: string,
  { path = '/ethereum', key = world.project.keys.rpc } = {},
): Promise<{ status: number; text: string }> {
  // A key goes on with the node that took its last write.
  for (const chain of pair.directory.chains) chain.sessions.forget();
  const response = await fetch(proxy.url + path, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', 'x-api-key': key },
  });
  return { status: response.status, text: await response.text() };
}

it('a node that answers one call in 50 twice tells nobody what another one asked', async () => {
  let count = 0;
  const second = new WeakMap<object, string>();
  one.answer = ({ body }, res, req) => {
    const { id, params } = JSON.parse(body) as { id: number; params: [number] };
    const text = `{"jsonrpc":"2.0","id":${id},"result":${params[0]}}`;
    // When the next one is on its way already: what comes before that ends the connection by itself.
    const late = second.get(req.socket);
    if (late !== undefined)
      req.socket.write(
        `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${late.length}\r\n\r\n${late}`,
      );
    second.delete(req.socket);
    sendJson(res, { body: text });
    count += 1;
    if (count % 50 === 0) second.set(req.socket, text);
  };
  const keys = [world.project.keys.rpc, await world.makeKey(['rpc:evm:read'])];
  const before = mismatches(single);
  const wrong: string[] = [];
  let next = 0;
  const ask = async (): Promise<void> => {
    while (next < 1_600) {
      const id = (next += 1);
      const { text } = await post(single, call('eth_estimateGas', `[${id}]`, String(id)), {
        key: keys[id % 2]!,
      });
      if (text !== `{"jsonrpc":"2.0","id":${id},"result":${id}}`) wrong.push(`${id}: ${text}`);
    }
  };
  await Promise.all(Array.from({ length: 16 }, ask));
  expect(wrong).toEqual([]);
  // The mismatch did happen.
  expect(mismatches(single) - before).toBeGreaterThan(20);
});

describe('a reply with the id of another call', () => {
  const large = 'a'.repeat(400_000);
  it.each([
    ['in front', '{"jsonrpc":"2.0","id":8,"result":"theirs"}'],
    ['at the end', '{"result":{"id":7},"error":null,"id":8}\n'],
    ['in the middle', '{"jsonrpc":"2.0","error":{"code":-32000,"id":7},"id":8,"data":[]}'],
    ['null beside a result', '{"jsonrpc":"2.0","id":null,"result":"theirs"}'],
    ['of another kind', '{"jsonrpc":"2.0","id":"7","result":"theirs"}'],
    ['in a list', '[{"jsonrpc":"2.0","id":7,"result":"theirs"}]'],
    ['in front of what is large', `{"jsonrpc":"2.0","id":8,"result":"theirs${large}"}`],
    [
      'with an error and a status',
      '{"jsonrpc":"2.0","id":8,"error":{"code":-32602,"message":"theirs"}}',
      400,
    ],
  ])('%s is left for another node, with its connection', async (_name, reply, status = 200) => {
    let isClosed = false;
    one.answer = (_seen, res, req) => {
      req.socket.on('close', () => (isClosed = true));
      sendJson(res, { body: reply, status });
    };
    const before = mismatches(pair);
    expect(await post(pair, send())).toEqual({
      status: 200,
      text: '{"jsonrpc":"2.0","id":7,"result":"two"}',
    });
    expect(mismatches(pair)).toBe(before + 1);
    await waitFor(() => isClosed);
  });

  it('is found in compressed ones, whole or by their first bytes', async () => {
    for (const text of [
      'theirs',
      Array.from({ length: 60_000 }, (_, index) => (index * 7_919).toString(36)).join(''),
    ]) {
      for (const id of ['8', '7']) {
        one.answer = (_seen, res) =>
          sendJson(res, {
            body: gzipSync(`{"jsonrpc":"2.0","id":${id},"result":"${text}"}`),
            status: 200,
            headers: {
              'content-encoding': 'gzip',
            },
          });
        expect((await post(pair, send())).text).toBe(
          id === '7'
            ? `{"jsonrpc":"2.0","id":7,"result":"${text}"}`
            : '{"jsonrpc":"2.0","id":7,"result":"two"}',
        );
      }
    }
  });

  it.each([
    ['a length', true],
    ['chunks', false],
  ])(
    'at the end of what is passed on as it comes, with %s, never ends in order',
    async (_name, hasLength) => {
      const answerWith = (id: string): void => {
        const body = `{"jsonrpc":"2.0","result":"${large}","id":${id}}`;
        one.answer = (_seen, res) => {
          res.writeHead(200, {
            'content-type': 'application/json',
            ...(hasLength ? { 'content-length': body.length } : {}),
          });
          res.write(body.slice(0, -3), () => res.end(body.slice(-3)));
        };
      };
      answerWith('7');
      expect((await post(pair, send())).text.slice(-10)).toBe('a","id":7}');
      answerWith('8');
      const before = mismatches(pair);
      await expect(post(pair, send())).rejects.toThrow();
      expect(mismatches(pair)).toBe(before + 1);
    },
  );

  it.each([
    ['in front', '{"id":8,"result":"theirs"}'],
    ['of another kind', '{"result":"theirs","id":"\\u0063"}'],
    ['beside an error', '{"id":7,"error":{"code":1,"message":"theirs"}}'],
    ['in a list', '[{"id":7,"result":"theirs"},{"id":"b","result":"theirs"}]'],
    ['null beside a result', '{"id":null,"result":"theirs"}'],
    ['in front of what is large', `{"id":8,"result":"theirs${'a'.repeat(9_000_000)}"}`],
  ])(
    '%s: to one call of a batch it costs that call alone, or another node is asked',
    async (_name, reply) => {
      // Behind a write no call is hedged.
      const batch = `[${send()},${call('eth_estimateGas', '[]', '"b"')},${call('eth_call', '[]', '9')}]`;
      one.answer = (seen, res, req) =>
        seen.body.includes('eth_estimateGas')
          ? sendJson(res, { body: reply })
          : answerResult('"one"')(seen, res, req);
      const answerOf = (second: string): string =>
        `[{"jsonrpc":"2.0","id":7,"result":"one"},{"jsonrpc":"2.0","id":"b",${second}},{"jsonrpc":"2.0","id":9,"result":"one"}]`;
      const before = mismatches(pair);
      expect((await post(pair, batch)).text).toBe(answerOf('"result":"two"'));
      expect([mismatches(pair) - before, two.seen.length]).toEqual([1, 1]);
      expect((await post(single, batch)).text).toBe(
        answerOf('"error":{"code":-32603,"message":"network unavailable"}'),
      );
    },
  );

  it('to a write in a batch does not send that write again, and the calls behind it are served', async () => {
    one.answer = (seen, res, req) =>
      seen.body.includes('some_unknownWrite')
        ? sendJson(res, { body: '{"jsonrpc":"2.0","id":8,"result":"theirs"}' })
        : answerResult('"one"')(seen, res, req);
    expect((await post(pair, `[${call('some_unknownWrite')},${send('9')}]`)).text).toBe(
      '[{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"network unavailable"}},{"jsonrpc":"2.0","id":9,"result":"one"}]',
    );
    expect([one.seen.length, two.seen.length]).toEqual([2, 0]);
  });

  it("to a write is nobody's, and the write does not go again", async () => {
    one.answer = (_seen, res) => sendJson(res, { body: '{"jsonrpc":"2.0","id":8,"result":"theirs"}' });
    expect(await post(pair, call('some_unknownWrite'))).toEqual({
      status: 502,
      text: '{"error":"network unavailable"}',
    });
    expect([one.seen.length, two.seen.length]).toEqual([1, 0]);
    expect((await post(pair, call('eth_sendRawTransaction', '["0x02"]'))).text).toBe(
      '{"jsonrpc":"2.0","id":7,"result":"two"}',
    );
  });

  it('to a call without one is no reply to it', async () => {
    one.answer = (_seen, res) => sendJson(res, { body: '{"jsonrpc":"2.0","id":8,"result":"theirs"}' });
    two.answer = (_seen, res) => void res.writeHead(200, { 'content-length': 0 }).end();
    expect((await post(pair, '{"jsonrpc":"2.0","method":"eth_call","params":[]}')).status).toBe(204);
  });
});

describe('a reply is the one to its call', () => {
  it.each([
    ['1e3', '1000'],
    ['"\\u0061"', '"a"'],
    ['12345678901234567890', '12345678901234567000'],
    ['-0', '0'],
    ['1.0', '1'],
  ])('where the node writes %s as %s', async (id, written) => {
    one.answer = (_seen, res) => sendJson(res, { body: `{"jsonrpc":"2.0","id":${written},"result":"mine"}` });
    expect((await post(pair, send(id))).text).toBe(`{"jsonrpc":"2.0","id":${written},"result":"mine"}`);
    one.answer = ({ body }, res) =>
      sendJson(res, {
        body: body.includes('eth_call') ? '{"id":2,"result":1}' : `{"id":${written},"result":"mine"}`,
      });
    expect((await post(pair, `[${send(id)},${call('eth_call', '[]', '2')}]`)).text).toBe(
      `[{"id":${written},"result":"mine"},{"id":2,"result":1}]`,
    );
  });

  it.each([
    ['an error under null', '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"x"}}'],
    ['an error without an id', '{"error":"not here"}'],
    ['text that looks like an id', '{"jsonrpc":"2.0","result":"\\",\\"id\\":8}","id":7}'],
    ['another id inside', '{"result":[{"id":8},{"a":{"id":8}}],"id":7}'],
  ])('where it is %s', async (_name, reply) => {
    one.answer = (_seen, res) => sendJson(res, { body: reply });
    expect((await post(pair, send())).text).toBe(reply);
  });

  it('where it is an error without an id in a batch, which gets the id of its call', async () => {
    for (const id of ['"id":null,', '']) {
      one.answer = (_seen, res) =>
        sendJson(res, { body: `{"jsonrpc":"2.0",${id}"error":{"code":-32600,"message":"invalid"}}` });
      expect((await post(pair, `[${send()},${send('"b"')}]`)).text).toBe(
        `[${['7', '"b"']
          .map((own) => `{"jsonrpc":"2.0","id":${own},"error":{"code":-32600,"message":"invalid"}}`)
          .join(',')}]`,
      );
    }
  });

  it('where Bitcoin Core answers a call without an id', async () => {
    one.answer = (_seen, res) => sendJson(res, { body: '{"result":5,"error":null,"id":null}\n' });
    expect(
      (await post(pair, '{"method":"sendrawtransaction","params":["00"]}', { path: '/bitcoin' })).text,
    ).toBe('{"result":5,"error":null,"id":null}\n');
  });
});
