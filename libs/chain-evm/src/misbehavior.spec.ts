// SPDX-License-Identifier: Apache-2.0
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startAnvil, waitFor } from '@chainwatch/testing';
import type { AnvilHandle } from '@chainwatch/testing';
import type { Block, BlockHeader, ChainClient, ChainClientOptions, Network } from '@chainwatch/chain-core';
import { evmFamily } from './evm-family.ts';
import contracts from './vectors/contracts.json' with { type: 'json' };
import { plain } from './spec-made.ts';

const encodeAddressCall = (selector: string, address: string): string =>
  `${selector}${address.slice(2).padStart(64, '0')}`;
const network = evmFamily.catalogue.networks.find(({ gid }) => gid === 'eip155:31337') as Network;
const sender = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
const alice = `0x${'a1'.repeat(20)}`;

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: unknown[];
}
type Answer = (call: Call, honest: () => Promise<unknown>) => Promise<object>;

let node: AnvilHandle;
let server: Server;
let url: string;
let head: BlockHeader;
/** What the node in front of anvil does instead of answering honestly. */
let interfere: (req: IncomingMessage, res: ServerResponse, body: string) => boolean;
let answer: Answer;
let asked: string[];
const clients: ChainClient[] = [];

const unsupported = (): Promise<object> =>
  Promise.resolve({ error: { code: -32601, message: 'the method does not exist/is not available' } });
const honestly: Answer = async (_, honest) => ({ result: await honest() });

beforeAll(async () => {
  node = await startAnvil();
  const deployed = await send({ data: contracts.Splitter.bytecode });
  const splitter = (await node.rpc<{ contractAddress: string }>('eth_getTransactionReceipt', [deployed]))
    .contractAddress;
  await send({ data: contracts.TestToken.bytecode });
  await send({
    to: splitter,
    value: '0xa',
    data: `${encodeAddressCall(contracts.Splitter.selectors.split, alice)}${alice.slice(2).padStart(64, '0')}`,
  });
  server = createServer((req, res) => void serve(req, res)).listen(0, '127.0.0.1');
  await waitFor(() => server.listening);
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = evmFamily.createClient({ network, endpointUrl: node.url });
  head = await client.readHead();
  client.close();
});

beforeEach(() => {
  interfere = () => false;
  answer = honestly;
  asked = [];
});

afterAll(async () => {
  for (const client of clients) client.close();
  server.closeAllConnections();
  server.close();
  await node.stop();
});

async function send(tx: object): Promise<string> {
  const hash = await node.rpc<string>('eth_sendTransaction', [{ from: sender, gas: '0x2dc6c0', ...tx }]);
  await waitFor(() => node.rpc('eth_getTransactionReceipt', [hash]), { intervalMs: 2 });
  return hash;
}

async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
  let body = '';
  for await (const chunk of req) body += String(chunk);
  if (req.method !== 'POST') return void res.writeHead(405).end();
  if (interfere(req, res, body)) return;
  const parsed = JSON.parse(body) as Call | Call[];
  const reply = async (call: Call): Promise<object> => {
    asked.push(call.method);
    const given = await answer(call, () => node.rpc(call.method, call.params)).catch((error: Error) => ({
      error: { code: -32000, message: error.message },
    }));
    return { jsonrpc: '2.0', id: call.id, ...given };
  };
  const replies = Array.isArray(parsed) ? await Promise.all(parsed.map(reply)) : await reply(parsed);
  res.setHeader('content-type', 'application/json').end(JSON.stringify(replies));
}

function connect(options: Partial<ChainClientOptions> = {}): ChainClient {
  const client = evmFamily.createClient({ network, endpointUrl: url, timeoutMs: 5_000, ...options });
  clients.push(client);
  return client;
}

/** A client that has learned that its node does not trace, and so proves blocks from bytes. */
async function connectUntraced(options?: Partial<ChainClientOptions>): Promise<ChainClient> {
  const client = connect(options);
  answer = (call, honest) => (/trace/.test(call.method) ? unsupported() : honestly(call, honest));
  await client.readBlock(head);
  return client;
}

function answerMethod(method: string, change: (result: never) => unknown): void {
  answer = async (call, honest) => ({
    result: call.method === method ? change((await honest()) as never) : await honest(),
  });
}

const refuse = (method: string): void => {
  answer = (call, honest) => (call.method === method ? unsupported() : honestly(call, honest));
};

