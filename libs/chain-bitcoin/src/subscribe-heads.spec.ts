// SPDX-License-Identifier: Apache-2.0
import type { BlockHeader } from '@chainwatch/chain-core';
import { waitFor } from '@chainwatch/testing';
import { BitcoinClient } from './bitcoin-client.ts';
import { createFakeChain } from './spec-fake-chain.ts';
import { startFakeNode } from './spec-fake-node.ts';
import type { FakeNode, FakeNodeOptions } from './spec-fake-node.ts';
import { networkNamed } from './spec-fixtures.ts';

const network = networkNamed('bitcoin-regtest');
let node: FakeNode;
let client: BitcoinClient;
let heads: BlockHeader[];
let ends: Error[];
let stop: () => void;

async function start(options: FakeNodeOptions): Promise<void> {
  [heads, ends] = [[], []];
  node = await startFakeNode(options);
  client = new BitcoinClient({ network, endpointUrl: node.url, concurrency: 1 });
  stop = client.subscribeHeads(
    (head) => heads.push(head),
    (error) => ends.push(error),
  );
}

afterEach(async () => {
  client.close();
  await node.stop();
});

describe('a subscription to heads', () => {
  it('tells each new head as the node answers its long poll, and holds up nothing else', async () => {
    const chain = createFakeChain(1);
    let release: () => void = () => undefined;
    const waitfornewblock = (): Promise<unknown> =>
      new Promise(
        (resolve) =>
          (release = () => resolve({ hash: chain.blocks.at(-1)!.getId(), height: chain.blocks.length })),
      );
    await start({ methods: { ...chain.methods, waitfornewblock } });
    for (const height of [2, 3]) {
      await waitFor(
        () => node.calls.filter(({ method }) => method === 'waitfornewblock').length === height - 1,
        { message: 'the wait' },
      );
      expect((await client.readHead()).number).toBe(height - 1);
      const block = chain.extend();
      release();
      await waitFor(() => heads.length === height - 1, { message: 'the head' });
      expect(heads.at(-1)).toMatchObject({ number: height, hash: block.getId() });
    }
    stop();
    release();
    expect(ends).toEqual([]);
  });

  it('does not ask in a tight loop where the wait is none', async () => {
    const chain = createFakeChain(1);
    const askedAt: number[] = [];
    const waitfornewblock = (): unknown => {
      askedAt.push(performance.now());
      return { height: 1 };
    };
    await start({ methods: { ...chain.methods, waitfornewblock } });
    await waitFor(() => askedAt.length >= 4, { message: 'the fourth wait' });
    // The first two tell the head, from then on there is a rest, which a slow machine can only make longer.
    expect(askedAt[3]! - askedAt[1]!).toBeGreaterThan(300);
    expect(heads).toHaveLength(1);
  });

  it.each([403, 404])(
    'ends where the node does not offer it (%i), and is not tried again',
    async (status) => {
      await start({
        methods: createFakeChain(1).methods,
        intercept: ({ method }) => (method === 'waitfornewblock' ? { status } : undefined),
      });
      await waitFor(() => ends.length === 1, { message: 'the end' });
      client.subscribeHeads(
        () => undefined,
        (error) => ends.push(error),
      );
      await waitFor(() => ends.length === 2, { message: 'the second end' });
      expect(ends[1]).toMatchObject({ nodeCode: -32601 });
      expect(node.calls.filter(({ method }) => method === 'waitfornewblock')).toHaveLength(1);
    },
  );

  it('ends with the fault of the node, once, and is tried again', async () => {
    let status = 500;
    const chain = createFakeChain(1);
    await start({
      methods: { ...chain.methods, waitfornewblock: () => ({ height: 1 }) },
      intercept: ({ method }) => (method === 'waitfornewblock' && status !== 200 ? { status } : undefined),
    });
    await waitFor(() => ends.length === 1, { message: 'the end' });
    expect(ends[0]).toMatchObject({ nodeCode: 500 });
    status = 200;
    client.subscribeHeads(
      (head) => heads.push(head),
      (error) => ends.push(error),
    );
    await waitFor(() => heads.length === 1, { message: 'the head' });
    expect(ends).toHaveLength(1);
  });

  it('says nothing after it was stopped or the client closed', async () => {
    await start({
      methods: { ...createFakeChain(1).methods, waitfornewblock: () => new Promise(() => undefined) },
    });
    client.close();
    // A round trip later the wait is long ended.
    expect((await client.readHead()).number).toBe(1);
    expect(ends).toEqual([]);
  });
});
