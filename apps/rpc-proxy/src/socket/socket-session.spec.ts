// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { WebSocket } from 'ws';
import { hashApiKey } from '@chainwatch/common/api-key';
import { waitFor as waitLong, type WaitOptions } from '@chainwatch/testing';
import { listNetworks } from '@chainwatch/chain-registry';
import { bootstrap } from '@chainwatch/tool-db/bootstrap';
import { answerResult, sendJson } from '../spec-node.ts';
import { startSpecSocketNode, type SpecSocketNode } from '../spec-socket-node.ts';
import { startSpecWorld, type SpecWorld } from '../spec-world.ts';
import type { RpcProxy } from '../start-rpc-proxy.ts';

type Gateway = RpcProxy & { readonly url: string };

const ETHEREUM = 'eip155:1';
const SOLANA = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
  readonly params?: { readonly subscription: unknown; readonly result: unknown };
}

const waitFor = <T>(probe: () => T | Promise<T>, options?: WaitOptions) =>
  waitLong(probe, { timeoutMs: 10_000, ...options });

/** A socket client: the messages it received, and how it was closed. */
interface Client {
  readonly socket: WebSocket;
  readonly texts: string[];
  readonly messages: Message[];
  closed: { readonly code: number; readonly reason: string } | undefined;
  /** Sends a call and waits for the answer with its id. */
  ask(id: number | string, method: string, params?: unknown): Promise<Message>;
  /** The notifications of a subscription. */
  told(subscription: unknown): unknown[];
}

let world: SpecWorld;
let nodes: SpecSocketNode[] = [];
beforeAll(async () => {
  world = await startSpecWorld();
});
afterAll(async () => {
  await world.stop();
  expect(world.failures).toEqual([]);
});
const clients: WebSocket[] = [];
afterEach(async () => {
  for (const socket of clients.splice(0)) socket.terminate();
  await world.stopGateways();
  await Promise.all(nodes.splice(0).map((node) => node.stop()));
});

/** A gateway for one chain with these nodes; the first one is preferred. */
async function open(
  gid: string,
  {
    count = 1,
    options = {},
    ...node
  }: { count?: number; options?: Parameters<SpecWorld['open']>[1]; isSilent?: boolean } = {},
): Promise<Gateway> {
  nodes = await Promise.all(Array.from({ length: count }, () => startSpecSocketNode(node)));
  if (gid === ETHEREUM)
    for (const [index, each] of nodes.entries()) each.nameOf = (made) => `"0x${index}${made}"`;
  const gateway = await world.open(
    { [gid]: nodes.map(({ url }, index) => ({ url, weight: index === 0 ? 1 : 1e-9, headers: {} })) },
    options,
  );
  await waitFor(() =>
    [...gateway.directory.chains].every((chain) =>
      chain.upstreams.every((upstream) => chain.serves(upstream)),
    ),
  );
  return gateway;
}

