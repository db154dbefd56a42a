// SPDX-License-Identifier: Apache-2.0
import { BitcoinClient } from './bitcoin-client.ts';
import {
  bitcoinCash,
  bitcoinCashBlock,
  buildLitecoinBlock,
  dogecoin,
  dogecoinBlock,
  generateTransaction,
  litecoin,
  traitsOf,
} from './spec-coin-blocks.ts';
import { NodeError, startFakeNode, type FakeNode } from './spec-fake-node.ts';
import { networkNamed } from './spec-fixtures.ts';
import { parseHeader } from './parse-header.ts';

const script = `76a914${'07'.repeat(20)}88ac`;

interface Recorded {
  readonly hash: string;
  readonly height: number;
  readonly bytes: Buffer;
  readonly headerLength: number;
}

/** Dogecoin Core 1.14: `getblockheader` takes booleans only, nothing tells spent outputs, and there is no scan. */
function startNode(
  { hash, height, bytes, headerLength }: Recorded,
  more: FakeNode['methods'] = {},
): Promise<FakeNode> {
  const expectKnown = (asked: string): void => {
    if (asked !== hash) throw new NodeError(-5, 'Block not found');
  };
  return startFakeNode({
    methods: {
      getbestblockhash: () => hash,
      getblockhash: (number: number) => {
        if (number !== height) throw new NodeError(-8, 'Block height out of range');
        return hash;
      },
      getblockheader: (asked: string, isVerbose: unknown) => {
        if (typeof isVerbose !== 'boolean')
          throw new NodeError(-1, 'JSON value is not a boolean as expected');
        expectKnown(asked);
        return isVerbose ? { hash, height } : bytes.subarray(0, headerLength).toString('hex');
      },
      getblock: (asked: string, verbosity: unknown) => {
        expectKnown(asked);
        if (verbosity === 0 || verbosity === false) return bytes.toString('hex');
        return { hash, height, tx: [] };
      },
      ...more,
    },
  });
}

const recorded = {
  dogecoin: {
    ...dogecoin,
    address: 'DF3VYGvdkMpr8372DqsPnc2keByT7tSiQ6',
    bytes: dogecoinBlock,
    headerLength: parseHeader(dogecoinBlock, traitsOf('dogecoin')).length,
  },
  litecoin: {
    ...litecoin,
    address: 'LTCPodha2LAxSyBGsGfkWcmKDEB8cWrqLU',
    bytes: buildLitecoinBlock(),
    headerLength: 80,
  },
} as const;

describe.each(['dogecoin', 'litecoin'] as const)('a node of %s', (name) => {
  let node: FakeNode;
  let client: BitcoinClient;
  const { hash, height, previousblockhash, tx, address } = recorded[name];
  beforeAll(async () => {
    node = await startNode(recorded[name]);
    client = new BitcoinClient({ network: networkNamed(name), endpointUrl: node.url });
  });
  afterAll(async () => {
    client.close();
    await node.stop();
  });

  it('tells its head and its headers', async () => {
    const head = await client.readHead();
    expect(head).toMatchObject({ number: height, hash, parentHash: previousblockhash });
    expect(await client.findHeaderByNumber(height)).toEqual(head);
    expect(await client.readHeaders(height, height + 2)).toEqual([head]);
  });

  it('tells a block from its bytes', async () => {
    const block = await client.readBlock({ number: height, hash });
    expect(block.transactions.map((transaction) => transaction.hash)).toEqual(
      tx.map((one) => (typeof one === 'string' ? one : one.txid)),
    );
  });

  it('tells neither coins nor what a block spends, so that blocks are read', async () => {
    expect(await client.coins.scanCoins([address])).toBeUndefined();
    expect(await client.coins.readSpentOutputs({ number: height, hash })).toBeUndefined();
  });
});

it('a node of a test network of Bitcoin Cash, which is below the split, is not used', async () => {
  const node = await startNode({ ...bitcoinCash, bytes: bitcoinCashBlock, headerLength: 80 });
  const client = new BitcoinClient({ network: networkNamed('bitcoin-cash'), endpointUrl: node.url });
  await expect(client.verifyChain()).rejects.toMatchObject({ retryable: true });
  client.close();
  await node.stop();
});

describe('amounts of Dogecoin that no double holds', () => {
  const amountRaw = 9_007_199_254_740_993n;
  const coins = '90071992.54740993';
  const network = networkNamed('dogecoin');
  const payment = generateTransaction({ scripts: [script], amountRaw });
  const at = { number: 5, hash: 'ab'.repeat(32) };

  it('are exact in the mempool and in a scan of a node that has one', async () => {
    const scan = `{"success":true,"height":5,"bestblock":"${at.hash}","unspents":[{"txid":"${payment.txid}","vout":0,"scriptPubKey":"${script}","amount":${coins},"height":4,"coinbase":false}]}`;
    const node = await startFakeNode({
      methods: { getrawtransaction: () => payment.hex },
      intercept: ({ method }) =>
        method === 'scantxoutset'
          ? { status: 200, text: `{"result":${scan},"error":null,"id":1}` }
          : undefined,
    });
    const client = new BitcoinClient({ network, endpointUrl: node.url });
    const [pending] = await client.mempool.readTransactions([payment.txid]);
    expect(pending!.utxo!.outputs).toEqual([{ matchKey: script, amountRaw }]);
    const address = 'D5nFgspqgExJFLXP8prT1EfEqxAGsqmeNU';
    const found = await client.coins.scanCoins([address]).catch((error: unknown) => error);
    expect(found).toMatchObject({ coins: [{ amountRaw, blockNumber: 4 }] });
    client.close();
    await node.stop();
  });
});
