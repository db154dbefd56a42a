// SPDX-License-Identifier: Apache-2.0
import { connect, type Socket } from 'node:net';
import type { ServerResponse } from 'node:http';
import { waitFor } from '@chainwatch/testing';
import { answerResult, sendJson, startSpecNode, type Seen, type SpecNode } from '../spec-node.ts';
import { startSpecWorld, type SpecWorld } from '../spec-world.ts';
import type { RpcProxy } from '../start-rpc-proxy.ts';

type Gateway = RpcProxy & { readonly url: string };

interface Reply {
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** A call that the node has not answered yet. */
interface Held {
  readonly body: string;
  answer(): void;
}

const SECRET = 'SECRET-PROVIDER-KEY';

let world: SpecWorld;
let one: SpecNode;
let two: SpecNode;
/** A gateway with the first node only. */
let single: Gateway;
/** A gateway with both nodes, which strongly prefers the first one. */
let pair: Gateway;
const readTime = performance.now.bind(performance);

beforeAll(async () => {
  world = await startSpecWorld();
  [one, two] = await Promise.all([startSpecNode(), startSpecNode()]);
  const nodes = [
    { url: one.url, weight: 1_000, headers: {} },
    { url: two.url, weight: 0.000_001, headers: {} },
  ];
  [single, pair] = await Promise.all([
    world.open({ 'eip155:1': [one.url] }, { cacheBytes: 10_000_000 }),
    world.open({ 'eip155:1': nodes }),
  ]);
});
afterAll(async () => {
  await world.stop();
  await Promise.all([one.stop(), two.stop()]);
  expect(world.failures).toEqual([]);
});
beforeEach(async () => {
  for (const node of [one, two]) {
    node.answer = answerResult(node === one ? '"one"' : '"two"');
    node.seen.length = 0;
  }
  for (const { directory } of [single, pair]) {
    const chain = directory.find('ethereum')!;
    await waitFor(() => chain.upstreams.every((upstream) => chain.serves(upstream)));
  }
});
afterEach(() => void (performance.now = readTime));

const call = (method: string, params = '[]', id: number | string = 1): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`;
const read = (id: number | string): string => call('eth_estimateGas', `[${id}]`, id);
const write = (id: number | string): string => call('eth_sendRawTransaction', '["0x02"]', id);
const methodsOf = ({ seen }: SpecNode): string[] =>
  seen.map(({ body }) => (JSON.parse(body) as { method: string }).method);
const idOf = ({ body }: Pick<Seen, 'body'>): unknown => (JSON.parse(body) as Reply).id;

async function post(gateway: Gateway, body: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`${gateway.url}/ethereum`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', 'x-api-key': world.project.keys.rpc },
  });
  return { status: response.status, text: await response.text() };
}

async function ask(gateway: Gateway, ...calls: string[]): Promise<Reply[]> {
  const { status, text } = await post(gateway, `[${calls.join(',')}]`);
  expect(status).toBe(200);
  return JSON.parse(text) as Reply[];
}

/** A connection that may be cut before its answer comes. */
function send(gateway: Gateway, body: string): Socket {
  const socket = connect(gateway.port, '127.0.0.1').on('error', () => undefined);
  socket.write(
    `POST /ethereum HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${world.project.keys.rpc}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  return socket;
}

/** The first node holds its answers. */
function holdAnswers(): Held[] {
  const held: Held[] = [];
  one.answer = (seen, res, req) =>
    void held.push({ body: seen.body, answer: () => answerResult('"one"')(seen, res, req) });
  return held;
}

const isReleased = ({ tenants }: Gateway): boolean => tenants.process.held === 0;