async function join(gateway: Gateway, path: string, key = world.project.keys.rpc): Promise<Client> {
  const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/${path}`, {
    headers: { 'x-api-key': key },
  });
  clients.push(socket);
  const client: Client = {
    socket,
    texts: [],
    messages: [],
    closed: undefined,
    async ask(id, method, params = []) {
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      return waitFor(() => client.messages.find((message) => message.id === id), {
        message: () => `an answer to ${method} among ${client.texts.join(' ')}`,
      });
    },
    told: (subscription) =>
      client.messages
        .filter(({ params }) => params?.subscription === subscription)
        .map(({ params }) => params!.result),
  };
  socket.on('message', (data) => {
    client.texts.push(String(data));
    client.messages.push(JSON.parse(String(data)) as Message);
  });
  socket.on('close', (code, reason) => (client.closed = { code, reason: String(reason) }));
  socket.on('error', () => undefined);
  await once(socket, 'open');
  return client;
}

/** One notification of a node, with spaces that JSON.stringify would not leave. */
const notify = (
  node: SpecSocketNode,
  subscription: string,
  result: string,
  method = 'eth_subscription',
): void =>
  node.say(
    `{"jsonrpc":"2.0", "method":"${method}","params":{"result":${result}, "subscription":${subscription}}}`,
  );

/** Stands between the gateway and a node. Connections that it swallows stay open, but carry nothing any more. */
async function startRelay(port: number): Promise<{ url: string; swallow(): void; stop(): void }> {
  const pairs = new Set<readonly [Socket, Socket]>();
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const)
      from
        .on('error', () => from.destroy())
        .on('close', () => to.destroy())
        .pipe(to);
    pairs.add([near, far]);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    swallow: () => {
      for (const [near, far] of pairs) {
        near.unpipe(far).resume();
        far.unpipe(near).resume();
      }
    },
    stop: () => {
      server.close();
      for (const [near] of pairs) near.destroy();
    },
  };
}

const hashOf = (key: string): string => Buffer.from(hashApiKey(key)).toString('hex');

describe('a key that ends takes its sockets with it', () => {
  const PERMISSIONS = ['rpc:evm:read', 'rpc:solana:read'];

  it('revoked: closed with 1008, also where the client says nothing; another key of the workspace and another workspace go on', async () => {
    const gateway = await open(ETHEREUM);
    const [key, sibling, other] = [
      await world.makeKey(PERMISSIONS),
      await world.makeKey(PERMISSIONS),
      (await bootstrap(world.db, { label: 'svc', workspaceName: 'Other' })).keys.rpc,
    ];
    const revoked = await Promise.all([key, key].map((each) => join(gateway, 'ethereum', each)));
    const kept = await Promise.all([sibling, other].map((each) => join(gateway, 'ethereum', each)));
    for (const client of [...revoked, ...kept])
      expect((await client.ask(1, 'eth_subscribe', ['newHeads'])).result).toEqual(expect.any(String));
    await world.db.query('UPDATE api_keys SET revoked_at = now() WHERE key_hash = $1', [
      Buffer.from(hashApiKey(key)),
    ]);
    world.tell('key.revoked', { schema: 1, key_hash: hashOf(key) });
    await waitFor(() => revoked.every(({ closed }) => closed !== undefined), { timeoutMs: 5_000 });
    expect(revoked.map(({ closed }) => closed!.code)).toEqual([1008, 1008]);
    // Nor does a node serve their subscriptions any more.
    await waitFor(() => nodes[0]!.sockets.size === 2, { timeoutMs: 5_000 });
    notify(nodes[0]!, '"0x00"', '{"number":"0x65"}');
    await waitFor(() => kept.every(({ messages }) => messages.length === 2));
  });

  it('expired: closed with 1008', async () => {
    const gateway = await open(ETHEREUM);
    const key = await world.makeKey(PERMISSIONS);
    await world.db.query(
      "UPDATE api_keys SET expires_at = now() + interval '2 seconds' WHERE key_hash = $1",
      [Buffer.from(hashApiKey(key))],
    );
    const client = await join(gateway, 'ethereum', key);
    await waitFor(() => client.closed, { timeoutMs: 8_000 });
    expect(client.closed!.code).toBe(1008);
  });

  it('rolled with a grace: goes on until the grace ends', async () => {
    const gateway = await open(ETHEREUM);
    const key = await world.makeKey(PERMISSIONS);
    const client = await join(gateway, 'ethereum', key);
    const { result } = await client.ask(1, 'eth_subscribe', ['newHeads']);
    const tell = (ms: number): void =>
      world.tell('key.revoked', {
        schema: 1,
        key_hash: hashOf(key),
        ends_at: new Date(Date.now() + ms).toISOString(),
      });
    tell(3_600_000);
    expect((await client.ask(2, 'eth_chainId')).error).toBeUndefined();
    notify(nodes[0]!, '"0x00"', '"x"');
    await waitFor(() => client.told(result).length === 1);
    tell(200);
    await waitFor(() => client.closed, { timeoutMs: 8_000 });
    expect(client.closed!.code).toBe(1008);
  });
});

describe('batches', () => {
  it('are served in the order of their calls, and of notifications alone there is no answer', async () => {
    const gateway = await open(ETHEREUM);
    nodes[0]!.answer = ({ body }, res) => {
      const { id, method } = JSON.parse(body) as { id: unknown; method: string };
      sendJson(res, {
        body: id === undefined ? '' : `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":"${method}"}`,
      });
    };
    const client = await join(gateway, 'ethereum');
    client.socket.send('[{"jsonrpc":"2.0","method":"eth_gasPrice"}]');
    client.socket.send(
      '[{"jsonrpc":"2.0","id":"b","method":"eth_chainId"},{"jsonrpc":"2.0","method":"eth_gasPrice"},{"jsonrpc":"2.0","id":1,"method":"eth_syncing"}]',
    );
    await waitFor(() => client.texts.length > 0);
    expect(client.texts).toEqual([
      '[{"jsonrpc":"2.0","id":"b","result":"eth_chainId"},{"jsonrpc":"2.0","id":1,"result":"eth_syncing"}]',
    ]);
  });

  it.each([
    ['of one subscription', '[{"jsonrpc":"2.0","id":"s","method":"logsSubscribe","params":["X"]}]', 's'],
    [
      'of a call and an end',
      '[{"jsonrpc":"2.0","id":4,"method":"getSlot"},{"jsonrpc":"2.0","method":"logsUnsubscribe","params":[0]}]',
      4,
    ],
    ['of nothing', '[]', null],
    ['that are no calls', '[1]', null],
    ['that are cut', '[{"jsonrpc":"2.0","id":1,"method":"getSlot"}', null],
  ])(
    '%s: refused with a JSON-RPC error, and the process goes on when the node is lost',
    async (_name, text, id) => {
      const gateway = await open(SOLANA, { count: 2 });
      const client = await join(gateway, 'solana');
      await client.ask('own', 'slotSubscribe');
      client.socket.send(text);
      await waitFor(() => client.texts.length === 2);
      expect([client.messages[1]].flat()[0]).toMatchObject({
        id,
        error: { code: expect.any(Number), message: expect.any(String) },
      });
      nodes[0]!.cut();
      await waitFor(() => nodes[1]!.heard.length === 1);
      expect((await client.ask('after', 'slotSubscribe')).result).toEqual(expect.any(Number));
    },
  );
});

