// SPDX-License-Identifier: Apache-2.0
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHash } from 'node:crypto';
import type { ChainClient, Network } from '@chainwatch/chain-core';
import { computeBlockId } from './encode-header.ts';
import { parseJson } from './tron-http.ts';
import { tronFamily } from './tron-family.ts';

const network = tronFamily.catalogue.networks.find(({ name }) => name === 'tron') as Network;

type Answer = (path: string, body: Record<string, unknown>) => { status?: number; body: unknown } | undefined;

let server: Server;
let answer: Answer = () => undefined;
const asked: string[] = [];
let url = '';

beforeAll(async () => {
  server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
      const what =
        req.url === '/jsonrpc'
          ? Array.isArray(body)
            ? 'batch'
            : String(body['method'])
          : String(req.url).slice(1);
      asked.push(what);
      const { status = 200, body: text } = answer(what, body) ?? { status: 404, body: {} };
      res.writeHead(status).end(typeof text === 'string' ? text : JSON.stringify(text));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function use<T>(
  given: Answer,
  work: (client: ChainClient) => Promise<T>,
  endpointUrl = url,
): Promise<T> {
  answer = given;
  asked.length = 0;
  const client = tronFamily.createClient({ network, endpointUrl, timeoutMs: 2_000 });
  try {
    return await work(client);
  } finally {
    client.close();
  }
}

function makeBlock(number: number): { blockID: string; block_header: { raw_data: object } } {
  const root = '00'.repeat(32);
  const witness = `41${'ab'.repeat(20)}`;
  const parentHash = createHash('sha256')
    .update(String(number - 1))
    .digest('hex');
  const header = {
    timestamp: 1_750_000_000_000n,
    txTrieRoot: Buffer.from(root, 'hex'),
    parentHash: Buffer.from(parentHash, 'hex'),
    number: BigInt(number),
    witnessId: 0n,
    witnessAddress: Buffer.from(witness, 'hex'),
    version: 34n,
    accountStateRoot: Buffer.alloc(0),
  };
  return {
    blockID: computeBlockId(header),
    block_header: {
      raw_data: {
        number,
        timestamp: 1_750_000_000_000,
        txTrieRoot: root,
        parentHash,
        witness_address: witness,
        version: 34,
      },
    },
  };
}

describe('the wallet API', () => {
  it.each<[string, { status?: number; body: unknown }]>([
    [
      'an error under 200',
      { body: { Error: 'class java.lang.IllegalAccessException : lack of computing resources' } },
    ],
    ['a time of day', { body: 'noon' }],
    ['a page of a gateway', { status: 502, body: '<html>' }],
    ['a block without a header', { body: { blockID: 'ab' } }],
  ])('gives no head when the node answers %s', async (_, given) => {
    await expect(
      use(
        () => given,
        (client) => client.readHead(),
      ),
    ).rejects.toMatchObject({ code: 'node_error', retryable: true });
  });

  it('gives no head whose id is not that of its fields', async () => {
    const block = makeBlock(7);
    await expect(
      use(
        () => ({ body: { ...block, blockID: makeBlock(8).blockID } }),
        (client) => client.readHead(),
      ),
    ).rejects.toMatchObject({ code: 'incomplete_block' });
  });

  it('asks old nodes for whole blocks, and remembers it', async () => {
    const old: Answer = (path) => (path === 'wallet/getnowblock' ? { body: makeBlock(9) } : undefined);
    await use(old, async (client) => {
      expect((await client.readHead()).number).toBe(9);
      expect((await client.readHead()).number).toBe(9);
    });
    expect(asked).toEqual(['wallet/getblock', 'wallet/getnowblock', 'wallet/getnowblock']);
  });

  it('takes the solidified block from the report of the node where the solidity port is closed', async () => {
    const { blockID } = makeBlock(5);
    const given: Answer = (path) =>
      path === 'wallet/getnodeinfo'
        ? { body: { solidityBlock: `Num:5,ID:${blockID}`, cpuRate: 0.06666666666666667 } }
        : undefined;
    expect(await use(given, (client) => client.findFinalized())).toEqual({ number: 5, hash: blockID });
    expect(asked).toEqual(['walletsolidity/getblock', 'walletsolidity/getnowblock', 'wallet/getnodeinfo']);
    expect(
      await use(
        () => undefined,
        (client) => client.findFinalized(),
      ),
    ).toBeUndefined();
  });

  it('takes {} for a block that the node does not have, and [] for one without transactions', async () => {
    const block = makeBlock(11);
    const empty: Answer = (path) => ({ body: path.endsWith('infobyblocknum') ? [] : block });
    const ref = { number: 11, hash: block.blockID };
    expect(await use(empty, (client) => client.readBlock(ref))).toMatchObject({
      number: 11,
      transactions: [],
    });
    await expect(
      use(
        () => ({ body: {} }),
        (client) => client.readBlock(ref),
      ),
    ).rejects.toMatchObject({ code: 'block_not_found' });
    const unrecorded: Answer = (path) => ({ body: path.endsWith('infobyblocknum') ? {} : block });
    await expect(use(unrecorded, (client) => client.readBlock(ref))).rejects.toMatchObject({
      code: 'incomplete_block',
    });
  });
});

describe('the Ethereum-compatible interface', () => {
  it('gives up batches where the node refuses them, and asks one by one', async () => {
    const given: Answer = (what, body) => {
      if (what === 'batch')
        return {
          body: {
            jsonrpc: '2.0',
            id: null,
            error: { code: -32005, message: 'Batch size 3 exceeds the limit of 1' },
          },
        };
      return { body: { jsonrpc: '2.0', id: body['id'], result: null } };
    };
    expect(await use(given, (client) => client.readHeaders(1, 3), `${url}/jsonrpc`)).toEqual([]);
    expect(asked).toEqual(['batch', 'eth_getBlockByNumber', 'eth_getBlockByNumber', 'eth_getBlockByNumber']);
  });

  it('takes a value for TRX where nobody tells the kinds of transactions', async () => {
    const {
      blockID,
      block_header: { raw_data: raw },
    } = makeBlock(13);
    const { parentHash, txTrieRoot } = raw as { parentHash: string; txTrieRoot: string };
    const hash = `0x${'cd'.repeat(32)}`;
    const place = { blockHash: `0x${blockID}`, transactionIndex: '0x0' };
    const tx = {
      ...place,
      hash,
      from: `0x${'11'.repeat(20)}`,
      to: `0x${'22'.repeat(20)}`,
      value: '0x5',
      gas: '0x0',
    };
    const block = {
      number: '0xd',
      hash: `0x${blockID}`,
      parentHash: `0x${parentHash}`,
      transactionsRoot: `0x${txTrieRoot}`,
      timestamp: '0x684ee180',
      miner: `0x${'ab'.repeat(20)}`,
      stateRoot: '0x',
      transactions: [tx],
    };
    const results: Record<string, unknown> = {
      eth_getBlockByHash: block,
      eth_getBlockReceipts: [
        {
          ...place,
          transactionHash: hash,
          status: '0x1',
          gasUsed: '0x0',
          cumulativeGasUsed: '0x0',
          logs: [],
        },
      ],
    };
    const given: Answer = (what, body) =>
      what.startsWith('eth_')
        ? { body: { jsonrpc: '2.0', id: body['id'], result: results[what] } }
        : undefined;
    const ref = { number: 13, hash: blockID };
    const reading = async (client: ChainClient) => [await client.readBlock(ref), await client.readBlock(ref)];
    const [first] = await use(given, reading, `${url}/jsonrpc`);
    expect(first?.transactions).toMatchObject([
      { hash: 'cd'.repeat(32), transfers: [{ type: 'native', amountRaw: 5n }] },
    ]);
    expect(asked.filter((what) => what === 'wallet/getblockbyid')).toHaveLength(1);
  });

  it('tells no finality where the node knows no such tag', async () => {
    const given: Answer = (_, body) => ({
      body: { jsonrpc: '2.0', id: body['id'], error: { code: -32602, message: 'invalid block number' } },
    });
    expect(await use(given, (client) => client.findFinalized(), `${url}/jsonrpc`)).toBeUndefined();
  });
});

describe('parseJson', () => {
  it.each([
    ['{"value":9223372036854775807}', { value: '9223372036854775807' }],
    [
      '[12345678901234567,1.06666666666666667,"{\\"a\\":12345678901234567}"]',
      ['+12345678901234567', 1.0666666666666667, '{"a":12345678901234567}'],
    ],
    [
      '{"1002":[ 18446744073709551615, 0x0000001f,0x00000000000000ff,"1234567890123456"]}',
      { 1002: ['+18446744073709551615', '0x0000001f', '0x00000000000000ff', '1234567890123456'] },
    ],
    [
      '{"note":"x:12345678901234567,","n":-1234567890123456789}',
      { note: 'x:12345678901234567,', n: '-1234567890123456789' },
    ],
    ['{"small":123}', { small: 123 }],
    ['noon', undefined],
  ])('reads %s exactly', (text, value) => {
    expect(parseJson(text)).toEqual(value);
  });
});