describe('a node that fails', () => {
  it('by not answering is given up after the time-out', async () => {
    interfere = () => true;
    await expect(connect({ timeoutMs: 100 }).readHead()).rejects.toMatchObject({
      code: 'node_error',
      retryable: true,
      message: expect.stringContaining('100 ms'),
    });
  });

  it('is given up when the caller aborts', async () => {
    interfere = () => true;
    const abort = new AbortController();
    const reading = connect().readHead(abort.signal);
    abort.abort(new Error('no longer needed'));
    await expect(reading).rejects.toMatchObject({
      code: 'node_error',
      message: expect.stringContaining('no longer needed'),
    });
  });

  it.each([429, 500, 502, 503])('with HTTP %d says so', async (status) => {
    interfere = (_, res) => (res.writeHead(status).end('{"error":{"code":-1,"message":"busy"}}'), true);
    await expect(connect().readHead()).rejects.toMatchObject({ code: 'node_error', nodeCode: status });
  });

  it('with a redirect is not followed', async () => {
    interfere = (_, res) => (res.writeHead(302, { location: node.url }).end(), true);
    await expect(connect().readHead()).rejects.toMatchObject({ nodeCode: 302 });
  });

  it('by dropping the connection, or by truncating its JSON, is a node error', async () => {
    interfere = (req) => (req.socket.destroy(), true);
    await expect(connect().readHead()).rejects.toMatchObject({ code: 'node_error', retryable: true });
    interfere = (_, res) => (res.end('{"jsonrpc":"2.0","id":1,"result":{"hash":"0x12'), true);
    await expect(connect().readHead()).rejects.toMatchObject({
      code: 'node_error',
      message: expect.stringContaining('expected JSON'),
    });
  });

  it('by being down names neither its path nor its credentials', async () => {
    const client = connect({ endpointUrl: 'http://user:s3cret@127.0.0.1:1/v3/api-key?token=abc' });
    expect(client.label).toBe('http://127.0.0.1:1');
    const error = await client.readHead().then(
      () => undefined,
      (reason: Error) => reason,
    );
    expect(error).toMatchObject({ code: 'node_error' });
    expect(`${error?.message} ${error?.stack}`).not.toMatch(/s3cret|api-key|abc/);
  });
});

describe('credentials in the URL', () => {
  it('go as a Basic header', async () => {
    let header: string | undefined;
    interfere = (req) => ((header = req.headers.authorization), false);
    await connect({ endpointUrl: url.replace('http://', 'http://user:p%40ss@') }).verifyChain();
    expect(header).toBe(`Basic ${Buffer.from('user:p@ss').toString('base64')}`);
  });
});

describe('a guarded dial', () => {
  it('checks the address and resolves every host', async () => {
    const checked: string[] = [];
    const dial = {
      check: (target: string) => void checked.push(target),
      lookup: (
        _host: string,
        options: { all?: boolean },
        callback: (error: null, address: never, family?: number) => void,
      ) =>
        options.all === true
          ? callback(null, [{ address: '127.0.0.1', family: 4 }] as never)
          : callback(null, '127.0.0.1' as never, 4),
    } as NonNullable<ChainClientOptions['dial']>;
    await connect({ endpointUrl: url.replace('127.0.0.1', 'node.invalid'), dial }).verifyChain();
    expect(checked).toEqual([url.replace('127.0.0.1', 'node.invalid')]);
    const refusing = {
      ...dial,
      check: () => {
        throw new Error('address is not allowed');
      },
    };
    await expect(connect({ dial: refusing }).readHead()).rejects.toMatchObject({
      code: 'node_error',
      message: expect.stringContaining('not allowed'),
    });
  });
});