describe('what a node says', () => {
  it('is no fault of the session where it is no JSON-RPC', async () => {
    const gateway = await open(ETHEREUM);
    const client = await join(gateway, 'ethereum');
    const { result } = await client.ask(1, 'eth_subscribe', ['newHeads']);
    for (const text of [
      '',
      'x',
      '[]',
      'null',
      '{}',
      '{"id":',
      '{"id":null}',
      '{"id":{}}',
      '{"id":"1","result":"0x9"}',
      '{"id":1,"result":"0x9"}',
      '{"method":"x"}',
      '{"method":"x","params":null}',
      '{"method":"x","params":[]}',
      '{"method":"x","params":{"subscription":{}}}',
      '{"method":"x","params":{"subscription":"0x77","result":1}}',
      '[{"id":1}]',
    ])
      nodes[0]!.say(text);
    notify(nodes[0]!, '"0x00"', '{"number":"0x65"}');
    await waitFor(() => client.told(result).length === 1);
    expect(client.texts).toHaveLength(2);
  });

  it('ends its own session alone where the gateway fails over it, with a line in the log', async () => {
    const gateway = await open(ETHEREUM);
    const [one, two] = [await join(gateway, 'ethereum'), await join(gateway, 'ethereum')];
    await one.ask(1, 'eth_subscribe', ['newHeads']);
    const { result } = await two.ask(1, 'eth_subscribe', ['logs', {}]);
    const chain = gateway.directory.find('ethereum')!;
    const fault = new Error('out of order');
    chain.learnHead = () => {
      throw fault;
    };
    [...nodes[0]!.sockets][0]!.send(
      '{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"0x00","result":{"number":"0xffff"}}}',
    );
    await waitFor(() => one.closed);
    expect([one.closed!.code, world.failures.splice(0)]).toEqual([1011, [fault]]);
    [...nodes[0]!.sockets]
      .at(-1)!
      .send('{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"0x00","result":"x"}}');
    await waitFor(() => two.told(result).length === 1);
  });
});

