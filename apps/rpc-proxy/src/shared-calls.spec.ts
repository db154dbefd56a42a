// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { waitFor } from '@chainwatch/testing';
import { answerResult, sendJson, startSpecNode, type Answer, type SpecNode } from './spec-node.ts';
import { startSpecWorld, type SpecWorld } from './spec-world.ts';
import type { RpcProxy } from './start-rpc-proxy.ts';

// rpc-gateway.md, "Traps between tenants", a: one request to a node for several tenants.

interface Call {
  readonly id?: unknown;
  readonly method: string;
  readonly params?: unknown;
}

let world: SpecWorld;
let node: SpecNode;
let gateway: RpcProxy & { readonly url: string };
/** A key of another tenant. */
let otherKey: string;

beforeAll(async () => {
  [world, node] = await Promise.all([startSpecWorld(), startSpecNode()]);
  otherKey = await world.makeKey(['rpc:evm:read']);
  gateway = await world.open({ 'eip155:1': [node.url] }, { cacheBytes: 50_000_000 });
  await serves();
});
afterAll(async () => {
  await world.stop();
  await node.stop();
  expect(world.failures).toEqual([]);
});
beforeEach(() => {
  node.answer = answerStrictly;
  node.seen.length = 0;
});

const serves = (): Promise<boolean> =>
  waitFor(() => {
    const chain = gateway.directory.find('ethereum')!;
    return chain.upstreams.every((upstream) => chain.serves(upstream));
  });

const call = (method: string, params = '[]', id = '1'): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`;

async function post(
  body: string,
  { key = world.project.keys.rpc } = {},
): Promise<{ status: number; text: string }> {
  const response = await fetch(`${gateway.url}/ethereum`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', 'x-api-key': key },
  });
  return { status: response.status, text: await response.text() };
}

/** The result of a call, different for every call. */
const resultOf = ({ method, params }: Call): string =>
  JSON.stringify({ of: method, params, of18446744073709551615: 1 });
const PARSE_ERROR = '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}';
const INVALID = '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request"}}';
const MEMBERS = new Set(['jsonrpc', 'id', 'method', 'params']);

/** As a strict node: accepts only JSON-RPC of at most 50 KB, and rewrites ids. */
const answerStrictly: Answer = ({ bytes, body }, res) => {
  if (bytes.length > 50_000) return sendJson(res, { body: 'Payload Too Large', status: 413 });
  let asked: Call;
  try {
    asked = JSON.parse(body) as Call;
  } catch {
    return sendJson(res, { body: PARSE_ERROR });
  }
  const { id, method } = asked;
  const isValid =
    Object.keys(asked).every((name) => MEMBERS.has(name)) && (typeof id !== 'object' || id === null);
  if (!isValid) return sendJson(res, { body: INVALID });
  const outcome =
    method === 'eth_getCode'
      ? '"error":{"code":-32000,"message":"for the first one alone"}'
      : `"result":${resultOf(asked)}`;
  sendJson(res, { body: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${outcome}}` });
};

const countShared = async (): Promise<number> => {
  await gateway.flushUsage();
  return (
    await world.db.query<{ cached: number }>('SELECT coalesce(sum(cached), 0)::int AS cached FROM rpc_usage')
  ).rows[0]!.cached;
};

/** A node that holds its answers until they are released. */
function holdAnswers(answer: Answer = answerStrictly): { readonly count: number; release(): void } {
  const held: (() => void)[] = [];
  node.answer = (...seen) => void held.push(() => answer(...seen));
  return {
    get count() {
      return held.length;
    },
    release() {
      for (const next of held.splice(0)) next();
    },
  };
}

/** The second request comes while the first one is at the node, or was refused. @returns the answers */
async function askWhile(first: string, second: string): Promise<{ text: string; status: number }[]> {
  const held = holdAnswers();
  const before = await countShared();
  let answered = 0;
  const ask = (body: string, key: string) => post(body, { key }).finally(() => (answered += 1));
  const one = ask(first, otherKey);
  await waitFor(() => held.count > 0 || answered > 0);
  const seen = held.count;
  const two = ask(second, world.project.keys.rpc);
  // The second request reached the node, or joined the first one.
  await waitFor(async () => held.count > seen || (await countShared()) > before);
  await waitFor(() => {
    held.release();
    return answered === 2;
  });
  return Promise.all([one, two]);
}