describe('a node that lies', () => {
  it.each<[string, string, (result: never) => unknown]>([
    [
      'alters a receipt',
      'eth_getBlockReceipts',
      (list: { logs: unknown[] }[]) => list.map((receipt) => ({ ...receipt, cumulativeGasUsed: '0x1' })),
    ],
    ['omits a receipt', 'eth_getBlockReceipts', (list: unknown[]) => list.slice(1)],
    ['has no receipts', 'eth_getBlockReceipts', () => []],
    ['has no traces', 'trace_block', () => []],
    ['leaves out a top call', 'trace_block', (list: unknown[]) => list.slice(1)],
    ['changes a hash', 'eth_getBlockByHash', (block: object) => ({ ...block, hash: `0x${'ab'.repeat(32)}` })],
    ['returns another block', 'eth_getBlockByHash', () => node.rpc('eth_getBlockByNumber', ['0x1', true])],
    [
      'traces another transaction',
      'trace_block',
      (list: object[]) => list.map((trace) => ({ ...trace, transactionHash: `0x${'ab'.repeat(32)}` })),
    ],
  ])('%s is not believed', async (_, method, change) => {
    answer = async (call, honest) => ({
      result: call.method === method ? await change((await honest()) as never) : await honest(),
    });
    await expect(connect().readBlock(head)).rejects.toMatchObject({
      code: 'incomplete_block',
      retryable: true,
    });
  });

  it.each<[string, string, (result: never) => unknown]>([
    [
      'alters a receipt',
      'eth_getBlockReceipts',
      (list: { logs: unknown[] }[]) => list.map((receipt) => ({ ...receipt, cumulativeGasUsed: '0x1' })),
    ],
    ['omits a receipt', 'eth_getBlockReceipts', (list: unknown[]) => list.slice(1)],
    ['has no receipts', 'eth_getBlockReceipts', () => []],
    ['changes a hash', 'eth_getBlockByHash', (block: object) => ({ ...block, hash: `0x${'ab'.repeat(32)}` })],
    ['returns another block', 'eth_getBlockByHash', () => node.rpc('eth_getBlockByNumber', ['0x1', true])],
  ])('and does not trace: %s is not believed', async (_, method, change) => {
    const client = await connectUntraced();
    answer = async (call, honest) => ({
      result: call.method === method ? await change((await honest()) as never) : await honest(),
    });
    await expect(client.readBlock(head)).rejects.toMatchObject({ code: 'incomplete_block', retryable: true });
    answer = honestly;
    expect((await client.readBlock(head)).transactions).toHaveLength(1);
  });

  it.each(['eth_getBlockByHash', 'eth_getBlockReceipts'])(
    'and does not trace: without an answer to %s the block is not found',
    async (method) => {
      const client = await connectUntraced();
      answerMethod(method, () => null);
      await expect(client.readBlock(head)).rejects.toMatchObject({ code: 'block_not_found' });
    },
  );

  it.each<[string, (list: { txHash: string }[]) => unknown]>([
    ['another transaction', (list) => list.map((trace) => ({ ...trace, txHash: `0x${'ab'.repeat(32)}` }))],
    ['with an error', (list) => list.map(({ txHash }) => ({ txHash, error: 'execution timeout' }))],
    ['nothing', () => []],
  ])('traces %s by debug_traceBlockByHash is not believed', async (_, change) => {
    answer = async (call, honest) => {
      if (call.method === 'trace_block') return unsupported();
      const result = await honest();
      return { result: call.method === 'debug_traceBlockByHash' ? change(result as never) : result };
    };
    await expect(connect().readBlock(head)).rejects.toMatchObject({
      code: 'incomplete_block',
      retryable: true,
    });
  });

  it.each<[string, string, () => unknown]>([
    [
      'traces the block that took its place',
      'trace_block',
      () => [{ type: 'call', action: {}, traceAddress: [], blockHash: `0x${'ab'.repeat(32)}` }],
    ],
    ['has no such block', 'eth_getBlockByHash', () => null],
    ['has no receipts of it', 'eth_getBlockReceipts', () => null],
  ])('%s: the block is not found', async (_, method, change) => {
    answerMethod(method, change);
    await expect(connect().readBlock(head)).rejects.toMatchObject({ code: 'block_not_found' });
  });

  it('by giving a header of another height, or headers that do not link', async () => {
    answerMethod('eth_getBlockByNumber', () => node.rpc('eth_getBlockByNumber', ['0x1', false]));
    await expect(connect().findHeaderByNumber(2)).rejects.toMatchObject({ code: 'node_error' });
    answer = async (call, honest) => ({
      result:
        call.params[0] === '0x2'
          ? { ...((await honest()) as object), parentHash: `0x${'ab'.repeat(32)}` }
          : await honest(),
    });
    await expect(connect().readHeaders(1, 3)).rejects.toMatchObject({ retryable: true });
  });

  it('by serving another chain', async () => {
    answerMethod('eth_chainId', () => '0x1');
    await expect(connect().verifyChain()).rejects.toMatchObject({
      code: 'wrong_chain',
      message: 'node serves another chain: expected eip155:31337, got eip155:1',
    });
  });
});