describe('ids', () => {
  it('of calls come back byte for byte, whatever the answer is', async () => {
    const gateway = await open(ETHEREUM);
    const client = await join(gateway, 'ethereum');
    const ids = ['1', '1', '"a"', '"\\u0061"', '12345678901234567890', '1.5', 'null', '-0'];
    for (const id of ids) client.socket.send(`{"jsonrpc":"2.0","id":${id},"method":"eth_call","params":[]}`);
    await waitFor(() => client.texts.length === ids.length);
    expect([...client.texts].sort()).toEqual(
      ids.map((id) => `{"jsonrpc":"2.0","id":${id},"result":"0x1"}`).sort(),
    );
  });

  it('of subscriptions are the gateway’s own, of the kind that clients of the family expect', async () => {
    const evm = await join(await open(ETHEREUM), 'ethereum');
    const first = await evm.ask(1, 'eth_subscribe', ['newHeads']);
    expect(first.result).toMatch(/^0x[1-9a-f][0-9a-f]{31}$/);
    expect((await evm.ask(2, 'eth_subscribe', ['newHeads'])).result).not.toBe(first.result);
    expect(nodes[0]!.heard.map(({ id, params }) => [typeof id, params])).toEqual([
      ['number', ['newHeads']],
      ['number', ['newHeads']],
    ]);
    await Promise.all(nodes.splice(0).map((node) => node.stop()));
    const solana = await join(await open(SOLANA), 'solana');
    // Named as the node names its first one, which is not what the client is told.
    expect((await solana.ask('x', 'slotSubscribe')).result).toEqual(expect.any(Number));
    const { result } = await solana.ask('y', 'logsSubscribe', ['all']);
    notify(nodes[0]!, '1', '{"value":18446744073709551615}', 'logsNotification');
    await waitFor(() => solana.texts.length === 3);
    expect(solana.texts[2]).toBe(
      `{"jsonrpc":"2.0", "method":"logsNotification","params":{"result":{"value":18446744073709551615}, "subscription":${String(result)}}}`,
    );
  });

  it('ends the subscription that is meant, not one whose id it holds, and brings the others to the next node', async () => {
    const gateway = await open(SOLANA, { count: 2 });
    // As providers do, whose ids are one counter for everybody.
    nodes[0]!.nameOf = (index) => String(index + 1);
    nodes[1]!.nameOf = (index) => String(index + 100);
    const client = await join(gateway, 'solana');
    const ids: unknown[] = [];
    for (let index = 1; index <= 12; index += 1)
      ids.push((await client.ask(`s${index}`, 'accountSubscribe', [`addr${index}`])).result);
    expect((await client.ask('end', 'accountUnsubscribe', [ids[11]])).result).toBe(true);
    await waitFor(() => nodes[0]!.heard.at(-1)!.method === 'accountUnsubscribe');
    expect(nodes[0]!.heard.at(-1)!.params).toEqual([12]);
    nodes[0]!.cut();
    await waitFor(() => nodes[1]!.heard.length === 11);
    expect(nodes[1]!.heard.map(({ params }) => params)).toEqual(
      Array.from({ length: 11 }, (_, index) => [`addr${index + 1}`]),
    );
    notify(nodes[1]!, '100', '"to addr1"', 'accountNotification');
    await waitFor(() => client.told(ids[0]).length === 1);
    expect((await client.ask('again', 'accountUnsubscribe', [ids[11]])).error).toMatchObject({
      code: -32602,
    });
  });

  it('stay one stream each where both nodes count from 0', async () => {
    const gateway = await open(SOLANA, { count: 2 });
    const client = await join(gateway, 'solana');
    const before = [
      (await client.ask(1, 'accountSubscribe', ['a'])).result,
      (await client.ask(2, 'accountSubscribe', ['b'])).result,
    ];
    nodes[0]!.cut();
    await waitFor(() => nodes[1]!.heard.length === 2);
    // The next one, and those of a client that unsubscribed meanwhile.
    await client.ask(3, 'accountUnsubscribe', [before[0]]);
    const after = [
      (await client.ask(4, 'accountSubscribe', ['c'])).result,
      (await client.ask(5, 'accountSubscribe', ['d'])).result,
    ];
    expect(new Set([...before, ...after]).size).toBe(4);
    for (const [name, text] of [
      ['1', '"of b"'],
      ['2', '"of c"'],
      ['0', '"of a, which ended"'],
    ] as const)
      notify(nodes[1]!, name, text, 'accountNotification');
    await waitFor(() => client.told(after[0]).length === 1);
    expect([client.told(before[1]), client.told(after[0]), client.told(before[0])]).toEqual([
      ['of b'],
      ['of c'],
      [],
    ]);
  });

  it('answers that hold the words of a notification pass, before and after a failover', async () => {
    const gateway = await open(ETHEREUM, { count: 2 });
    const result = '{"params":{"subscription":"0x00"},"method":"eth_subscription"}';
    for (const node of nodes) node.answer = answerResult(result);
    const client = await join(gateway, 'ethereum');
    await client.ask('s', 'eth_subscribe', ['newHeads']);
    expect(JSON.stringify((await client.ask(1, 'debug_traceCall')).result)).toBe(result);
    nodes[0]!.cut();
    await waitFor(() => nodes[1]!.heard.length === 1);
    expect(JSON.stringify((await client.ask(2, 'debug_traceCall')).result)).toBe(result);
  });

  it('a signature’s subscription ends with its notification, as the node has it', async () => {
    const gateway = await open(SOLANA, { count: 2 });
    const client = await join(gateway, 'solana');
    const [once_, received] = [
      (await client.ask(1, 'signatureSubscribe', ['one'])).result,
      (await client.ask(2, 'signatureSubscribe', ['two', { enableReceivedNotification: true }])).result,
    ];
    notify(nodes[0]!, '0', '{"context":{"slot":5},"value":{"err":null}}', 'signatureNotification');
    notify(nodes[0]!, '1', '{"context":{"slot":5},"value":"receivedSignature"}', 'signatureNotification');
    await waitFor(() => client.told(once_).length === 1 && client.told(received).length === 1);
    nodes[0]!.cut();
    await waitFor(() => nodes[1]!.heard.length > 0);
    expect(nodes[1]!.heard.map(({ params }) => params[0])).toEqual(['two']);
  });
});

