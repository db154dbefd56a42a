// SPDX-License-Identifier: Apache-2.0
import { waitFor } from '@chainwatch/testing';
import { answerResult, sendJson } from '../../../../apps/rpc-proxy/src/spec-node.ts';
import { startSpecSocketNode, type SpecSocketNode } from '../../../../apps/rpc-proxy/src/spec-socket-node.ts';
import { SocketClient, type Message } from './socket-client.ts';
import { TenantsStack } from './tenants-stack.ts';

// Sockets of several tenants at the production bundle, whose keys come and go by its API.

const ETHEREUM = 'eip155:1';
const SOLANA = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
/** Its node never shakes hands. */
const SILENT = 'eip155:10';
const MIB = 1_048_576;

const stack = new TenantsStack();
const clients: SocketClient[] = [];
let evm: SpecSocketNode;
let solana: SpecSocketNode[];
let silent: SpecSocketNode;

beforeAll(async () => {
  evm = await startSpecSocketNode();
  evm.nameOf = (index) => `"0x${index}"`;
  solana = await Promise.all([0, 1, 2].map(() => startSpecSocketNode()));
  silent = await startSpecSocketNode({ isSilent: true, chainId: 10 });
  const env = { RPC_HELD_MEMORY_PER_CONNECTION: '4', RPC_SOCKETS_PER_KEY: '10' };
  await stack.start(
    ['api-gateway', 'rpc-proxy'],
    {
      [ETHEREUM]: [evm],
      [SILENT]: [silent],
      [SOLANA]: solana.map(({ url }, index) => ({ url, weight: [1_000, 1, 0.001][index]! })),
    },
    env,
  );
});
afterAll(async () => {
  await stack.stop();
  await Promise.all([evm, silent, ...(solana ?? [])].map((node) => node?.stop()));
});
afterEach(() => {
  for (const { socket } of clients.splice(0)) socket.terminate();
});

function connect(chain: string, key = stack.victim.keys.rpc): SocketClient {
  const client = new SocketClient(`${stack.rpcUrl.replace('http', 'ws')}/${chain}`, key);
  clients.push(client);
  return client;
}
const join = (chain: string, key?: string): Promise<SocketClient> => connect(chain, key).join();

/** A notification of a node. */
const notify = (
  node: SpecSocketNode,
  subscription: string,
  result: string,
  method = 'eth_subscription',
): void =>
  node.say(
    `{"jsonrpc":"2.0","method":"${method}","params":{"result":${result},"subscription":${subscription}}}`,
  );

