// SPDX-License-Identifier: Apache-2.0
import { ChainClientError } from '@chainwatch/chain-core';
import type { ChainClient } from '@chainwatch/chain-core';
import { BitcoinClient } from './bitcoin-client.ts';
import { buildSpecTransaction } from './spec-blocks.ts';
import { createFakeChain } from './spec-fake-chain.ts';
import { NodeError, startFakeNode } from './spec-fake-node.ts';
import type { FakeNode, FakeNodeOptions } from './spec-fake-node.ts';
import { networkNamed } from './spec-fixtures.ts';

const network = networkNamed('bitcoin-regtest');
const chain = createFakeChain(5);
const unknownHash = 'ab'.repeat(32);

let node: FakeNode;
let client: ChainClient;

async function start(options: Partial<FakeNodeOptions> = {}, timeoutMs = 2_000): Promise<void> {
  node = await startFakeNode({
    methods: { ...chain.methods, ...options.methods },
    dialect: options.dialect,
    intercept: options.intercept,
  });
  client = new BitcoinClient({ network, endpointUrl: node.url, timeoutMs });
}

afterEach(async () => {
  client.close();
  await node.stop();
});

const refOf = (height: number): { number: number; hash: string } => ({
  number: height,
  hash: chain.blocks[height - 1]!.getId(),
});

describe.each(['core-1', 'core-2', 'bcoin'] as const)('a node that writes as %s', (dialect) => {
  it('serves heads, headers and blocks', async () => {
    await start({ dialect });
    await client.verifyChain();
    const head = await client.readHead();
    expect(head).toMatchObject({ ...refOf(5), parentHash: refOf(4).hash });
    expect((await client.readHeaders(1, 99)).map(({ hash }) => hash)).toEqual(
      chain.blocks.map((block) => block.getId()),
    );
    expect((await client.readBlock(head)).transactions).toHaveLength(1);
    expect(await client.findHeaderByNumber(6)).toBeUndefined();
    expect(await client.findHeaderByHash(unknownHash)).toBeUndefined();
  });

  it('tells a block that it does not have', async () => {
    await start({ dialect });
    await expect(client.readBlock({ number: 9, hash: unknownHash })).rejects.toMatchObject({
      code: 'block_not_found',
      retryable: true,
    });
  });

  it.each([
    [-1, 'Block not available (pruned data)'],
    [-1, 'Block not available (not fully downloaded)'],
    [-1, 'Block not found'],
    [-1, 'Block not found on disk'],
    [-5, 'Block not found'],
    [-8, 'Block height out of range'],
  ])('takes %i "%s" for a block that it does not have', async (code, message) => {
    const refuse = (): never => {
      throw new NodeError(code, message);
    };
    await start({ dialect, methods: { getblock: refuse, getblockhash: refuse, getblockheader: refuse } });
    await expect(client.readBlock(refOf(1))).rejects.toMatchObject({
      code: 'block_not_found',
      retryable: true,
    });
    expect(await client.findHeaderByNumber(1)).toBeUndefined();
    expect(await client.readHeaders(1, 3)).toEqual([]);
    expect(await client.findHeaderByHash(refOf(1).hash)).toBeUndefined();
  });

  it('tells that it warms up, so that it is asked again', async () => {
    const refuse = (): never => {
      throw new NodeError(-28, 'Loading block index…');
    };
    await start({
      dialect,
      methods: {
        getbestblockhash: refuse,
        getblockhash: refuse,
        getblock: refuse,
        getblockheader: refuse,
        getrawmempool: refuse,
      },
    });
    const calls = [
      () => client.readHead(),
      () => client.verifyChain(),
      () => client.readHeaders(0, 3),
      () => client.readBlock(refOf(1)),
      () => client.findHeaderByHash(unknownHash),
      () => client.mempool!.readSnapshot(),
    ];
    for (const call of calls)
      await expect(call()).rejects.toMatchObject({ code: 'node_error', retryable: true, nodeCode: -28 });
  });

  it('tells its mempool, without what is gone', async () => {
    const [one, other] = [buildSpecTransaction(), buildSpecTransaction({ hasWitness: false })];
    const hexOf = new Map([one, other].map((transaction) => [transaction.getId(), transaction.toHex()]));
    const getrawtransaction = (txid: string): string => {
      const hex = hexOf.get(txid);
      if (hex === undefined)
        throw dialect === 'bcoin'
          ? new NodeError(-1, 'Transaction not found.')
          : new NodeError(-5, 'No such mempool transaction. Use -txindex or provide a block hash');
      return hex;
    };
    await start({ dialect, methods: { getrawmempool: () => [...hexOf.keys()], getrawtransaction } });
    const { head, hashes } = await client.mempool!.readSnapshot();
    expect(head).toEqual(refOf(5));
    const found = await client.mempool!.readTransactions([...hashes, unknownHash]);
    expect(found.map((transaction) => transaction?.hash)).toEqual([one.getId(), other.getId(), undefined]);
  });
});