describe('a batch of reads', () => {
  it('has 16 calls under way at most, and its order whichever is answered first', async () => {
    const held = holdAnswers();
    const ids = Array.from({ length: 40 }, (_, id) => id);
    const asked = ask(single, ...ids.map(read));
    await waitFor(() => held.length === 16);
    await waitFor(() => {
      // The last one first; only then the next one comes.
      const last = held.pop();
      expect(held.length).toBeLessThan(16);
      last?.answer();
      return one.seen.length === 40 && held.length === 0;
    });
    expect(await asked).toEqual(ids.map((id) => ({ jsonrpc: '2.0', id, result: 'one' })));
    expect(one.seen.map(({ body }) => body)).toEqual(ids.map(read));
    await waitFor(() => isReleased(single));
  });

  it('has the slow one of its calls asked of another node', async () => {
    one.answer = (seen, res, req) => (idOf(seen) === 2 ? undefined : answerResult('"one"')(seen, res, req));
    const replies = await ask(pair, read(1), read(2), read(3));
    expect(replies.map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(replies[1]).toEqual({ jsonrpc: '2.0', id: 2, result: 'two' });
    // A slow machine makes others slow as well.
    expect(two.seen.map(idOf)).toContain(2);
  });

  it('asks nothing any more when its client leaves', async () => {
    const closed: unknown[] = [];
    one.answer = (seen, res) => void res.on('close', () => closed.push(idOf(seen)));
    const client = send(single, `[${Array.from({ length: 40 }, (_, id) => read(id)).join(',')}]`);
    await waitFor(() => one.seen.length === 16);
    client.destroy();
    await waitFor(() => closed.length === 16 && isReleased(single));
    expect(one.seen).toHaveLength(16);
  });

  it('is answered within the 30 seconds of a call, however many calls wait behind a node that hangs', async () => {
    const held = holdAnswers();
    const asked = ask(single, ...Array.from({ length: 40 }, (_, id) => read(id)));
    await waitFor(() => held.length === 16);
    for (const { answer } of held.splice(0, 2)) answer();
    await waitFor(() => held.length === 16);
    performance.now = () => readTime() + 31_000;
    const replies = await asked;
    expect(replies.map(({ id }) => id)).toEqual(Array.from({ length: 40 }, (_, id) => id));
    expect(replies.map(({ result, error }) => result ?? error)).toEqual([
      'one',
      'one',
      ...Array.from({ length: 38 }, () => ({ code: -32603, message: 'no answer within 30 seconds' })),
    ]);
    expect(one.seen).toHaveLength(18);
    await waitFor(() => isReleased(single));
  });
});

describe('a batch with a write', () => {
  it('goes in its order, one call at a time, and its reads ask a node although their answer is kept', async () => {
    const balance = (id: number): string => call('eth_getBalance', '["0xa","0x10"]', id);
    one.answer = answerResult('"before"');
    await ask(single, balance(1));
    await ask(single, balance(2));
    expect(one.seen).toHaveLength(1);
    one.seen.length = 0;
    let underWay = 0;
    let most = 0;
    one.answer = (seen, res, req) => {
      most = Math.max(most, (underWay += 1));
      const result = methodsOf(one).includes('eth_sendRawTransaction') ? '"after"' : '"before"';
      setTimeout(() => {
        underWay -= 1;
        answerResult(result)(seen, res, req);
      }, 20);
    };
    const calls = [balance(3), read(4), write(5), balance(6), read(7)];
    expect((await ask(single, ...calls)).map(({ id, result }) => [id, result])).toEqual([
      [3, 'before'],
      [4, 'before'],
      [5, 'after'],
      [6, 'after'],
      [7, 'after'],
    ]);
    expect([most, one.seen.map(({ body }) => body)]).toEqual([1, calls]);
  });

  it('answers no other client with what it reads, and waits for none', async () => {
    const held = holdAnswers();
    const gasPrice = (id: number): string => call('eth_gasPrice', '[]', id);
    const before = post(single, gasPrice(1));
    await waitFor(() => held.length === 1);
    const asked = ask(single, write(2), gasPrice(3));
    await waitFor(() => held.length === 2);
    held[1]!.answer();
    // The same question is under way since before the write.
    await waitFor(() => held.length === 3);
    expect(idOf(held[2]!)).toBe(3);
    held[2]!.answer();
    expect((await asked).map(({ id }) => id)).toEqual([2, 3]);
    held[0]!.answer();
    expect((await before).status).toBe(200);
  });

  it('reads behind the write at the node that took it', async () => {
    const told = new Set<SpecNode>();
    for (const node of [one, two])
      node.answer = (seen, res, req) => {
        const isWrite = seen.body.includes('eth_sendRawTransaction');
        if (isWrite && node === one) return void req.socket.destroy();
        if (isWrite) told.add(node);
        answerResult(told.has(node) ? '"known"' : 'null')(seen, res, req);
      };
    // The first node is preferred for everything, and fails the write.
    const receipt = (id: number): string => call('eth_getTransactionByHash', '["0x1"]', id);
    expect((await ask(pair, receipt(1), write(2), receipt(3))).map(({ result }) => result)).toEqual([
      null,
      'known',
      'known',
    ]);
    await waitFor(() => pair.directory.find('ethereum')!.upstreams.every(({ isDown }) => !isDown));
  });

  it('sends its writes on when the client leaves, each once, and reads nothing more', async () => {
    const held = holdAnswers();
    const client = send(single, `[${write(1)},${read(2)},${write(3)},${write(4)}]`);
    await waitFor(() => held.length === 1);
    client.destroy();
    // A call of another client, so that the gateway has long seen the first one leave.
    const closed: unknown[] = [];
    one.answer = (seen, res) => void res.on('close', () => closed.push(idOf(seen)));
    const other = send(single, read(9));
    await waitFor(() => one.seen.length === 2);
    other.destroy();
    await waitFor(() => closed.length === 1);
    one.answer = answerResult('"one"');
    held[0]!.answer();
    await waitFor(() => one.seen.length === 4 && isReleased(single));
    expect(one.seen.map(idOf)).toEqual([1, 9, 3, 4]);
  });
});

describe('an empty batch', () => {
  it('is answered by the gateway itself, under a null id', async () => {
    for (const body of ['[]', ' [ \n ] '])
      expect(await post(single, body)).toEqual({
        status: 200,
        text: '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: expected a batch of at least one call"}}',
      });
    expect(one.seen).toEqual([]);
  });
});

describe('what goes wrong with one call of a batch costs that call alone', () => {
  const page = (status: number, body = `<pre>Cannot POST /v2/${SECRET}</pre>`) => {
    return (res: ServerResponse): void =>
      void res.writeHead(status, { 'content-type': 'text/html' }).end(body);
  };
  const json =
    (body: string, status = 200) =>
    (res: ServerResponse): void =>
      sendJson(res, { body, status });
  const unavailable = { code: -32603, message: 'network unavailable' };
  const refused = { code: -32603, message: 'the node refused the request with status 400' };

  it.each<[string, (res: ServerResponse) => void, object]>([
    ['the reply to another call', json('{"jsonrpc":"2.0","id":1,"result":"theirs"}'), unavailable],
    ['a list of replies', json('[{"jsonrpc":"2.0","id":2,"result":"theirs"}]'), unavailable],
    ['a reply that ends in the middle', json('{"jsonrpc":"2.0","id":2,"result":"tw'), unavailable],
    ['more than one reply', json('{"jsonrpc":"2.0","id":2,"result":1},{"id":5}'), unavailable],
    ['nothing', json(''), unavailable],
    ['an object without an id', json(`{"message":"${SECRET}"}`, 400), refused],
    ['an error that is none of JSON-RPC', json(`{"error":"${SECRET}"}`, 400), refused],
    ['a page with status 400', page(400), refused],
    ['a page with status 404', page(404), unavailable],
    ['a page with status 200', page(200), unavailable],
    ['a large page', page(404, `<pre>${SECRET}</pre>`.padEnd(300_000)), unavailable],
    ['a refusal of our credentials', json(`{"error":{"code":1,"message":"${SECRET}"}}`, 403), unavailable],
    ['a connection that breaks', (res) => void res.socket!.destroy(), unavailable],
    [
      'an error under its id',
      json('{"jsonrpc":"2.0","id":2,"error":{"code":3,"message":"reverted"}}', 500),
      { code: 3, message: 'reverted' },
    ],
    [
      'an error under null',
      json('{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid"}}'),
      { code: -32600, message: 'invalid' },
    ],
    ['an error without an id', json('{"error":{"code":5,"message":"no"}}'), { code: 5, message: 'no' }],
  ])('%s', async (_name, answerSecond, expected) => {
    one.answer = (seen, res, req) =>
      idOf(seen) === 2 ? answerSecond(res) : answerResult('"one"')(seen, res, req);
    const { status, text } = await post(single, `[${read(1)},${read(2)},${read(3)}]`);
    expect([status, JSON.parse(text)]).toEqual([
      200,
      [
        { jsonrpc: '2.0', id: 1, result: 'one' },
        { jsonrpc: '2.0', id: 2, error: expected },
        { jsonrpc: '2.0', id: 3, result: 'one' },
      ],
    ]);
    expect(text).not.toContain(SECRET);
    await waitFor(() => isReleased(single));
  });

  it('a notification gets nothing, also where the node fails it', async () => {
    const silent = '{"jsonrpc":"2.0","method":"eth_estimateGas","params":[]}';
    one.answer = (seen, res, req) =>
      idOf(seen) === undefined ? void req.socket.destroy() : answerResult('"one"')(seen, res, req);
    expect(await ask(single, silent, read(1), silent)).toEqual([{ jsonrpc: '2.0', id: 1, result: 'one' }]);
    expect((await post(single, `[${silent},${silent}]`)).status).toBe(204);
  });
});