describe('a node that takes over', () => {
  it('and refuses a subscription is left: the client is told that its streams are over', async () => {
    const gateway = await open(ETHEREUM, { count: 2 });
    const client = await join(gateway, 'ethereum');
    await client.ask(1, 'eth_subscribe', ['newPendingTransactions']);
    nodes[1]!.onMessage = (text, socket) =>
      socket.send(
        `{"jsonrpc":"2.0","id":${(JSON.parse(text) as { id: number }).id},"error":{"code":-32601,"message":"no"}}`,
      );
    nodes[0]!.cut();
    await waitFor(() => client.closed);
    expect(client.closed!.code).toBe(1013);
  });

  it('is one that knows what the client was told of the chain', async () => {
    const gateway = await open(ETHEREUM, { count: 2, options: { healthIntervalMs: 60_000 } });
    const client = await join(gateway, 'ethereum');
    const { result } = await client.ask(1, 'eth_subscribe', ['newHeads']);
    for (const [index, node] of nodes.entries()) node.answer = answerResult(`"node ${index}"`);
    notify(nodes[0]!, '"0x00"', '{"number":"0x65"}');
    await waitFor(() => client.told(result).length === 1);
    for (let id = 10; id < 20; id += 1)
      expect((await client.ask(id, 'eth_estimateGas')).result).toBe('node 0');
  });
});