async function manage<T>(method: string, path: string, body?: object): Promise<{ status: number; body: T }> {
  const response = await fetch(`${stack.apiUrl}${path}`, {
    method,
    headers: { 'x-api-key': stack.attacker.keys.management, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as T };
}

describe('a key that is revoked by the API', () => {
  it('loses its sockets, whose node feeds them no more; other keys of the workspace and other tenants keep theirs', async () => {
    const { status, body } = await manage<{ id: string; key: string }>('POST', '/management/keys', {
      type: 'rpc',
      name: 'leaves',
      permissions: ['rpc:evm:read'],
    });
    expect(status).toBe(201);
    const revoked = await Promise.all([0, 1].map(() => join(ETHEREUM, body.key)));
    const kept = await Promise.all(
      [stack.attacker.keys.rpc, stack.victim.keys.rpc].map((key) => join(ETHEREUM, key)),
    );
    for (const client of [...revoked, ...kept])
      expect((await client.ask(1, 'eth_subscribe', ['newHeads'])).result).toEqual(expect.any(String));
    expect(evm.sockets.size).toBe(4);
    expect((await manage('DELETE', `/management/keys/${body.id}`)).status).toBe(204);
    await waitFor(() => revoked.every(({ closedWith }) => closedWith !== undefined), {
      message: 'the sockets of the key to be closed',
    });
    expect(revoked.map(({ closedWith }) => closedWith)).toEqual([1008, 1008]);
    await waitFor(() => evm.sockets.size === 2);
    notify(evm, '"0x0"', '{"number":"0x65"}');
    await waitFor(() => kept.every(({ messages }) => messages.length === 2));
    const again = connect(ETHEREUM, body.key);
    expect(await waitFor(() => again.refusedWith)).toBe(401);
  });
});

describe('a batch of one, a node that answers it with an object, and the loss of that node', () => {
  it('end nothing: the process goes on, and so do the streams of others', async () => {
    const pid = stack.services.pid('rpc-proxy');
    const answerOne = (text: string): string =>
      `{"jsonrpc":"2.0","id":${JSON.stringify(([JSON.parse(text)] as Message[]).flat()[0]?.id ?? null)},"result":5}`;
    solana[0]!.onMessage = (text, socket) => socket.send(answerOne(text));
    for (const node of solana) node.answer = ({ body }, res) => sendJson(res, { body: answerOne(body) });
    const [attacker, victim] = [await join(SOLANA, stack.attacker.keys.rpc), await join(SOLANA)];
    const { result } = await victim.ask('v', 'slotSubscribe');
    await attacker.ask('a', 'slotSubscribe');
    const bodies = [
      '[{"jsonrpc":"2.0","id":"s","method":"logsSubscribe","params":["X"]}]',
      '[{"jsonrpc":"2.0","id":"t","method":"getSlot"}]',
      '[]',
      '[1]',
      '[{"jsonrpc":"2.0","id":1',
    ];
    for (const text of bodies) attacker.socket.send(text);
    await waitFor(() => attacker.messages.length === 1 + bodies.length);
    solana[0]!.cut();
    await waitFor(() => solana[1]!.sockets.size === 2 && solana[1]!.heard.length === 2);
    notify(solana[1]!, '0', '{"slot":9}', 'slotNotification');
    await waitFor(() => victim.told(result).length === 1);
    expect((await victim.ask('after', 'slotSubscribe')).result).toEqual(expect.any(Number));
    expect((await attacker.ask('after', 'slotSubscribe')).result).toEqual(expect.any(Number));
    expect(stack.services.pid('rpc-proxy')).toBe(pid);
    await stack.services.waitReady('rpc-proxy');
  });
});

describe('what waits for a node that never shakes hands', () => {
  it('is bounded in bytes, what is more is refused, and others are served', async () => {
    const attacker = await join(SILENT, stack.attacker.keys.rpc);
    const memory = stack.peakMemory();
    const params = JSON.stringify(['x'.repeat(900_000)]);
    for (let id = 1; id <= 20; id += 1)
      attacker.socket.send(`{"jsonrpc":"2.0","id":${id},"method":"eth_subscribe","params":${params}}`);
    await waitFor(() => attacker.messages.filter(({ error }) => error?.code === -32005).length >= 16);
    expect(await stack.metric('chainwatch_rpc_held_bytes', 'of="process"')).toBeLessThan(5 * MIB);
    expect(stack.peakMemory() - memory).toBeLessThan(150 * MIB);
    const victim = await join(ETHEREUM);
    expect((await victim.ask(1, 'eth_chainId')).result).toBe('0x1');
  });

  it('sockets of one key are a bounded number: more are 429, and other keys have theirs', async () => {
    const key = await stack.makeKey(stack.attacker);
    await Promise.all(Array.from({ length: 10 }, () => join(ETHEREUM, key)));
    const refused = connect(ETHEREUM, key);
    expect(await waitFor(() => refused.refusedWith)).toBe(429);
    await join(ETHEREUM);
    await join(ETHEREUM, stack.attacker.keys.rpc);
  });

  it('nor does a client that reads no notification: it is cut, and others have theirs', async () => {
    const [deaf, victim] = [await join(ETHEREUM, stack.attacker.keys.rpc), await join(ETHEREUM)];
    const memory = stack.peakMemory();
    for (const client of [deaf, victim]) await client.ask('s', 'eth_subscribe', ['newHeads']);
    deaf.socket.pause();
    const large = JSON.stringify('x'.repeat(100_000));
    let sent = victim.texts.length;
    await waitFor(
      () => {
        // Who reads is never far behind.
        if (victim.texts.length === sent) {
          notify(evm, '"0x0"', large);
          sent += 1;
        }
        return evm.sockets.size === 1;
      },
      { intervalMs: 1 },
    );
    expect(stack.peakMemory() - memory).toBeLessThan(150 * MIB);
    notify(evm, '"0x0"', '"end"');
    await waitFor(() => victim.texts.at(-1)!.includes('"end"'));
    expect(victim.texts).toHaveLength(sent + 1);
  });
});

describe('subscriptions that another node takes over', () => {
  it('are the ones that the client has, each under its own id, and answers that hold their words pass', async () => {
    const [, from, to] = solana as [SpecSocketNode, SpecSocketNode, SpecSocketNode];
    to.heard.length = 0;
    from.heard.length = 0;
    // As providers do, whose ids are one counter for everybody; the next one counts from 0 again.
    from.nameOf = (index) => String(index + 1);
    const client = await join(SOLANA);
    const ids: unknown[] = [];
    for (let index = 1; index <= 12; index += 1)
      ids.push((await client.ask(`s${index}`, 'accountSubscribe', [`addr${index}`])).result);
    expect((await client.ask('end', 'accountUnsubscribe', [ids[11]])).result).toBe(true);
    await waitFor(() => from.heard.at(-1)!.method === 'accountUnsubscribe');
    expect(from.heard.at(-1)!.params).toEqual([12]);
    from.cut();
    await waitFor(() => to.heard.length === 11);
    expect(to.heard.map(({ params }) => params)).toEqual(
      Array.from({ length: 11 }, (_, index) => [`addr${index + 1}`]),
    );
    const after = (await client.ask('new', 'accountSubscribe', ['addr13'])).result;
    expect(new Set([...ids, after]).size).toBe(13);
    notify(to, '0', '"of addr1"', 'accountNotification');
    notify(to, '11', '"of addr13"', 'accountNotification');
    await waitFor(() => client.told(after).length === 1);
    expect([client.told(ids[0]), client.told(ids[11]), client.told(after)]).toEqual([
      ['of addr1'],
      [],
      ['of addr13'],
    ]);
    const result = '{"params":{"subscription":0},"method":"accountNotification"}';
    for (const node of solana) node.answer = answerResult(result);
    expect(JSON.stringify((await client.ask('words', 'getAccountInfo')).result)).toBe(result);
  });
});