describe('a node that lacks', () => {
  const whole = async (): Promise<Block> => {
    const client = evmFamily.createClient({ network, endpointUrl: node.url });
    const block = await client.readBlock(head);
    client.close();
    return block;
  };

  it('eth_getBlockReceipts is asked for single receipts from then on', async () => {
    refuse('eth_getBlockReceipts');
    const client = connect();
    expect(plain(await client.readBlock(head))).toEqual(plain(await whole()));
    await client.readBlock(head);
    expect(asked.filter((method) => method === 'eth_getBlockReceipts')).toHaveLength(1);
    expect(asked.filter((method) => method === 'eth_getTransactionReceipt')).toHaveLength(2);
  });

  it('receipts by hash is asked by number', async () => {
    answer = (call, honest) =>
      call.method === 'eth_getBlockReceipts' && !/^0x[0-9a-f]{1,8}$/.test(String(call.params[0]))
        ? Promise.resolve({
            error: { code: -32602, message: 'invalid argument 0: hex string of wrong length' },
          })
        : honestly(call, honest);
    expect(plain(await connect().readBlock(head))).toEqual(plain(await whole()));
  });

  it('trace_block is asked for debug_traceBlockByHash, with the same outcome', async () => {
    refuse('trace_block');
    expect(plain(await connect().readBlock(head))).toEqual(plain(await whole()));
    expect(asked).toContain('debug_traceBlockByHash');
  });

  it('every kind of trace gives the block without internal transfers, and is not asked again', async () => {
    answer = (call, honest) => (/trace/.test(call.method) ? unsupported() : honestly(call, honest));
    const client = connect();
    const block = await client.readBlock(head);
    expect(block.transactions[0]?.transfers.map(({ type }) => type)).toEqual(['native']);
    const again = await client.readBlock(head);
    expect(plain(again)).toEqual(plain(block));
    expect(asked.filter((method) => /trace/.test(method))).toHaveLength(2);
  });

  it('traces and eth_getBlockReceipts is asked for single receipts, or by number', async () => {
    const client = await connectUntraced();
    answer = (call, honest) =>
      call.method === 'eth_getBlockReceipts' && !/^0x[0-9a-f]{1,8}$/.test(String(call.params[0]))
        ? Promise.resolve({
            error: { code: -32602, message: 'invalid argument 0: hex string of wrong length' },
          })
        : honestly(call, honest);
    expect((await client.readBlock(head)).transactions).toHaveLength(1);
    expect((await client.readBlock(head)).transactions).toHaveLength(1);
    refuse('eth_getBlockReceipts');
    expect((await client.readBlock(head)).transactions).toHaveLength(1);
    expect(asked.at(-1)).toBe('eth_getTransactionReceipt');
  });

  it('traces is asked for body and receipts at once while other requests are under way', async () => {
    const bodies: string[] = [];
    interfere = (_, __, body) => (bodies.push(body), false);
    const client = await connectUntraced({ concurrency: 2 });
    const expected = await client.readBlock(head);
    bodies.splice(0);
    answer = honestly;
    const blocks = await Promise.all([1, 2, 3, 4].map(() => client.readBlock(head)));
    expect(bodies.map((body) => (JSON.parse(body) as Call[]).length)).toEqual([
      undefined,
      undefined,
      2,
      2,
      2,
    ]);
    for (const block of blocks) expect(plain(block)).toEqual(plain(expected));
  });

  it('traces and is given as a WebSocket is asked for blocks over HTTP', async () => {
    const client = await connectUntraced({ endpointUrl: url.replace('http', 'ws'), concurrency: 2 });
    answer = honestly;
    const blocks = await Promise.all([1, 2, 3].map(() => client.readBlock(head)));
    expect(blocks.map(({ hash }) => hash)).toEqual(Array.from({ length: 3 }, () => head.hash));
  });

  it('lists, too, is asked one by one, and not for a list again', async () => {
    const client = await connectUntraced({ concurrency: 2 });
    let lists = 0;
    interfere = (_, res, body) =>
      body.startsWith('[') &&
      ((lists += 1),
      res.end('{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batch not supported"}}'),
      true);
    answer = honestly;
    for (let round = 0; round < 2; round += 1) {
      const blocks = await Promise.all([1, 2].map(() => client.readBlock(head)));
      expect(blocks.map(({ hash }) => hash)).toEqual([head.hash, head.hash]);
    }
    expect(lists).toBe(1);
  });

  it.each<[string, number, string, string]>([
    ['a fault', 503, 'busy', 'node_error'],
    ['a rate limit', 429, '', 'node_error'],
    [
      'nothing in the list',
      200,
      '[{"jsonrpc":"2.0","id":1,"result":null},{"jsonrpc":"2.0","id":2,"result":null}]',
      'block_not_found',
    ],
    [
      'no receipts in the list',
      200,
      '[{"jsonrpc":"2.0","id":2,"result":[]},{"jsonrpc":"2.0","id":1,"result":BODY}]',
      'incomplete_block',
    ],
  ])('traces and answers a list with %s fails the block', async (_, status, text, code) => {
    const client = await connectUntraced({ concurrency: 2 });
    const body = JSON.stringify(await node.rpc('eth_getBlockByHash', [head.hash, true]));
    interfere = (__, res, sent) =>
      sent.startsWith('[') && (res.writeHead(status).end(text.replace('BODY', body)), true);
    answer = honestly;
    const reading = Promise.all([
      client.readBlock(head),
      client.readBlock(head).catch((error: unknown) => error),
    ]);
    expect((await reading)[1]).toMatchObject({ code });
    interfere = () => false;
    expect(
      (await Promise.all([client.readBlock(head), client.readBlock(head)])).map(({ hash }) => hash),
    ).toEqual([head.hash, head.hash]);
  });

  it.each([
    ['half a list', '[{"jsonrpc":"2.0","id":1,"result":', 2],
    ['a list without one answer', '[{"jsonrpc":"2.0","id":2,"result":[]}]', 2],
    [
      'a list that is too much for it',
      '[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"error":{"code":-32003,"message":"response too large"}}]',
      1,
    ],
    [
      'an error in the list',
      '[{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"busy"}},{"jsonrpc":"2.0","id":2,"result":[]}]',
      1,
    ],
  ])('traces and answers a list with %s is asked one by one', async (_, text, expected) => {
    const client = await connectUntraced({ concurrency: 2 });
    let lists = 0;
    interfere = (__, res, sent) => sent.startsWith('[') && ((lists += 1), res.end(text), true);
    answer = honestly;
    for (let round = 0; round < 2; round += 1) {
      const blocks = await Promise.all([1, 2].map(() => client.readBlock(head)));
      expect(blocks.map(({ hash }) => hash)).toEqual([head.hash, head.hash]);
    }
    expect(lists).toBe(expected);
  });

  it('but fails at tracing, fails the block', async () => {
    answer = (call, honest) =>
      /trace/.test(call.method)
        ? Promise.resolve({ error: { code: -32000, message: 'execution timeout' } })
        : honestly(call, honest);
    await expect(connect().readBlock(head)).rejects.toMatchObject({ code: 'node_error' });
  });

  it('batches is asked one by one', async () => {
    interfere = (_, res, body) =>
      body.startsWith('[') &&
      (res.end('{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batch not supported"}}'), true);
    const headers = await connect().readHeaders(0, head.number);
    expect(headers).toHaveLength(head.number + 1);
  });

  it('calls by block hash is asked by number, and only while that number is the block', async () => {
    const byNumber: Answer = (call, honest) =>
      typeof call.params[1] === 'object'
        ? Promise.resolve({ error: { code: -32602, message: 'invalid params' } })
        : honestly(call, honest);
    answer = byNumber;
    const queries = [{ address: alice, assetGid: network.native!.gid }];
    expect(await connect().readBalances(head, queries)).toEqual([10n]);
    await expect(
      connect().readBalances({ number: head.number, hash: `0x${'ab'.repeat(32)}` }, queries),
    ).rejects.toMatchObject({ code: 'block_not_found' });
  });

  it('the state says so', async () => {
    answer = () =>
      Promise.resolve({
        error: { code: -32000, message: 'missing trie node 5d3f (path ) state 0x5d3f is not available' },
      });
    await expect(
      connect().readBalances(head, [{ address: alice, assetGid: network.native!.gid }]),
    ).rejects.toMatchObject({ code: 'block_not_found' });
  });

  it('room for more calls is not taken for a token that does not answer', async () => {
    answer = () => Promise.resolve({ error: { code: -32005, message: 'rate limit exceeded' } });
    await expect(connect().readTokens?.([`${network.gid}/erc20:${alice}`])).rejects.toMatchObject({
      code: 'node_error',
    });
  });

  it('WebSocket is asked once', async () => {
    const client = connect();
    const ends: Error[] = [];
    for (const count of [1, 2]) {
      client.subscribeHeads?.(
        () => undefined,
        (error) => ends.push(error),
      );
      await waitFor(() => ends.length === count);
    }
    expect(ends[1]?.message).toBe('the endpoint does not push heads');
  });
});

describe('a node that traces', () => {
  it('is asked for the traces of any transaction, whatever its gas limit: the price of a bare payment differs with the fork', async () => {
    await send({ to: alice, value: '0x1', gas: '0x5208' });
    const client = connect();
    await client.readBlock(await client.readHead());
    expect(asked).toContain('trace_block');
  });
});