describe('a node that is removed', () => {
  it('is left for another one, and told heads count no more; without another one the socket is closed', async () => {
    const gateway = await open(ETHEREUM, { count: 2 });
    const [, second] = nodes as [SpecSocketNode, SpecSocketNode];
    const chain = gateway.directory.find('ethereum')!;
    const client = await join(gateway, 'ethereum');
    const { result } = await client.ask(1, 'eth_subscribe', ['newHeads']);
    // It is the second one that goes on, as the directory knows it already.
    gateway.directory.setSources(chain, [{ ...chain.upstreams[1]!.source }], []);
    notify(nodes[0]!, '"0x00"', '{"number":"0xffff"}');
    await waitFor(() => second.heard.length === 1);
    expect(second.heard[0]).toMatchObject({ method: 'eth_subscribe', params: ['newHeads'] });
    await waitFor(() => nodes[0]!.sockets.size === 0);
    await waitFor(() => {
      notify(second, '"0x10"', '{"number":"0x64"}');
      return JSON.stringify(client.told(result).at(-1)) === '{"number":"0x64"}';
    });
    const { rows } = await world.db.query<{ id: string }>("SELECT id FROM api_keys WHERE type = 'rpc'");
    for (const { id } of rows) expect(chain.sessions.of(id).number).toBeLessThan(0xffff);
    gateway.directory.setSources(chain, [], []);
    await waitFor(() => client.closed);
    expect(client.closed!.code).toBe(1013);
  });

  it('with its network ends every socket there, also without a subscription', async () => {
    const gateway = await open(ETHEREUM);
    const [client, idle] = [await join(gateway, 'ethereum'), await join(gateway, 'ethereum')];
    await client.ask(1, 'eth_subscribe', ['newHeads']);
    gateway.directory.setNetworks(listNetworks().filter(({ gid }) => gid !== ETHEREUM));
    await waitFor(() => client.closed !== undefined && idle.closed !== undefined);
    expect([client.closed!.code, idle.closed!.code]).toEqual([1013, 1013]);
  });
});

describe('a connection to a node that is gone without a word', () => {
  it('is replaced, and the subscription goes on under its id', async () => {
    const node = await startSpecSocketNode();
    nodes = [node];
    const relay = await startRelay(node.port);
    const gateway = await world.open({ [ETHEREUM]: [relay.url] }, { nodePingMs: 10 });
    const chain = gateway.directory.find('ethereum')!;
    await waitFor(() => chain.serves(chain.upstreams[0]!));
    const client = await join(gateway, 'ethereum');
    const { result } = await client.ask(1, 'eth_subscribe', ['logs', {}]);
    relay.swallow();
    await waitFor(() => node.heard.length === 2);
    // Its answer has come: what follows is the subscription's.
    await waitFor(() => {
      notify(node, '0', '"0x1"');
      return client.told(result).length > 0;
    });
    relay.stop();
  });
});

describe('a gateway that stops', () => {
  it('answers what a socket has asked, then closes it with 1012; one that asks nothing is closed at once', async () => {
    const gateway = await open(ETHEREUM);
    const [busy, idle] = [await join(gateway, 'ethereum'), await join(gateway, 'ethereum')];
    await idle.ask('s', 'eth_subscribe', ['newHeads']);
    let answer: (() => void) | undefined;
    nodes[0]!.answer = (...asked) => {
      answer = () => answerResult('"late"')(...asked);
    };
    const asked = busy.ask(1, 'debug_traceCall');
    await waitFor(() => answer);
    const stopped = gateway.stop();
    await waitFor(() => idle.closed);
    expect([idle.closed!.code, busy.closed]).toEqual([1012, undefined]);
    answer!();
    expect((await asked).result).toBe('late');
    await waitFor(() => busy.closed);
    expect(busy.closed!.code).toBe(1012);
    await stopped;
  });

  it('cuts what is not answered when its time is over', async () => {
    const gateway = await open(ETHEREUM);
    const client = await join(gateway, 'ethereum');
    let isAsked = false;
    nodes[0]!.answer = () => {
      isAsked = true;
    };
    client.socket.send('{"jsonrpc":"2.0","id":1,"method":"debug_traceCall"}');
    await waitFor(() => isAsked);
    await gateway.stop(200);
    await waitFor(() => client.closed);
    expect(client.closed!.code).toBe(1006);
  });
});