describe('the endpoint', () => {
  it('is given user and password, and never shows them', async () => {
    await start();
    await client.readHead();
    expect(node.requests[0]?.authorization).toBe(
      `Basic ${Buffer.from('user:secret/word').toString('base64')}`,
    );
    expect(client.label).toBe(node.url.replace('user:secret%2Fword@', ''));
  });

  it('is given a cookie like a user and a password', async () => {
    await start();
    const own = new BitcoinClient({
      network,
      endpointUrl: node.url.replace('user:secret%2Fword', '__cookie__:0a1b2c'),
    });
    await own.readHead();
    expect(node.requests.at(-1)?.authorization).toBe(
      `Basic ${Buffer.from('__cookie__:0a1b2c').toString('base64')}`,
    );
    own.close();
  });

  it.each([
    [401, '', /HTTP 401, the endpoint refuses the credentials/],
    [403, '', /HTTP 403, the endpoint does not allow this call/],
    [429, 'slow down', /HTTP 429/],
    [500, '<html>', /HTTP 500/],
    [502, '{"error":"bad gateway"}', /HTTP 502/],
    [200, '', /expected a JSON-RPC response, got an empty body/],
    [200, '{"result":"0f91', /expected a JSON-RPC response, got 15 bytes/],
    [200, '"text"', /expected a JSON-RPC response/],
    [200, '{"id":1}', /expected a JSON-RPC response/],
    [200, 'null', /expected a JSON-RPC response/],
    [0, '', /getbestblockhash: /],
  ])('that answers %i %j is no node for now', async (status, text, message) => {
    await start({ intercept: () => ({ status, text }) });
    const error: unknown = await client.readHead().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ChainClientError);
    expect(error).toMatchObject({ retryable: true, message: expect.stringMatching(message) });
    expect(String(error) + (error as ChainClientError).publicMessage).not.toMatch(/secret|127\.0\.0\.1/);
  });

  it('with a full work queue is asked again', async () => {
    await start({
      intercept: ({ count }) => (count < 3 ? { status: 503, text: 'Work queue depth exceeded' } : undefined),
    });
    expect((await client.readHead()).number).toBe(5);
  });

  it('with a work queue that stays full says so', async () => {
    await start({ intercept: () => ({ status: 503, text: 'Work queue depth exceeded' }) });
    await expect(client.readHead()).rejects.toMatchObject({
      code: 'node_error',
      nodeCode: 503,
      retryable: true,
    });
  });

  it('that does not answer is given up in time, and at once when the caller leaves', async () => {
    await start({ methods: { getbestblockhash: () => new Promise(() => undefined) } }, 200);
    await expect(client.readHead()).rejects.toThrow('no answer within 200 ms');
    const controller = new AbortController();
    const call = client.readHead(controller.signal);
    controller.abort(new Error('the caller left'));
    await expect(call).rejects.toThrow('the caller left');
  });

  it('without batches is asked one by one, and not for a batch again', async () => {
    await start({
      intercept: ({ isBatch }) =>
        isBatch
          ? {
              status: 200,
              text: '{"result":null,"error":{"code":-32600,"message":"Invalid Request object"},"id":null}',
            }
          : undefined,
    });
    expect(await client.readHeaders(1, 5)).toHaveLength(5);
    await client.readHeaders(1, 5);
    expect(node.requests.filter(({ isBatch }) => isBatch)).toHaveLength(1);
  });

  it('keeps batches after a fault of the server', async () => {
    let isDown = true;
    await start({
      intercept: ({ isBatch }) => (isBatch && isDown ? { status: 500, text: 'oops' } : undefined),
    });
    await expect(client.readHeaders(1, 5)).rejects.toMatchObject({ nodeCode: 500 });
    isDown = false;
    await client.readHeaders(1, 5);
    expect(node.requests.at(-1)?.isBatch).toBe(true);
  });

  it('is not asked more at once than allowed', async () => {
    let [now, most] = [0, 0];
    await start({
      methods: {
        getblock: async (hash: string) => {
          most = Math.max(most, ++now);
          await new Promise((resolve) => setTimeout(resolve, 20));
          now--;
          return chain.methods.getblock!(hash as never, 0 as never);
        },
      },
    });
    const own = new BitcoinClient({ network, endpointUrl: node.url, concurrency: 2 });
    await Promise.all(chain.blocks.map((_, index) => own.readBlock(refOf(index + 1))));
    expect(most).toBe(2);
    own.close();
  });

  it('has to be http or https', () => {
    expect(() => new BitcoinClient({ network, endpointUrl: 'ftp://127.0.0.1' })).toThrow('endpoint URL');
    const socket = new BitcoinClient({ network, endpointUrl: 'ws://127.0.0.1:1' });
    return expect(socket.readHead()).rejects.toThrow('expected http or https, got a WebSocket');
  });

  it('is dialled through the guard', async () => {
    await start();
    const guarded = new BitcoinClient({
      network,
      endpointUrl: node.url,
      dial: {
        lookup: () => undefined,
        check: () => {
          throw new ChainClientError('address is not allowed');
        },
      },
    });
    await expect(guarded.readHead()).rejects.toThrow('address is not allowed');
    expect(node.calls).toEqual([]);
  });
});

