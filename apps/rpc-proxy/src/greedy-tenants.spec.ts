// SPDX-License-Identifier: Apache-2.0
import { connect, type Socket } from 'node:net';
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { generateApiKey, hashApiKey } from '@chainwatch/common/api-key';
import { waitFor } from '@chainwatch/testing';
import { answerResult, startSpecNode, type SpecNode } from './spec-node.ts';
import { startSpecWorld, type SpecWorld } from './spec-world.ts';
import type { RpcProxy, RpcProxyOptions } from './start-rpc-proxy.ts';

type Gateway = RpcProxy & { readonly url: string };

const MIB = 1_048_576;

let world: SpecWorld;
let node: SpecNode;
/** A is greedy, with two keys; B asks now and then. */
let greedy: { readonly workspaceId: string; readonly keys: readonly [string, string] };
let calm: string;
const sockets = new Set<Socket>();
const readTime = Date.now;

beforeAll(async () => {
  world = await startSpecWorld();
  node = await startSpecNode();
  const workspaceId = await world.makeWorkspace();
  greedy = {
    workspaceId,
    keys: [
      await world.makeKey(['rpc:evm:read'], 'rpc', workspaceId),
      await world.makeKey(['rpc:evm:read'], 'rpc', workspaceId),
    ],
  };
  calm = await world.makeKey(['rpc:evm:read'], 'rpc', await world.makeWorkspace());
});
beforeEach(() => {
  node.seen.length = 0;
  node.answer = answerResult('"0x1"');
});
afterEach(async () => {
  Date.now = readTime;
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await world.stopGateways();
});
afterAll(async () => {
  await world.stop();
  await node.stop();
  expect(world.failures).toEqual([]);
});

async function open(options: Partial<RpcProxyOptions> = {}): Promise<Gateway> {
  const gateway = await world.open({ 'eip155:1': [node.url] }, { sweepMs: 20, ...options });
  const chain = gateway.directory.find('ethereum')!;
  await waitFor(() => chain.serves(chain.upstreams[0]!));
  return gateway;
}

const call = (params = '[]', id: number | string = 1): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"eth_estimateGas","params":${params}}`;
const headOf = (length: number, key: string | undefined, more = ''): string =>
  `POST /ethereum HTTP/1.1\r\nHost: x\r\n${key === undefined ? '' : `X-Api-Key: ${key}\r\n`}${more}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
const request = (body: string, key: string): string => headOf(body.length, key) + body;

/** A connection whose answers may be left unread. */
class Client {
  readonly socket: Socket;
  said = '';
  isClosed = false;

  constructor({ port }: Gateway, isReading = true) {
    this.socket = connect({ port, host: '127.0.0.1' });
    sockets.add(this.socket);
    this.socket.on('error', () => undefined).on('close', () => (this.isClosed = true));
    if (isReading) this.socket.on('data', (bytes: Buffer) => (this.said += bytes.toString('latin1')));
    else this.socket.pause();
  }

