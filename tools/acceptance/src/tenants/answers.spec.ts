// SPDX-License-Identifier: Apache-2.0
import type { Socket } from 'node:net';
import { waitFor } from '@chainwatch/testing';
import {
  answerResult,
  sendJson,
  startSpecNode,
  type Answer,
  type SpecNode,
} from '../../../../apps/rpc-proxy/src/spec-node.ts';
import { RawClient, requestOf } from './raw-client.ts';
import { TenantsStack } from './tenants-stack.ts';

// What a tenant is answered with, whatever another tenant asks and whatever a node does: the production bundle.

const ONE = 'eip155:1';
const PAIR = 'eip155:10';
const TRON = 'tron:0x2b6653dc';
const SECRET = 'SECRET-PROVIDER-KEY';
const MIB = 1_048_576;

const stack = new TenantsStack();
/** Ethereum has the first one alone; of the pair it is taken before the second. */
let one: SpecNode;
let two: SpecNode;
/** Of the pair, as nodes of another chain. */
let first: SpecNode;
let tron: SpecNode;

beforeAll(async () => {
  [one, first, two, tron] = await Promise.all([
    startSpecNode(),
    startSpecNode(undefined, { chainId: 10 }),
    startSpecNode(undefined, { chainId: 10 }),
    startSpecNode(undefined, { chainId: 0x2b6653dc }),
  ]);
  await stack.start(['rpc-proxy'], {
    [ONE]: [{ url: one.url }],
    [PAIR]: [
      { url: first.url, weight: 1_000 },
      { url: two.url, weight: 0.000_001 },
    ],
    [TRON]: [{ url: `${tron.url}/jsonrpc` }],
  });
});
afterAll(async () => {
  await stack.stop();
  await Promise.all([one, first, two, tron].map((node) => node?.stop()));
});
beforeEach(() => {
  for (const node of [one, first, two, tron]) {
    node.answer = answerStrictly;
    node.refusal = undefined;
    node.seen.length = 0;
  }
});

interface Call {
  readonly id?: unknown;
  readonly method: string;
  readonly params?: unknown;
}

const call = (method: string, params = '[]', id = '1'): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`;
const victimKey = (): string => stack.victim.keys.rpc;
const attackerKey = (): string => stack.attacker.keys.rpc;

/** What a call is answered with: nothing that another call is answered with. */
const replyTo = ({ id, method, params }: Call): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${JSON.stringify({ of: method, params })}}`;
const MEMBERS = new Set(['jsonrpc', 'id', 'method', 'params']);

/** As nodes do: takes JSON-RPC and nothing else, no more than 50 KB of it, and writes ids anew. */
const answerStrictly: Answer = ({ bytes, body }, res) => {
  if (bytes.length > 50_000) return sendJson(res, { body: 'Payload Too Large', status: 413 });
  let asked: Call | Call[];
  try {
    asked = JSON.parse(body) as Call | Call[];
  } catch {
    return sendJson(res, {
      body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}',
    });
  }
  const calls = Array.isArray(asked) ? asked : [asked];
  if (
    !calls.every(
      (each) =>
        Object.keys(each).every((name) => MEMBERS.has(name)) &&
        (typeof each.id !== 'object' || each.id === null),
    )
  )
    return sendJson(res, {
      body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request"}}',
    });
  sendJson(res, { body: Array.isArray(asked) ? `[${asked.map(replyTo).join(',')}]` : replyTo(asked) });
};

/** Answers so late that equal calls meet at the gateway. */
const answerLater: Answer = (...seen) => void setTimeout(() => answerStrictly(...seen), 40);