describe('a node', () => {
  it('that takes only booleans, or only numbers, is found out once', async () => {
    for (const type of ['boolean', 'number']) {
      const getblock = (hash: string, form: unknown): unknown => {
        if (typeof form !== type) throw new NodeError(-3, `Expected type ${type}, got ${typeof form}`);
        return chain.methods.getblock!(hash as never, 0 as never);
      };
      await start({ methods: { getblock } });
      await client.readBlock(refOf(1));
      await client.readBlock(refOf(2));
      expect(node.calls.filter(({ method }) => method === 'getblock')).toHaveLength(
        type === 'boolean' ? 3 : 2,
      );
      client.close();
      await node.stop();
    }
    await start();
  });

  it('whose head stays the same is asked for no header again', async () => {
    await start();
    await client.readHead();
    const before = node.calls.length;
    await client.readHead();
    expect(node.calls.slice(before).map(({ method }) => method)).toEqual(['getbestblockhash']);
  });

  it.each<[string, Partial<Record<string, (...params: never[]) => unknown>>]>([
    [
      'another header',
      {
        getblockheader: (_hash: string, isVerbose: boolean) =>
          isVerbose ? { height: 5 } : chain.blocks[0]!.toHex(true),
      },
    ],
    ['no hex', { getblockheader: (_hash: string, isVerbose: boolean) => (isVerbose ? { height: 5 } : 'zz') }],
    [
      'a short header',
      { getblockheader: (_hash: string, isVerbose: boolean) => (isVerbose ? { height: 5 } : 'abcd') },
    ],
    [
      'no height',
      {
        getblockheader: (hash: string, isVerbose: boolean) =>
          isVerbose ? {} : chain.methods.getblockheader!(hash as never, false as never),
      },
    ],
    ['no hash', { getbestblockhash: () => 5 }],
    ['an empty hash', { getbestblockhash: () => '' }],
  ])('that gives %s is not believed', async (_name, methods) => {
    await start({ methods: methods as Record<string, (...params: never[]) => unknown> });
    await expect(client.readHead()).rejects.toMatchObject({ code: 'node_error', retryable: true });
  });

  it('that mixes two chains is not believed', async () => {
    const other = createFakeChain(5);
    const getblockhash = (height: number): unknown =>
      (height < 3 ? chain : other).methods.getblockhash!(height as never);
    const getblockheader = (hash: string, isVerbose: boolean): unknown =>
      (chain.blocks.some((block) => block.getId() === hash) ? chain : other).methods.getblockheader!(
        hash as never,
        isVerbose as never,
      );
    await start({ methods: { getblockhash, getblockheader } });
    await expect(client.readHeaders(1, 4)).rejects.toThrow('headers are not linked');
  });

  it('that gives another transaction, or a part of one, is not believed', async () => {
    const wanted = buildSpecTransaction();
    for (const hex of [
      buildSpecTransaction().toHex(),
      wanted.toHex().slice(0, -2),
      `${wanted.toHex()}00`,
      '',
      7,
      { txid: wanted.getId() },
      null,
    ]) {
      await start({ methods: { getrawtransaction: () => hex } });
      await expect(client.mempool!.readTransactions([wanted.getId()])).rejects.toMatchObject({
        code: 'node_error',
        retryable: true,
      });
      client.close();
      await node.stop();
    }
    await start();
  });

  it('is not believed while it still loads its mempool', async () => {
    let loaded = false;
    await start({ methods: { getmempoolinfo: () => ({ loaded, size: 0 }), getrawmempool: () => [] } });
    await expect(client.mempool!.readSnapshot()).rejects.toMatchObject({
      code: 'node_error',
      retryable: true,
      message: expect.stringContaining('still being loaded'),
    });
    loaded = true;
    expect((await client.mempool!.readSnapshot()).hashes).toEqual([]);
  });

  it('that does not say whether it loads its mempool is asked once', async () => {
    await start({
      methods: { getrawmempool: () => [] },
      intercept: ({ method }) => (method === 'getmempoolinfo' ? { status: 403 } : undefined),
    });
    for (let look = 0; look < 2; look += 1) expect((await client.mempool!.readSnapshot()).hashes).toEqual([]);
    expect(node.calls.filter(({ method }) => method === 'getmempoolinfo')).toHaveLength(1);
  });

  it('without a mempool says so', async () => {
    await start({
      methods: {
        getrawmempool: () => {
          throw new NodeError(-33, 'Mempool disabled or instance not found');
        },
      },
    });
    await expect(client.mempool!.readSnapshot()).rejects.toMatchObject({ code: 'node_error', nodeCode: -33 });
  });

  it('of another chain is refused for good', async () => {
    await start({
      methods: { getblockhash: () => '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f' },
    });
    await expect(client.verifyChain()).rejects.toMatchObject({ code: 'wrong_chain', retryable: false });
  });
});