  get statuses(): number[] {
    return [...this.said.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  }

  send(text: string | Buffer): this {
    this.socket.write(text);
    return this;
  }
}

/** Records the highest amounts held while the rest of the test runs. */
function watchHeld(gateway: Gateway): { readonly most: { process: number; key: number }; stop(): void } {
  const most = { process: 0, key: 0 };
  const timer = setInterval(() => {
    const figures = gateway.tenants.figures();
    most.process = Math.max(most.process, figures.process);
    most.key = Math.max(most.key, figures.key);
  }, 1);
  return { most, stop: () => clearInterval(timer) };
}

/** Sends B's calls one after another; each must be answered with its own id. */
async function expectCalmServed(gateway: Gateway, count = 20): Promise<void> {
  for (let id = 0; id < count; id += 1) {
    const response = await fetch(`${gateway.url}/ethereum`, {
      method: 'POST',
      body: call('[]', id),
      headers: { 'content-type': 'application/json', 'x-api-key': calm },
    });
    expect([response.status, await response.json()]).toEqual([200, { jsonrpc: '2.0', id, result: '0x1' }]);
  }
}

const isReleased = (gateway: Gateway): boolean => gateway.tenants.process.held === 0;

it('gives back what is held of a batch whose client leaves while it waits for the call of another one', async () => {
  const gateway = await open({ cacheBytes: MIB });
  let answerSlow: (() => void) | undefined;
  node.answer = (seen, res, req) => {
    if (seen.body.includes('eth_gasPrice')) answerSlow = () => answerResult('"0x1"')(seen, res, req);
    else answerResult(`"0x${'a'.repeat(10_000)}"`)(seen, res, req);
  };
  const named = (method: string): string => call().replace('eth_estimateGas', method);
  const [first, leaving] = [new Client(gateway), new Client(gateway)];
  first.send(request(named('eth_chainId'), greedy.keys[0]));
  await waitFor(() => first.statuses.length === 1 && isReleased(gateway));
  first.send(request(named('eth_gasPrice'), greedy.keys[0]));
  await waitFor(() => answerSlow !== undefined);
  const before = gateway.tenants.process.held;
  // One part is in the cache, the other one is under way: the batch asks nothing itself.
  leaving.send(request(`[${named('eth_chainId')},${named('eth_gasPrice')}]`, greedy.keys[0]));
  await waitFor(() => gateway.tenants.process.held > before + 5_000);
  leaving.socket.destroy();
  await waitFor(() => gateway.tenants.process.held < before + 5_000);
  answerSlow!();
  await waitFor(() => first.statuses.length === 2 && isReleased(gateway));
});

describe('answers that nobody reads', () => {
  const large = `"0x${'a'.repeat(126 * 1_024)}"`;

  it('of 50 connections with 100 calls each take the budget of their key, and are cut', async () => {
    const gateway = await open({ bounds: { writeTimeoutMs: 1_500 } });
    node.answer = (seen, res, req) =>
      answerResult(seen.body.includes('large') ? large : '"0x1"')(seen, res, req);
    const held = watchHeld(gateway);
    for (let index = 0; index < 50; index += 1)
      new Client(gateway, false).send(request(call('["large"]'), greedy.keys[0]).repeat(100));
    await waitFor(() => gateway.tenants.refused.key > 0);
    await expectCalmServed(gateway);
    // The kernel has taken every answer to the requests that were refused early.
    await waitFor(() => gateway.connections.cut > 3 && isReleased(gateway), { timeoutMs: 20_000 });
    held.stop();
    expect(held.most.key).toBeGreaterThan(32 * MIB);
    expect(held.most.process).toBeLessThanOrEqual(65 * MIB);
    await expectCalmServed(gateway);
  }, 60_000);

  it('behind a slow one take no budget once their connection has closed, whichever server reads it', async () => {
    const gateway = await open();
    let isAsked = false;
    node.answer = (seen, res, req) => {
      if (seen.body.includes('slow')) isAsked = true;
      else answerResult(large)(seen, res, req);
    };
    // Chunks are read by node:http alone.
    const inChunks = (body: string): string =>
      headOf(0, greedy.keys[0]).replace('Content-Length: 0', 'Transfer-Encoding: chunked') +
      `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    for (const toText of [(body: string) => request(body, greedy.keys[0]), inChunks]) {
      const client = new Client(gateway).send(
        toText(call('["slow"]')) + toText(call('["large"]')).repeat(20),
      );
      await waitFor(() => isAsked && gateway.tenants.process.held > 20 * large.length);
      client.socket.destroy();
      await waitFor(() => isReleased(gateway), { timeoutMs: 5_000 });
      isAsked = false;
    }
  });

  it('to 100 batches on one connection take the budget of the connection, and are cut', async () => {
    const gateway = await open({ bounds: { writeTimeoutMs: 1_500 } });
    const huge = `"0x${'b'.repeat(3_500_000)}"`;
    node.answer = (seen, res, req) =>
      answerResult(seen.body.includes('huge') ? huge : '"0x1"')(seen, res, req);
    const held = watchHeld(gateway);
    new Client(gateway, false).send(
      request(`[${call('["huge"]', 1)},${call('["huge"]', 2)}]`, greedy.keys[0]).repeat(100),
    );
    await waitFor(() => gateway.tenants.refused.connection > 0);
    await expectCalmServed(gateway);
    await waitFor(() => gateway.connections.cut === 1, { timeoutMs: 20_000 });
    held.stop();
    expect(held.most.key).toBeGreaterThan(7 * MIB);
    expect(held.most.process).toBeLessThanOrEqual(17 * MIB);
    await waitFor(() => isReleased(gateway));
  }, 60_000);

  it('are told from those that are read: who reads gets every answer, and holds nothing behind it', async () => {
    const gateway = await open();
    node.answer = answerResult(large);
    const client = new Client(gateway).send(request(call(), greedy.keys[0]).repeat(100));
    await waitFor(() => client.statuses.length === 100);
    expect(new Set(client.statuses)).toEqual(new Set([200]));
    await waitFor(() => isReleased(gateway));
  });
});

describe('slow calls', () => {
  it('of one key, on four connections, delay no other tenant, and all come to their end', async () => {
    const gateway = await open();
    const slow: (() => void)[] = [];
    node.answer = (seen, res, req) => {
      if (seen.body.includes('slow')) slow.push(() => answerResult('"slow"')(seen, res, req));
      else answerResult('"0x1"')(seen, res, req);
    };
    const clients = Array.from({ length: 4 }, () =>
      new Client(gateway).send(request(call('["slow"]'), greedy.keys[0]).repeat(100)),
    );
    await waitFor(() => slow.length === 64);
    await expectCalmServed(gateway);
    // The workspace's second key gets the same; together they get no more than half of the node.
    const others = Array.from({ length: 4 }, () =>
      new Client(gateway).send(request(call('["slow"]'), greedy.keys[1]).repeat(100)),
    );
    await waitFor(() => slow.length === 128);
    await expectCalmServed(gateway);
    expect(slow).toHaveLength(128);
    const releasing = setInterval(() => slow.splice(0).forEach((answer) => answer()), 1);
    await waitFor(() => [...clients, ...others].every(({ statuses }) => statuses.length === 100));
    clearInterval(releasing);
    expect(new Set([...clients, ...others].flatMap(({ statuses }) => statuses))).toEqual(new Set([200]));
    await waitFor(() => isReleased(gateway));
  });

  it('of many batches on one connection come to their end: one call at once where there is no room for 16 of each', async () => {
    const gateway = await open();
    const slow: (() => void)[] = [];
    node.answer = (seen, res, req) => {
      if (seen.body.includes('slow')) slow.push(() => answerResult('"slow"')(seen, res, req));
      else answerResult('"0x1"')(seen, res, req);
    };
    const batch = `[${Array.from({ length: 20 }, (_, id) => call('["slow"]', id)).join(',')}]`;
    const client = new Client(gateway).send(request(batch, greedy.keys[0]).repeat(60));
    // As many as a key may have at a node.
    await waitFor(() => slow.length === 64);
    expect(gateway.tenants.process.held).toBeLessThanOrEqual(16 * MIB);
    await expectCalmServed(gateway);
    const releasing = setInterval(() => slow.splice(0).forEach((answer) => answer()), 1);
    await waitFor(() => client.statuses.length === 60 && isReleased(gateway));
    clearInterval(releasing);
    expect([new Set(client.statuses), client.said.split('"result":"slow"').length - 1]).toEqual([
      new Set([200]),
      60 * 20,
    ]);
  });
});

describe('bodies for a node that hangs', () => {
  it('take the budget of their key: what is more is 429 with Retry-After', async () => {
    const gateway = await open();
    node.answer = (seen, res, req) => {
      if (!seen.body.includes('hang')) answerResult('"0x1"')(seen, res, req);
    };
    const held = watchHeld(gateway);
    const body = call(`["hang","${'c'.repeat(MIB - 200)}"]`);
    const clients = Array.from({ length: 120 }, () =>
      new Client(gateway).send(request(body, greedy.keys[0])),
    );
    await waitFor(() => clients.filter(({ statuses }) => statuses.length > 0).length >= 120 - 64);
    await expectCalmServed(gateway);
    held.stop();
    // Where sending them all takes 30 seconds, calls that wait for the node end with 504.
    const refused = clients.filter(({ statuses }) => statuses.length > 0 && statuses[0] !== 504);
    expect(refused.length).toBeGreaterThan(0);
    for (const { said, statuses } of refused)
      expect([statuses, said]).toEqual([[429], expect.stringContaining('Retry-After: 1\r\n')]);
    expect(held.most.key).toBeGreaterThan(48 * MIB);
    expect(held.most.process).toBeLessThanOrEqual(65 * MIB);
    for (const { socket } of clients) socket.destroy();
    await waitFor(() => isReleased(gateway));
  });

  it('of batches count as well, also for the calls whose turn has not come', async () => {
    const gateway = await open({ bounds: { heldBytesPerKey: 8 * MIB } });
    node.answer = (seen, res, req) => {
      if (!seen.body.includes('hang')) answerResult('"0x1"')(seen, res, req);
    };
    const calls = Array.from({ length: 16 }, (_, id) => call('["hang"]', id));
    const body = `[${calls.join(',')},${call(`["${'c'.repeat(MIB - 2_000)}"]`)}]`;
    const client = new Client(gateway).send(request(body, greedy.keys[0]));
    await waitFor(() => node.seen.length === 16);
    expect(gateway.tenants.process.held).toBeGreaterThanOrEqual(body.length + 16 * 131_072);
    const others = Array.from({ length: 12 }, () => new Client(gateway).send(request(body, greedy.keys[0])));
    await waitFor(() => others.some(({ statuses }) => statuses[0] === 429));
    expect(gateway.tenants.process.held).toBeLessThanOrEqual(8 * MIB);
    await expectCalmServed(gateway);
    for (const { socket } of [client, ...others]) socket.destroy();
    await waitFor(() => isReleased(gateway));
  });

  it('of many keys of a workspace take half of the process at most', async () => {
    const gateway = await open({ bounds: { heldBytes: 32 * MIB, heldBytesPerKey: 12 * MIB } });
    node.answer = (seen, res, req) => {
      if (!seen.body.includes('hang')) answerResult('"0x1"')(seen, res, req);
    };
    const body = call(`["hang","${'c'.repeat(MIB - 200)}"]`);
    const clients = greedy.keys.flatMap((key) =>
      Array.from({ length: 20 }, () => new Client(gateway).send(request(body, key))),
    );
    await waitFor(() => gateway.tenants.refused.workspace > 0);
    await expectCalmServed(gateway);
    expect(gateway.tenants.figures().workspace).toBeLessThanOrEqual(16 * MIB);
    for (const { socket } of clients) socket.destroy();
    await waitFor(() => isReleased(gateway));
  });
});

const unknownKey = (): string => generateApiKey({ label: 'svc', type: 'rpc', randomBytes });

describe('bodies that do not end', () => {
  it('of strangers are answered 401 and cut, and nothing of them is kept', async () => {
    const gateway = await open();
    const held = watchHeld(gateway);
    const clients = Array.from({ length: 200 }, (_, index) =>
      new Client(gateway)
        .send(headOf(1_000_000, index % 2 === 0 ? undefined : unknownKey()))
        .send('x'.repeat(900_000)),
    );
    await waitFor(() => clients.every(({ isClosed }) => isClosed));
    held.stop();
    // A client that goes on sending may lose the answer together with its connection.
    for (const { statuses } of clients) expect([[], [401]]).toContainEqual(statuses);
    expect(clients.some(({ statuses }) => statuses[0] === 401)).toBe(true);
    expect(held.most.process).toBeLessThanOrEqual(16 * MIB);
    await waitFor(() => isReleased(gateway));
  });

  it('of strangers who send little are answered at the end of them', async () => {
    const gateway = await open();
    const client = new Client(gateway).send(headOf(2_000, unknownKey())).send('x'.repeat(1_000));
    await waitFor(() => client.socket.bytesWritten > 1_000);
    client.send('x'.repeat(1_000));
    await waitFor(() => client.statuses.length === 1);
    expect(client.statuses).toEqual([401]);
  });

  it('of a key take its budget, and nothing behind them', async () => {
    const gateway = await open();
    const held = watchHeld(gateway);
    const clients = Array.from({ length: 90 }, () =>
      new Client(gateway).send(headOf(1_000_000, greedy.keys[0])).send('x'.repeat(999_000)),
    );
    await waitFor(
      () => clients.filter(({ statuses, isClosed }) => statuses[0] === 429 || isClosed).length >= 90 - 68,
    );
    await expectCalmServed(gateway);
    held.stop();
    expect(held.most.process).toBeLessThanOrEqual(64 * MIB);
    expect(held.most.key).toBeGreaterThan(48 * MIB);
    for (const { socket } of clients) socket.destroy();
    await waitFor(() => isReleased(gateway));
  });
});

describe('compressed bodies', () => {
  it('of a known key arrive, also where they are large in the end; of others nothing is unpacked', async () => {
    const gateway = await open();
    const body = call(`["${'d'.repeat(900_000)}"]`);
    const bomb = gzipSync(body);
    expect(bomb.length).toBeLessThan(2_000);
    const known = new Client(gateway)
      .send(headOf(bomb.length, calm, 'Content-Encoding: gzip\r\n'))
      .send(bomb);
    await waitFor(() => known.statuses.length === 1);
    expect([known.statuses, node.seen[0]!.body === body]).toEqual([[200], true]);
    const stranger = new Client(gateway)
      .send(headOf(bomb.length, unknownKey(), 'Content-Encoding: gzip\r\n'))
      .send(bomb);
    await waitFor(() => stranger.statuses.length === 1);
    expect(stranger.statuses).toEqual([401]);
    await waitFor(() => isReleased(gateway));
  });
});

describe('unknown keys', () => {
  it('are looked up as often as failures are allowed; keys that are known go on', async () => {
    // Allowed again with time: it stands still, however long the calls take.
    let stoppedAt: number | undefined;
    Date.now = () => stoppedAt ?? readTime();
    let lookUps = 0;
    const db = new Proxy(world.db, {
      get: (target, name, receiver) => {
        if (name !== 'query') return Reflect.get(target, name, receiver) as unknown;
        return (text: string, values?: unknown[]) => {
          if (text.includes('api_keys')) lookUps += 1;
          return target.query(text, values as never);
        };
      },
    });
    const gateway = await open({
      db,
      limits: { perKey: 1_000_000, failedPerClient: 20, publicPerClient: 20 },
    });
    await expectCalmServed(gateway, 1);
    const before = lookUps;
    stoppedAt = readTime();
    const tell = async (key: string): Promise<number> =>
      (
        await fetch(`${gateway.url}/ethereum`, {
          method: 'POST',
          body: call(),
          headers: { 'content-type': 'application/json', 'x-api-key': key },
        })
      ).status;
    const same = unknownKey();
    expect(new Set(await Promise.all(Array.from({ length: 10 }, () => tell(same))))).toEqual(new Set([401]));
    expect(lookUps - before).toBe(1);
    const statuses = await Promise.all(Array.from({ length: 300 }, () => tell(unknownKey())));
    expect(lookUps - before).toBeLessThanOrEqual(1 + 20 + 10);
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(290);
    expect(await tell(unknownKey())).toBe(429);
    const after = lookUps;
    expect(await tell(unknownKey())).toBe(429);
    expect(lookUps).toBe(after);
    stoppedAt = undefined;
    await expectCalmServed(gateway);
  });

  it('are told from one that this process never saw: all of its calls that come at once are answered', async () => {
    let release!: () => void;
    let held = Promise.resolve();
    const db = new Proxy(world.db, {
      get: (target, name, receiver) => {
        if (name !== 'query') return Reflect.get(target, name, receiver) as unknown;
        return async (text: string, values?: unknown[]) => {
          if (text.includes('api_keys')) await held;
          return target.query(text, values as never);
        };
      },
    });
    const gateway = await open({
      db,
      limits: { perKey: 1_000_000, failedPerClient: 20, publicPerClient: 20 },
    });
    await expectCalmServed(gateway, 1);
    held = new Promise((resolve) => (release = resolve));
    const key = await world.makeKey(['rpc:evm:read'], 'rpc', greedy.workspaceId);
    const clients = Array.from({ length: 30 }, () =>
      new Client(gateway).send(request(call(), key).repeat(5)),
    );
    await waitFor(() => gateway.connections.size >= 30);
    await expectCalmServed(gateway, 10);
    release();
    await waitFor(() => clients.every(({ statuses }) => statuses.length === 5));
    expect(new Set(clients.flatMap(({ statuses }) => statuses))).toEqual(new Set([200]));
  });

  it('that are made a moment later work', async () => {
    const gateway = await open();
    const key = await world.makeKey(['rpc:evm:read'], 'rpc', greedy.workspaceId);
    const client = new Client(gateway).send(request(call(), key));
    await waitFor(() => client.statuses.length === 1);
    expect([client.statuses, hashApiKey(key).length]).toEqual([[200], 32]);
  });
});

describe('connections', () => {
  it('of one key are counted: one more is 429 and closed, and no other key is concerned', async () => {
    const gateway = await open({ bounds: { socketsPerKey: 3 } });
    const clients: Client[] = [];
    for (let index = 0; index < 4; index += 1) {
      const client = new Client(gateway).send(request(call(), greedy.keys[0]));
      clients.push(client);
      await waitFor(() => client.statuses.length === 1);
    }
    await waitFor(() => clients[3]!.isClosed);
    expect([
      clients.map(({ statuses }) => statuses),
      clients.map(({ isClosed }) => isClosed),
      clients[3]!.said,
    ]).toEqual([
      [[200], [200], [200], [429]],
      [false, false, false, true],
      expect.stringContaining('Retry-After: 1\r\n'),
    ]);
    await expectCalmServed(gateway, 3);
    clients[0]!.socket.destroy();
    await waitFor(async () => {
      const next = new Client(gateway).send(request(call(), greedy.keys[0]));
      await waitFor(() => next.statuses.length === 1);
      return next.statuses[0] === 200;
    });
  });

  it('of one address are counted where no proxies stand in front', async () => {
    const limited = await open({ bounds: { connectionsPerClient: 2 } });
    const behind = await open({ bounds: { connectionsPerClient: 2, socketsPerKey: 2 }, trustedProxies: 1 });
    for (const [gateway, expected] of [
      [limited, [200, 200, 429]],
      [behind, [200, 200, 200]],
    ] as const) {
      const clients: Client[] = [];
      for (let index = 0; index < 3; index += 1) {
        const client = new Client(gateway).send(request(call(), greedy.keys[0]));
        clients.push(client);
        await waitFor(() => client.statuses.length === 1);
      }
      expect(clients.flatMap(({ statuses }) => statuses)).toEqual(expected);
      for (const { socket } of clients) socket.destroy();
      await waitFor(() => clients.every(({ isClosed }) => isClosed));
    }
  });
});

describe('the same question', () => {
  it('of somebody whose turn it is does not wait for one of a key that has too much under way', async () => {
    const gateway = await open({ cacheBytes: MIB });
    const slow: (() => void)[] = [];
    node.answer = (seen, res, req) => {
      if (seen.body.includes('slow')) slow.push(() => answerResult('"slow"')(seen, res, req));
      else answerResult('"0x1"')(seen, res, req);
    };
    const balance = `{"jsonrpc":"2.0","id":7,"method":"eth_getBalance","params":["0x00000000000000000000000000000000000000aa","latest"]}`;
    const hog = new Client(gateway).send(request(call('["slow"]'), greedy.keys[0]).repeat(64));
    await waitFor(() => slow.length === 64);
    const single = new Client(gateway).send(request(balance, greedy.keys[0]));
    const batch = new Client(gateway).send(request(`[${balance.replace('aa"', 'bb"')}]`, greedy.keys[0]));
    await waitFor(() => gateway.directory.find('ethereum')!.upstreams[0]!.inFlight === 66);
    const others = [balance, balance.replace('aa"', 'bb"')].map((body) =>
      new Client(gateway).send(request(body, calm)),
    );
    await waitFor(() => others.every(({ statuses }) => statuses.length === 1));
    expect([others.map(({ statuses }) => statuses[0]), single.statuses, batch.statuses]).toEqual([
      [200, 200],
      [],
      [],
    ]);
    for (const answer of slow) answer();
    await waitFor(() => single.statuses.length + batch.statuses.length === 2 && hog.statuses.length === 64);
    await waitFor(() => isReleased(gateway));
  });
});

describe('parts of a batch', () => {
  it('that are kept or asked one by one take the budget until the batch is answered; calls without room get an error', async () => {
    const gateway = await open({ cacheBytes: 64 * MIB, bounds: { heldBytesPerConnection: 2 * MIB } });
    node.answer = answerResult(`"0x${'e'.repeat(100_000)}"`);
    const chainId = (id: number): string => `{"jsonrpc":"2.0","id":${id},"method":"eth_chainId","params":[]}`;
    const client = new Client(gateway).send(request(chainId(1), greedy.keys[0]));
    await waitFor(() => client.statuses.length === 1);
    const batch = new Client(gateway).send(
      request(`[${Array.from({ length: 100 }, (_, id) => chainId(id)).join(',')}]`, greedy.keys[0]),
    );
    await waitFor(() => batch.said.endsWith('}]'));
    const parts = JSON.parse(batch.said.slice(batch.said.indexOf('['))) as {
      id: number;
      result?: string;
      error?: { message: string };
    }[];
    expect(parts.map(({ id }) => id)).toEqual(Array.from({ length: 100 }, (_, id) => id));
    const refused = parts.filter(({ error }) =>
      error?.message.includes('too much under way on this connection'),
    );
    expect([refused.length > 70, parts.filter(({ result }) => result !== undefined).length]).toEqual([
      true,
      100 - refused.length,
    ]);
    await waitFor(() => isReleased(gateway));
  });

  it('take it while they come, also those that are large and could be shared: what has no room is not read on', async () => {
    const gateway = await open({ cacheBytes: MIB });
    let written = 0;
    let cut = 0;
    node.answer = (seen, res, req) => {
      if (!seen.body.includes('large')) return answerResult('"0x1"')(seen, res, req);
      res.on('close', () => (cut += 1));
      res.writeHead(200, { 'content-type': 'application/json' });
      // It never ends.
      const { id } = JSON.parse(seen.body) as { id: number };
      res.write(`{"jsonrpc":"2.0","id":${id},"result":"${'f'.repeat(6 * MIB)}`, () => (written += 1));
    };
    const receipts = (id: number): string =>
      call(`["large","0x${id}"]`, id).replace('eth_estimateGas', 'eth_getBlockReceipts');
    const batch = `[${Array.from({ length: 16 }, (_, id) => receipts(id)).join(',')}]`;
    const held = watchHeld(gateway);
    const client = new Client(gateway).send(request(batch, greedy.keys[0]));
    // 16 MiB are no room for three of them: the others are cut long before the time of the batch is over.
    await waitFor(() => written + cut >= 16 && cut >= 14, { timeoutMs: 20_000 });
    await expectCalmServed(gateway);
    held.stop();
    expect(held.most.key).toBeLessThanOrEqual(16 * MIB);
    client.socket.destroy();
    await waitFor(() => isReleased(gateway));
  });
});