describe('what one tenant sends is never the answer of another', () => {
  let block = 0x1000;
  beforeEach(() => (block += 1));
  const balance = (id: string): string => call('eth_getBalance', `["0xa","0x${block.toString(16)}"]`, id);
  const answerOf = (text: string, id: string): string =>
    `{"jsonrpc":"2.0","id":${id},"result":${resultOf(JSON.parse(text) as Call)}}`;
  const odd = (more: string): string => `${balance('1').slice(0, -1)},"x":${more}}`;

  it.each([
    ['no JSON', () => odd('[1,,}')],
    ['no valid request', () => odd('1')],
    ['of an id that nodes refuse', () => balance('{}')],
    ['too large', () => odd(`"${'x'.repeat(60_000)}"`)],
    ['of a large id', () => balance(`"${'x'.repeat(60_000)}"`)],
    ['of an id that is written anew as a number', () => balance('1e3')],
    ['of an id that is written anew as a text', () => balance('"\\u0061"')],
    ['of an id that is rounded', () => balance('12345678901234567890')],
  ])('the first call is %s: to a call, and to a part of a batch', async (_name, first) => {
    expect((await askWhile(first(), balance('77')))[1]).toEqual({
      status: 200,
      text: answerOf(balance('77'), '77'),
    });
    block += 0x1000;
    const gas = call('eth_estimateGas', '[{}]', '2');
    expect((await askWhile(first(), `[${balance('77')},${gas}]`))[1]).toEqual({
      status: 200,
      text: `[${answerOf(balance('77'), '77')},${answerOf(gas, '2')}]`,
    });
  });

  it.each([
    ['no JSON', () => `[${odd('[1,,}')},${call('eth_estimateGas')}]`],
    ['no valid request', () => `[${balance('77')},{"jsonrpc":"2.0","id":{},"method":"eth_estimateGas"}]`],
    ['too large', () => `[${balance('77')},${call('eth_estimateGas', `["${'x'.repeat(60_000)}"]`)}]`],
  ])('the first batch is %s', async (_name, first) => {
    expect((await askWhile(first(), balance('77')))[1]).toEqual({
      status: 200,
      text: answerOf(balance('77'), '77'),
    });
  });

  it('nor is an error of a node, however equal the calls are', async () => {
    const code = (id: string): string => call('eth_getCode', `["0xa","0x${block.toString(16)}"]`, id);
    const held = holdAnswers();
    const before = await countShared();
    const first = post(code('1'), { key: otherKey });
    await waitFor(() => held.count === 1);
    const others = Array.from({ length: 5 }, (_, id) => post(code(`"${id}"`)));
    await waitFor(async () => (await countShared()) === before + 5);
    held.release();
    // Each call asks for itself, and none joins another one.
    await waitFor(() => held.count === 5);
    node.answer = answerStrictly;
    held.release();
    expect((await first).text).toContain('for the first one alone');
    expect((await Promise.all(others)).map(({ text }) => (JSON.parse(text) as Call).id)).toEqual([
      '0',
      '1',
      '2',
      '3',
      '4',
    ]);
    expect(node.seen).toHaveLength(6);
  });

  it('nor is that no node could be asked', async () => {
    const held = holdAnswers(({ body }, res, req) =>
      body.includes('"id":1,')
        ? req.socket.destroy()
        : answerStrictly({ body, bytes: Buffer.from(body) } as never, res, req),
    );
    const before = await countShared();
    const first = post(balance('1'), { key: otherKey });
    await waitFor(() => held.count === 1);
    const second = post(balance('77'));
    await waitFor(async () => (await countShared()) > before);
    let isDone = false;
    void first.then(() => (isDone = true));
    await waitFor(() => {
      held.release();
      return isDone;
    });
    node.answer = answerStrictly;
    held.release();
    expect((await first).status).toBe(502);
    expect((await second).text).toBe(answerOf(balance('77'), '77'));
    await serves();
  });

  it('malformed calls in great number hurt nobody', async () => {
    const headOf = (id: string): string => call('eth_blockNumber', '[]', id);
    const answers: Promise<{ text: string }>[] = [];
    for (let round = 0; round < 50; round += 1) {
      void post(`${headOf('1').slice(0, -1)},"x":[1,,}}`, { key: otherKey });
      answers.push(post(headOf(String(round))));
    }
    expect((await Promise.all(answers)).map(({ text }) => text)).toEqual(
      answers.map((_, round) => answerOf(headOf(String(round)), String(round))),
    );
  });

  it('a batch with an id twice gets each answer in its place, and each is kept for its own question', async () => {
    const [one, other] = ['0xc', '0xd'].map(
      (account) => (id: string) => call('eth_getBalance', `["${account}","0x10"]`, id),
    ) as [typeof balance, typeof balance];
    expect((await post(`[${one('1')},${other('1.0')}]`, { key: otherKey })).text).toBe(
      `[${answerOf(one('1'), '1')},${answerOf(other('1'), '1')}]`,
    );
    for (const question of [one('77'), other('77')])
      expect((await post(question)).text).toBe(answerOf(question, '77'));
    expect(node.seen).toHaveLength(2);
  });

  it('what is no JSON is refused, with the cache and without', async () => {
    const plain = await world.open({ 'eip155:1': [node.url] });
    await waitFor(() => plain.directory.find('ethereum')!.upstreams.every(({ isChecked }) => isChecked));
    const bodies = [
      balance('abc'),
      balance('01'),
      balance('-'),
      balance('"\\x"'),
      odd('[1,,}'),
      odd('{"a":}'),
      odd('tru'),
      call('eth_getBalance', '["0xa"}', '1'),
      call('eth_getBalance', '["0xa",]', '1'),
      balance('1.5'),
      odd('1'),
    ];
    const statuses = async (url: string) =>
      Promise.all(
        bodies.map(
          async (body) =>
            (
              await fetch(`${url}/ethereum`, {
                method: 'POST',
                body,
                headers: { 'content-type': 'application/json', 'x-api-key': otherKey },
              })
            ).status,
        ),
      );
    await post(balance('1'));
    expect([await statuses(gateway.url), await statuses(plain.url)]).toEqual(
      [0, 1].map(() => [...Array.from({ length: 9 }, () => 400), 200, 200]),
    );
  });
});

