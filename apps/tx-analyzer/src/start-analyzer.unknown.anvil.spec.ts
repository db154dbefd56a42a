// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createFailoverClient, type Block, type ChainFamily } from '@chainwatch/chain-core';
import { findFamily, findNetwork } from '@chainwatch/chain-registry';
import { startAnvil, waitFor, type AnvilHandle, type PostgresHandle } from '@chainwatch/testing';
import { incidents, passLimit, reprocess, transactions } from './spec-world/spec-unknown.ts';
import { SpecWorld } from './spec-world/spec-world.ts';

const ALICE = `0x${'aa'.repeat(20)}`;
/** With a type nobody knows how its receipts are encoded, either. */
const KINDS = ['receipt-encoding:0x7d', 'transaction-type:0x7d'];
const network = findNetwork('eip155:31337')!;

interface Proxy {
  readonly url: string;
  stop(): Promise<void>;
}

/** A node whose transactions are of a type that no release knows, and that does not give their encoding; it may lie beside. */
async function startProxy(
  nodeUrl: string,
  change: (text: string) => string = (text) => text,
): Promise<Proxy> {
  const server = createServer((req, res) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of req) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks)
        .toString()
        .replace(/(eth|debug)_getRaw\w+/g, 'eth_nothingLikeThat');
      const answer = await fetch(nodeUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      res
        .setHeader('content-type', 'application/json')
        .end(change((await answer.text()).replaceAll('"type":"0x2"', '"type":"0x7d"')));
    })().catch(() => res.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

let postgres: PostgresHandle;
let anvil: AnvilHandle;
let family: ChainFamily;
let one: Proxy;
let two: Proxy;
let liar: Proxy;
let world: SpecWorld;
let block: Block;

beforeAll(async () => {
  [postgres, anvil] = await Promise.all([SpecWorld.postgres(), startAnvil()]);
  family = (await findFamily('eip155'))!;
  const [from] = await anvil.rpc<string[]>('eth_accounts');
  await anvil.rpc('eth_sendTransaction', [{ from, to: ALICE, value: '0x5' }]);
  [one, two, liar] = await Promise.all([
    startProxy(anvil.url),
    startProxy(anvil.url),
    startProxy(anvil.url, (text) => text.replaceAll('"value":"0x5"', '"value":"0x50"')),
  ]);
  const client = connect([anvil.url]);
  block = await client.readBlock(await client.readHead());
  client.close();
}, 60_000);
afterAll(() => Promise.all([one.stop(), two.stop(), liar.stop(), anvil.stop(), postgres.stop()]));
beforeEach(async () => {
  world = await SpecWorld.start(postgres, { of: { network }, unknownWaitMs: 3_600_000, pollMs: 100 });
  await world.watch(await world.addProject(), ALICE);
});
afterEach(() => world.stop());

const connect = (urls: readonly string[]) =>
  createFailoverClient(urls.map((endpointUrl) => family.createClient({ network, endpointUrl })));

async function start(...urls: readonly string[]): Promise<void> {
  await world.stopAnalyzer();
  world.chain.client = () => connect(urls);
  world.startAnalyzer();
}

/** Told of the payment in order, with the amount. */
const told = async () =>
  (await world.events()).map(({ type, payload }) => {
    const { transaction } = (
      JSON.parse(payload) as {
        data: { transaction: { verification: string; transfers: { amount_raw: string }[] } };
      }
    ).data;
    return `${type} ${transaction.transfers[0]!.amount_raw} ${transaction.verification}`;
  });

async function takeFinal(): Promise<void> {
  await world.feedBlocks(block);
  await waitFor(async () => (await incidents(world)).length === KINDS.length, { message: 'the incidents' });
  await passLimit(world);
  await world.feedFinalize(block);
  await world.settle();
}

describe('a node with transactions of an unknown type', () => {
  it('is passed over for one that tells them in a known form', async () => {
    await start(one.url, anvil.url);
    await world.feedBlocks(block);
    await world.feedFinalize(block);
    await world.settle();
    expect(await incidents(world)).toEqual([]);
    expect(await told()).toEqual(['transaction.detected 5 proved', 'transaction.confirmed 5 proved']);
  });

  it('is taken at its word with a second one beside it, and proved by a release that knows the type', async () => {
    await start(one.url, two.url);
    await takeFinal();
    await waitFor(async () => (await told()).length === 2, { message: 'the confirmation' });
    expect(await told()).toEqual(['transaction.detected 5 unproved', 'transaction.confirmed 5 agreed']);
    expect(await incidents(world)).toMatchObject(
      KINDS.map((kind) => ({ kind, status: 'open', block_number: 1, last_block_number: 1 })),
    );
    await start(anvil.url);
    await reprocess(world, 1, 1);
    expect(await told()).toHaveLength(2);
    expect(await transactions(world)).toMatchObject([
      { status: 'confirmed', is_unproved: false, is_withheld: false },
    ]);
    expect(await incidents(world)).toMatchObject(KINDS.map((kind) => ({ kind, status: 'resolved' })));
  });

  it('credits nobody when it lies, and is found out', async () => {
    await start(liar.url);
    await takeFinal();
    expect(await told()).toEqual(['transaction.detected 80 unproved']);
    await start(liar.url, two.url);
    await waitFor(
      async () => (await world.rows('SELECT FROM incidents WHERE is_contradicted')).length === KINDS.length,
      { message: 'the contradiction' },
    );
    expect(await told()).toHaveLength(1);
    await start(anvil.url);
    await reprocess(world, 1, 1);
    expect(await told()).toEqual([
      'transaction.detected 80 unproved',
      'transaction.reorged 80 unproved',
      'transaction.detected 5 proved',
      'transaction.confirmed 5 proved',
    ]);
  });
});
