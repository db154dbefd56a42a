// SPDX-License-Identifier: Apache-2.0
import type { Transaction } from 'bitcoinjs-lib';
import { BitcoinClient } from './bitcoin-client.ts';
import { buildSpecTransaction } from './spec-blocks.ts';
import { createFakeChain } from './spec-fake-chain.ts';
import { NodeError, startFakeNode } from './spec-fake-node.ts';
import type { FakeNode, FakeNodeOptions } from './spec-fake-node.ts';
import { networkNamed } from './spec-fixtures.ts';

const network = networkNamed('bitcoin-regtest');
const creator = buildSpecTransaction({ outputs: 3 });
const parent = buildSpecTransaction({
  inputs: [
    { txid: creator.getId(), vout: 2 },
    { txid: creator.getId(), vout: 0 },
  ],
});
const child = buildSpecTransaction({ inputs: [{ txid: parent.getId(), vout: 1 }] });
const chain = createFakeChain(1);
const block = chain.extend([parent, child]);
const ref = { number: 2, hash: block.getId() };

const outputOf = (transaction: Transaction, vout: number): { matchKey: string; amountRaw: bigint } => ({
  matchKey: Buffer.from(transaction.outs[vout]!.script).toString('hex'),
  amountRaw: transaction.outs[vout]!.value,
});
const expected = new Map([
  [`${creator.getId()}:2`, outputOf(creator, 2)],
  [`${creator.getId()}:0`, outputOf(creator, 0)],
  [`${parent.getId()}:1`, outputOf(parent, 1)],
]);

let node: FakeNode;
let client: BitcoinClient;

async function start(methods: FakeNodeOptions['methods']): Promise<void> {
  node = await startFakeNode({ methods: { ...chain.methods, ...methods } });
  client = new BitcoinClient({ network, endpointUrl: node.url });
}

afterEach(async () => {
  client.close();
  await node.stop();
});

const prevout = (transaction: Transaction, vout: number): object => ({
  txid: transaction.getId(),
  vout,
  prevout: {
    generated: false,
    height: 1,
    value: Number(transaction.outs[vout]!.value) / 1e8,
    scriptPubKey: { hex: outputOf(transaction, vout).matchKey },
  },
});

/** Core from 23 on. */
function getblock(hash: string, verbosity: number | boolean): unknown {
  if (verbosity !== 3) return chain.methods.getblock!(hash as never, verbosity as never);
  return {
    hash,
    tx: [
      { vin: [{ coinbase: '00' }] },
      { vin: [prevout(creator, 2), prevout(creator, 0)] },
      { vin: [prevout(parent, 1)] },
    ],
  };
}

const getrawtransaction = (txid: string): string => {
  if (txid !== creator.getId()) throw new NodeError(-5, 'No such mempool or blockchain transaction');
  return creator.toHex();
};

describe('what a block spends', () => {
  it('is told by a node that shows it with the block', async () => {
    await start({ getblock });
    expect(await client.coins.readSpentOutputs(ref)).toEqual(expected);
    expect(node.calls.map(({ method }) => method)).not.toContain('getrawtransaction');
  });

  it('is found by a node with an index of transactions', async () => {
    await start({ getrawtransaction });
    expect(await client.coins.readSpentOutputs(ref)).toEqual(expected);
    expect(await client.coins.readSpentOutputs(ref)).toEqual(expected);
    expect(node.calls.filter(({ params }) => params[1] === 3)).toHaveLength(1);
  });

  it('is found by a node that takes booleans only', async () => {
    await start({
      getrawtransaction,
      getblock: (hash: string, verbosity: unknown) => {
        if (verbosity === 3) throw new NodeError(-32603, 'Param #1 must be a boolean.');
        return chain.methods.getblock!(hash as never, verbosity as never);
      },
    });
    expect(await client.coins.readSpentOutputs(ref)).toEqual(expected);
  });

  it('is not told where the node can do neither', async () => {
    await start({});
    expect(await client.coins.readSpentOutputs(ref)).toBeUndefined();
  });

  it('is not told by half', async () => {
    await start({
      getblock: (hash: string, verbosity: number) => {
        if (verbosity !== 3) return chain.methods.getblock!(hash as never, verbosity as never);
        return { hash, tx: [{ vin: [prevout(creator, 2)] }] };
      },
    });
    expect(await client.coins.readSpentOutputs(ref)).toBeUndefined();
  });

  it('is not told of a block that the node does not have', async () => {
    await start({});
    await expect(client.coins.readSpentOutputs({ number: 5, hash: 'ab'.repeat(32) })).rejects.toMatchObject({
      code: 'block_not_found',
    });
  });
});