describe('a client that reads slowly', () => {
  const result = `"${'a'.repeat(3_000_000)}"`;
  const large = (name: string, id: string): string => call('eth_getBlockReceipts', `["0x${name}"]`, id);
  const requestOf = (body: string): string =>
    `POST /ethereum HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${otherKey}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  /** Its large answer waits behind one that does not come. */
  const openSlow = async (body: string): Promise<{ socket: Socket; read: () => string }> => {
    const socket = connect(gateway.port, '127.0.0.1');
    let text = '';
    socket.on('data', (piece: Buffer) => (text += piece.toString('latin1')));
    await once(socket, 'connect');
    socket.write(requestOf(call('eth_estimateGas', '["never"]', '"slow"')) + requestOf(body));
    return { socket, read: () => text };
  };

  it('holds up nobody who asked the same meanwhile, and gets its own answer to the last byte', async () => {
    const held: (() => void)[] = [];
    let answerSlow: (() => void) | undefined;
    node.answer = (seen, res, req) => {
      if (seen.body.includes('never')) answerSlow = () => answerResult('"slow"')(seen, res, req);
      else held.push(() => answerResult(result)(seen, res, req));
    };
    const before = await countShared();
    const slow = await openSlow(large('51', '1'));
    await waitFor(() => held.length === 1 && answerSlow !== undefined);
    const others = ['2', '"three"'].map((id) => post(large('51', id)));
    await waitFor(async () => (await countShared()) === before + 2);
    for (const answer of held.splice(0)) answer();
    const texts = (await Promise.all(others)).map(({ text }) => text);
    expect(texts.map((text) => text.slice(0, 40))).toEqual(
      ['2', '"three"'].map((id) => `{"jsonrpc":"2.0","id":${id},"result":${result}`.slice(0, 40)),
    );
    expect(texts.every((text) => text.endsWith('aaa"}') && text.length > 3_000_000)).toBe(true);
    // The node was not asked twice.
    expect([held.length, slow.read()]).toEqual([0, '']);
    answerSlow!();
    await waitFor(() => slow.read().includes(`{"jsonrpc":"2.0","id":1,"result":${result}}`));
    slow.socket.destroy();
  });

  it('is followed by nobody any more', async () => {
    const finish: (() => void)[] = [];
    node.answer = (seen, res) => {
      if (seen.body.includes('never')) return;
      const body = `{"jsonrpc":"2.0","id":${/"id":(\d+)/.exec(seen.body)![1]},"result":${result}}`;
      // The first one stops half-way.
      if (finish.length > 0) return sendJson(res, { body });
      res
        .writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
        .write(body.slice(0, 1_000_000));
      finish.push(() => res.end(body.slice(1_000_000)));
    };
    const slow = await openSlow(large('52', '1'));
    await waitFor(() => finish.length === 1);
    const asked: Promise<{ text: string }>[] = [];
    // A call that arrives before the gateway knows that the first one lags joins it.
    await waitFor(() => {
      asked.push(post(large('52', String(asked.length + 2))));
      return node.seen.length > 2;
    });
    expect((await asked.at(-1)!).text.length).toBeGreaterThan(3_000_000);
    finish[0]!();
    for (const [index, { text }] of (await Promise.all(asked)).entries())
      expect(text.slice(0, 34)).toBe(
        `{"jsonrpc":"2.0","id":${index + 2},"result":`.padEnd(34, '"aaaaa').slice(0, 34),
      );
    slow.socket.destroy();
  });
});

describe('parts of a batch', () => {
  it('that are too large are an error for that call, and the node is not read on', async () => {
    let written = 0;
    let isClosed = false;
    node.answer = (seen, res, req) => {
      if (!seen.body.includes('huge')) return answerResult('"small"')(seen, res, req);
      res.writeHead(200, { 'content-type': 'application/json' }).write('{"jsonrpc":"2.0","id":1,"result":"');
      const piece = Buffer.alloc(1_000_000, 0x61);
      res.on('close', () => (isClosed = true));
      const more = (): void => {
        while (!isClosed && written < 400_000_000) {
          written += piece.length;
          if (!res.write(piece)) return void res.once('drain', more);
        }
        res.end('"}');
      };
      more();
    };
    // One that is never shared, and one that is.
    for (const method of ['eth_estimateGas', 'eth_getBlockByNumber']) {
      written = 0;
      isClosed = false;
      const { text } = await post(`[${call(method, '["huge"]', '1')},${call('eth_estimateGas', '[]', '2')}]`);
      expect(JSON.parse(text)).toEqual([
        {
          jsonrpc: '2.0',
          id: 1,
          error: { code: -32603, message: expect.stringContaining('too large for a batch') },
        },
        { jsonrpc: '2.0', id: 2, result: 'small' },
      ]);
      await waitFor(() => isClosed);
      expect(written).toBeLessThan(100_000_000);
    }
  });

  it('are held within what the connection may hold, again and again', async () => {
    const held = holdAnswers(answerResult(`"${'a'.repeat(6_000_000)}"`));
    for (let round = 0; round < 3; round += 1) {
      const asked = post(
        `[${[1, 2, 3, 4].map((id) => call('eth_estimateGas', '[]', String(id))).join(',')}]`,
      );
      await waitFor(() => held.count === 4);
      held.release();
      const { status, text } = await asked;
      const parts = JSON.parse(text) as { id: number; result?: string; error?: { message: string } }[];
      expect([status, parts.map(({ id }) => id)]).toEqual([200, [1, 2, 3, 4]]);
      expect(parts.filter(({ result }) => result?.length === 6_000_000).length).toBeGreaterThan(0);
      expect(parts.flatMap(({ error }) => error?.message ?? [])).toContainEqual(
        expect.stringContaining('too much under way on this connection'),
      );
    }
  });
});