describe('what waits is bounded', () => {
  it('for a node that never shakes hands: in bytes, and what is more is refused', async () => {
    const gateway = await open(SOLANA, {
      isSilent: true,
      options: { bounds: { heldBytesPerConnection: 4 * 1_048_576 } },
    });
    const client = await join(gateway, 'solana');
    const params = JSON.stringify(['x'.repeat(900_000)]);
    for (let id = 1; id <= 20; id += 1)
      client.socket.send(`{"jsonrpc":"2.0","id":${id},"method":"logsSubscribe","params":${params}}`);
    await waitFor(() => client.messages.length === 16, { timeoutMs: 4_500 });
    expect(client.messages.every(({ error }) => error?.code === -32005)).toBe(true);
    expect(gateway.tenants.process.held).toBeLessThan(4 * 1_048_576);
    client.socket.terminate();
    await waitFor(() => gateway.tenants.process.held === 0);
  });

  it.each(['notifications', 'answers'])(
    'for a client that reads nothing, %s: in bytes, then it is cut; another one of the key goes on',
    async (kind) => {
      const gateway = await open(ETHEREUM, {
        options: { bounds: { heldBytesPerConnection: 4 * 1_048_576 } },
      });
      const [deaf, other] = [await join(gateway, 'ethereum'), await join(gateway, 'ethereum')];
      await deaf.ask('s', 'eth_subscribe', ['newHeads']);
      deaf.socket.pause();
      const large = JSON.stringify('x'.repeat(100_000));
      nodes[0]!.answer = answerResult(large);
      let mostHeld = 0;
      await waitFor(
        () => {
          if (kind === 'notifications') notify(nodes[0]!, '"0x00"', large);
          // When there is no room for a node's answer, refusals fill the rest. They are short, so it takes many.
          else
            for (let calls = 0; calls < 50; calls += 1)
              deaf.socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_call"}');
          mostHeld = Math.max(mostHeld, gateway.tenants.process.held);
          return nodes[0]!.sockets.size === 0;
        },
        { intervalMs: 1, timeoutMs: 30_000, message: () => `the cut, held ${mostHeld} at most` },
      );
      expect(mostHeld).toBeGreaterThan(3 * 1_048_576);
      expect(mostHeld).toBeLessThan(8 * 1_048_576);
      await waitFor(() => gateway.tenants.process.held === 0);
      nodes[0]!.answer = answerResult('"0x1"');
      expect((await other.ask(1, 'eth_chainId')).result).toBe('0x1');
    },
  );

  it('sockets of a key: more are 429 with Retry-After, and another key has its own', async () => {
    const gateway = await open(ETHEREUM, { options: { bounds: { socketsPerKey: 2 } } });
    const key = await world.makeKey(['rpc:evm:read']);
    const [first] = [await join(gateway, 'ethereum', key), await join(gateway, 'ethereum', key)];
    const refused = new WebSocket(`${gateway.url.replace('http', 'ws')}/ethereum`, {
      headers: { 'x-api-key': key },
    });
    refused.on('error', () => undefined);
    const [, res] = (await once(refused, 'unexpected-response')) as [
      unknown,
      { statusCode: number; headers: Record<string, string> },
    ];
    expect([res.statusCode, Number(res.headers['retry-after']) > 0]).toEqual([429, true]);
    await join(gateway, 'ethereum', await world.makeKey(['rpc:evm:read']));
    first!.socket.close();
    await waitFor(async () => (await join(gateway, 'ethereum', key).catch(() => undefined)) !== undefined);
  });
});

describe('an upgrade to anything else', () => {
  it.each(['front', 'node:http'])(
    'is no reason to refuse the call, which is answered as HTTP/1.1: %s',
    async (channel) => {
      const gateway = await open(ETHEREUM);
      const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}';
      const socket = connect(gateway.port, '127.0.0.1');
      let answer = '';
      socket.on('data', (piece: Buffer) => (answer += piece.toString('latin1')));
      const head = (more: string): string =>
        `POST /ethereum HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${world.project.keys.rpc}\r\nContent-Length: ${body.length}\r\n${more}\r\n${body}`;
      const offer =
        'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n';
      // After the list, node:http reads the connection.
      const requests =
        channel === 'front'
          ? [head(offer)]
          : ['GET / HTTP/1.1\r\nHost: x\r\n\r\n', head(offer), head(offer.replace('h2c', 'h2c, TLS/1.0'))];
      for (const [index, request] of requests.entries()) {
        socket.write(request);
        await waitFor(() => answer.split('HTTP/1.1 200 OK').length === index + 2, {
          timeoutMs: 5_000,
          message: () => answer,
        });
      }
      expect(answer).toContain('{"jsonrpc":"2.0","id":1,"result":"0x1"}');
      socket.destroy();
    },
  );
});