describe('one tenant’s call leads, and another one’s is the same', () => {
  let block = 0x1000;
  const odd = (body: string, more: string): string => `${body.slice(0, -1)},"x":${more}}`;
  const long = 'x'.repeat(60_000);

  it.each<[string, (balance: (id: string) => string) => string]>([
    ['no JSON', (balance) => odd(balance('1'), '[1,,}')],
    ['no valid request', (balance) => odd(balance('1'), '1')],
    ['of an id that nodes refuse', (balance) => balance('{}')],
    ['too large for the node', (balance) => odd(balance('1'), `"${long}"`)],
    ['of an id that is written anew as a number', (balance) => balance('1e3')],
    ['of an id that is written anew as a text', (balance) => balance('"\\u0061"')],
    ['of an id that is rounded', (balance) => balance('12345678901234567890')],
    ['in a batch that is no JSON', (balance) => `[${odd(balance('1'), '[1,,}')},${call('eth_estimateGas')}]`],
    [
      'in a batch that is no valid request',
      (balance) => `[${balance('77')},{"jsonrpc":"2.0","id":{},"method":"eth_estimateGas"}]`,
    ],
    [
      'in a batch that is too large for the node',
      (balance) => `[${balance('77')},${call('eth_estimateGas', `["${long}"]`)}]`,
    ],
  ])('%s: to a call and to a part of a batch every answer is the right one', async (_name, leaderOf) => {
    one.answer = answerLater;
    const rounds = Array.from({ length: 10 }, async (_, round) => {
      block += 1;
      const params = `["0xa","0x${block.toString(16)}"]`;
      const balance = (id: string): string => call('eth_getBalance', params, id);
      const mine = { id: 77, method: 'eth_getBalance', params: JSON.parse(params) as unknown };
      const gas = { id: 2, method: 'eth_estimateGas', params: [{}] };
      const leader = stack.call(leaderOf(balance), { key: attackerKey() });
      const follower =
        round % 2 === 0
          ? stack.call(balance('77'))
          : stack.call(`[${balance('77')},${call('eth_estimateGas', '[{}]', '2')}]`);
      await leader;
      expect(await follower).toEqual({
        status: 200,
        text: round % 2 === 0 ? replyTo(mine) : `[${replyTo(mine)},${replyTo(gas)}]`,
      });
    });
    await Promise.all(rounds);
  });

  it('a hundred malformed calls of a popular method, again and again, hurt nobody', async () => {
    one.answer = answerLater;
    const attacks: Promise<unknown>[] = [];
    for (let id = 0; id < 100; id += 1) {
      attacks.push(
        stack.call(odd(call('eth_blockNumber'), id % 2 === 0 ? '[1,,}' : '1'), { key: attackerKey() }),
      );
      const { status, text } = await stack.call(call('eth_blockNumber', '[]', String(id)));
      expect([status, text]).toEqual([200, replyTo({ id, method: 'eth_blockNumber', params: [] })]);
    }
    await Promise.all(attacks);
    // Calls do meet.
    const before = await stack.countShared();
    await Promise.all(
      Array.from({ length: 10 }, (_, id) => stack.call(call('eth_getBalance', '["0xb","0x1"]', String(id)))),
    );
    await waitFor(async () => (await stack.countShared()) > before);
  });
});

describe('one tenant’s call leads, and it does not read', () => {
  it('another one has the same large answer to the last byte, without a second request to the node', async () => {
    const result = `"${'a'.repeat(3_000_000)}"`;
    const receipts = (id: number): string => call('eth_getBlockReceipts', '["0x51"]', String(id));
    const held: (() => void)[] = [];
    let answerSlow: (() => void) | undefined;
    one.answer = (seen, res, req) => {
      if (seen.body.includes('never')) answerSlow = () => answerResult('"slow"')(seen, res, req);
      else held.push(() => answerResult(result)(seen, res, req));
    };
    const before = await stack.countShared();
    // Its large answer waits behind one that does not come, and it would not take either.
    const deaf = new RawClient(stack.ports['rpc-proxy'], false);
    deaf.send(
      requestOf(call('eth_estimateGas', '["never"]'), attackerKey()) + requestOf(receipts(1), attackerKey()),
    );
    await waitFor(() => held.length === 1 && answerSlow !== undefined);
    const answers = [2, 3].map((id) => stack.call(receipts(id)));
    await waitFor(async () => (await stack.countShared()) === before + 2);
    for (const answer of held.splice(0)) answer();
    expect(
      (await Promise.all(answers)).map(
        ({ text }, index) => text === `{"jsonrpc":"2.0","id":${index + 2},"result":${result}}`,
      ),
    ).toEqual([true, true]);
    expect(held).toEqual([]);
    answerSlow!();
    deaf.socket.destroy();
  });
});

describe('a node whose stream slips by one answer', () => {
  it('gives nobody another one’s', async () => {
    let count = 0;
    const second = new WeakMap<object, string>();
    one.answer = ({ body }, res, req) => {
      const { id, params } = JSON.parse(body) as { id: number; params: [number] };
      const text = `{"jsonrpc":"2.0","id":${id},"result":${params[0]}}`;
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
    const wrong: string[] = [];
    let next = 0;
    const ask = async (): Promise<void> => {
      while (next < 800) {
        const id = (next += 1);
        const { text } = await stack.call(call('eth_estimateGas', `[${id}]`, String(id)), {
          key: id % 2 === 0 ? victimKey() : attackerKey(),
        });
        if (text !== `{"jsonrpc":"2.0","id":${id},"result":${id}}`) wrong.push(`${id}: ${text}`);
      }
    };
    await Promise.all(Array.from({ length: 16 }, ask));
    expect(wrong).toEqual([]);
    await waitFor(
      async () => (await stack.metric('chainwatch_rpc_upstream_requests_total', 'outcome="mismatch"')) > 8,
    );
  });
});

describe('a node whose provider refuses our credentials', () => {
  it.each([401, 402, 403])(
    'with %i and a JSON-RPC error: every call goes to the other one, and it is taken out of service',
    async (status) => {
      await stack.waitServing(PAIR);
      first.refusal = {
        status,
        body: `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"key ${SECRET} expired"}}`,
      };
      for (let id = 1; id <= 40; id += 1)
        expect(await stack.call(call('eth_gasPrice', '[]', String(id)), { chain: PAIR })).toEqual({
          status: 200,
          text: replyTo({ id, method: 'eth_gasPrice', params: [] }),
        });
      await stack.waitServing(PAIR, ([isFirst, isSecond]) => isFirst === false && isSecond === true);
      expect(await stack.services.metrics('rpc-proxy')).not.toContain(SECRET);
    },
  );
});

describe('a node’s error page', () => {
  it.each([400, 404, 405, 413, 429, 500, 502, 503])('with status %i reaches nobody', async (status) => {
    await stack.waitServing(ONE);
    one.answer = (_seen, res) =>
      void res.writeHead(status, { 'content-type': 'text/html' }).end(`<pre>Cannot POST /v2/${SECRET}</pre>`);
    const { status: got, text } = await stack.call(call('eth_gasPrice'));
    expect([got, Object.keys(JSON.parse(text) as object)]).toEqual([
      [400, 413].includes(status) ? status : 502,
      ['error'],
    ]);
    expect(text).not.toContain(SECRET);
  });
});

describe('a part of a batch for TRON with far too much', () => {
  it('is an error for that call alone, and neither read on nor kept', async () => {
    let written = 0;
    let isClosed = false;
    tron.answer = (seen, res, req) => {
      if (!seen.body.includes('huge')) return answerResult('"small"')(seen, res, req);
      res.writeHead(200, { 'content-type': 'application/json' }).write('{"jsonrpc":"2.0","id":1,"result":"');
      const piece = Buffer.alloc(MIB, 0x61);
      res.on('close', () => (isClosed = true));
      const more = (): void => {
        while (!isClosed && written < 400 * MIB) {
          written += piece.length;
          if (!res.write(piece)) return void res.once('drain', more);
        }
        res.end('"}');
      };
      more();
    };
    const before = stack.peakMemory();
    const { text } = await stack.call(
      `[${call('eth_estimateGas', '["huge"]')},${call('eth_estimateGas', '[]', '2')}]`,
      { key: attackerKey(), chain: TRON },
    );
    expect(JSON.parse(text)).toEqual([
      {
        jsonrpc: '2.0',
        id: 1,
        error: { code: -32603, message: expect.stringContaining('too large for a batch') },
      },
      { jsonrpc: '2.0', id: 2, result: 'small' },
    ]);
    await waitFor(() => isClosed);
    expect(written).toBeLessThan(100 * MIB);
    expect(stack.peakMemory() - before).toBeLessThan(200 * MIB);
    expect((await stack.call(call('eth_estimateGas', '[]', '3'), { chain: TRON })).text).toContain('"small"');
  });
});

describe('filters of two nodes that both count from one', () => {
  /** What each made. */
  let made: Map<string, string>[];
  beforeEach(async () => {
    await stack.waitServing(PAIR);
    made = [new Map(), new Map()];
    for (const [index, node] of [first, two].entries())
      node.answer = ({ body }, res) => {
        const { id, method, params } = JSON.parse(body) as { id: unknown; method: string; params: string[] };
        const own = made[index]!;
        if (method === 'eth_newBlockFilter')
          own.set(`0x${own.size + 1}`, `of node ${index}, its 0x${own.size + 1}`);
        const found = own.get(params[0]!);
        if (method === 'eth_newBlockFilter')
          sendJson(res, { body: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":"0x${own.size}"}` });
        else
          sendJson(res, {
            body: JSON.stringify(
              found === undefined
                ? { jsonrpc: '2.0', id, error: { code: -32000, message: 'filter not found' } }
                : { jsonrpc: '2.0', id, result: [found] },
            ),
          });
      };
  });

  const ask = async (method: string, params: string, key = victimKey()) =>
    JSON.parse((await stack.call(call(method, params), { key, chain: PAIR })).text) as {
      result?: unknown;
      error?: { message: string };
    };

  it('are asked for at the node that made them, by their key alone', async () => {
    const filters: [string, string][] = [];
    const make = async (): Promise<void> => {
      const before = made.map(({ size }) => size);
      const { result } = await ask('eth_newBlockFilter', '[]');
      const index = made.findIndex(({ size }, at) => size > before[at]!);
      filters.push([result as string, made[index]!.get(`0x${made[index]!.size}`)!]);
    };
    await make();
    // The second one makes the next: its number is the same.
    first.refusal = { status: 403, body: '{}' };
    await stack.waitServing(PAIR, ([isFirst]) => isFirst === false);
    await make();
    first.refusal = undefined;
    await stack.waitServing(PAIR);
    expect(filters.map(([, of]) => of)).toEqual(['of node 0, its 0x1', 'of node 1, its 0x1']);
    const strangers = [attackerKey(), await stack.makeKey(stack.victim)];
    for (const [id, of] of filters) {
      for (let count = 0; count < 6; count += 1)
        expect((await ask('eth_getFilterChanges', `["${id}"]`)).result).toEqual([of]);
      for (const key of strangers) {
        for (const guess of [id, '0x1'])
          expect((await ask('eth_getFilterChanges', `["${guess}"]`, key)).error?.message).toBe(
            'filter not found',
          );
        expect((await ask('eth_uninstallFilter', `["${id}"]`, key)).result).toBe(false);
      }
      expect((await ask('eth_getFilterChanges', `["${id}"]`)).result).toEqual([of]);
    }
  });
});

describe('kept connections that die', () => {
  it('fail no read of anybody, on a chain with one node', async () => {
    await stack.waitServing(ONE);
    const kept = new WeakSet<Socket>();
    let asked = 0;
    let dropped = 0;
    one.answer = (seen, res, req) => {
      // The call came over a connection that had an answer before, and finds it dead.
      if (kept.has(req.socket) && asked % 7 === 0) {
        dropped += 1;
        return void req.socket.destroy();
      }
      kept.add(req.socket);
      answerStrictly(seen, res, req);
    };
    const lane = async (): Promise<void> => {
      while (asked < 600 || dropped < 10) {
        const id = (asked += 1);
        // No two are alike: each goes to the node, none is answered from the cache.
        const params = [{ value: `0x${id.toString(16)}` }];
        expect(
          await stack.call(call('eth_estimateGas', JSON.stringify(params), String(id)), {
            key: id % 2 === 0 ? victimKey() : attackerKey(),
          }),
        ).toEqual({ status: 200, text: replyTo({ id, method: 'eth_estimateGas', params }) });
      }
    };
    await Promise.all(Array.from({ length: 20 }, lane));
    await waitFor(
      async () => (await stack.metric('chainwatch_rpc_upstream_requests_total', 'outcome="stale"')) > 0,
    );
  });
});

it('the time to an answer is recorded once for a call and once for a batch, by chain', async () => {
  const count = (gid: string): Promise<number> =>
    stack.metric('chainwatch_rpc_request_seconds_count', `chain_gid="${gid}"`);
  const before = [await count(ONE), await count(PAIR)] as const;
  await stack.call(call('eth_estimateGas', '[{}]'));
  await stack.call(`[${call('eth_estimateGas', '[{}]')},${call('eth_estimateGas', '[{}]', '2')}]`);
  expect([await count(ONE), await count(PAIR)]).toEqual([before[0] + 2, before[1]]);
});
