// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { UnknownContentError, type Block, type BlockRef, type Network } from '@chainwatch/chain-core';
import { startAnvil, waitFor, type AnvilHandle } from '@chainwatch/testing';
import { evmFamily } from './evm-family.ts';
import contracts from './vectors/contracts.json' with { type: 'json' };

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

const network = evmFamily.catalogue.networks.find(({ gid }) => gid === 'eip155:31337') as Network;
const [alice, bob] = [`0x${'a1'.repeat(20)}`, `0x${'b0'.repeat(20)}`] as const;
const word = (address: string): string => address.slice(2).padStart(64, '0');

let anvil: AnvilHandle;
let node: Server;
let url: string;
/** An error in place of anvil's answer. */
let refuse: (call: Call) => { readonly code: number; readonly message: string } | undefined;
/** Its answer otherwise, where anvil has none. */
let answer: (call: Call) => unknown;
let asked: string[];
let block: BlockRef;
let hashes: string[];

beforeAll(async () => {
  anvil = await startAnvil();
  node = createServer((req, res) => {
    const pieces: Buffer[] = [];
    req.on('data', (piece: Buffer) => pieces.push(piece));
    req.on('end', () => {
      void reply(JSON.parse(Buffer.concat(pieces).toString()) as Call | Call[]).then((told) =>
        res.setHeader('content-type', 'application/json').end(JSON.stringify(told)),
      );
    });
  });
  node.listen(0, '127.0.0.1');
  await once(node, 'listening');
  url = `http://127.0.0.1:${(node.address() as AddressInfo).port}`;
  const [from] = await anvil.rpc<string[]>('eth_accounts', []);
  const { bytecode, selectors } = contracts.Splitter;
  const deploy = await anvil.rpc<string>('eth_sendTransaction', [{ from, data: bytecode, gas: '0x2dc6c0' }]);
  const { contractAddress: to } = await waitFor(() =>
    anvil.rpc<{ contractAddress: string } | null>('eth_getTransactionReceipt', [deploy]),
  );
  await anvil.rpc('evm_setAutomine', [false]);
  hashes = [];
  const data = `${selectors.split}${word(alice)}${word(bob)}`;
  for (const value of ['0x64', '0x65'])
    hashes.push(await anvil.rpc<string>('eth_sendTransaction', [{ from, to, value, gas: '0x2dc6c0', data }]));
  await anvil.mine();
  const mined = await anvil.rpc<{ number: string; hash: string }>('eth_getBlockByNumber', ['latest', false]);
  block = { number: Number(mined.number), hash: mined.hash };
});
afterAll(async () => {
  node.closeAllConnections();
  node.close();
  await anvil.stop();
});
beforeEach(() => {
  refuse = () => undefined;
  answer = () => undefined;
  asked = [];
});

async function reply(body: Call | Call[]): Promise<object> {
  if (Array.isArray(body)) return Promise.all(body.map(reply));
  asked.push(body.method);
  const error = refuse(body);
  if (error !== undefined) return { jsonrpc: '2.0', id: body.id, error };
  const own = answer(body);
  const result = own ?? (await anvil.rpc(body.method, [...body.params]));
  return { jsonrpc: '2.0', id: body.id, result };
}

async function read({ takeUnknown = false, takeUntraced = true } = {}): Promise<Block> {
  const client = evmFamily.createClient({ network, endpointUrl: url });
  try {
    return await client.readBlock(block, undefined, { takeUnknown, takeUntraced });
  } finally {
    client.close();
  }
}

const internalTo = ({ transactions }: Block): unknown[] =>
  transactions.map(({ transfers }) =>
    transfers.filter(({ type }) => type === 'internal').map(({ to, amountRaw }) => [to, amountRaw]),
  );
const TIMEOUT = { code: -32_000, message: 'execution timeout' };

describe.each([
  {
    form: 'trace_block',
    whole: 'trace_block',
    one: 'trace_transaction',
    isState: ({ method }: Call) => method === 'trace_replayTransaction',
    isOther: () => false,
  },
  {
    form: 'callTracer',
    whole: 'debug_traceBlockByHash',
    one: 'debug_traceTransaction',
    isState: ({ params }: Call) => JSON.stringify(params).includes('prestateTracer'),
    isOther: ({ method }: Call) => method.startsWith('trace_'),
  },
])('a block that the node cannot trace as a whole, $form', ({ whole, one, isState, isOther }) => {
  const refuseAs =
    (isRefused: (call: Call) => boolean): typeof refuse =>
    (call) => {
      if (isOther(call)) return { code: -32_601, message: 'the method does not exist' };
      return call.method === whole || isRefused(call) ? TIMEOUT : undefined;
    };
  beforeEach(() => {
    answer = (call) => (isState(call) ? {} : undefined);
  });

  it('is read one transaction after the other', async () => {
    const expected = await read();
    expect(internalTo(expected).flat().length).toBeGreaterThan(1);
    refuse = refuseAs(() => false);
    expect(await read()).toEqual(expected);
    asked = [];
    await expect(read({ takeUntraced: false })).rejects.toMatchObject({ code: 'node_error' });
    expect(asked).not.toContain(one);
  });

  it('has no unknown transaction where the node fails at one once', async () => {
    const expected = await read();
    let count = 0;
    refuse = refuseAs(
      (call) => call.method === one && !isState(call) && call.params[0] === hashes[1] && (count += 1) === 1,
    );
    expect(await read()).toEqual(expected);
  });

  it('is not read where the node has another block at its height by now', async () => {
    refuse = refuseAs(() => false);
    answer = ({ method, params }) =>
      method === 'eth_getBlockByNumber' && params[0] === `0x${block.number.toString(16)}`
        ? { hash: `0x${'ab'.repeat(32)}` }
        : undefined;
    await expect(read({ takeUnknown: true })).rejects.toMatchObject({ code: 'block_not_found' });
  });

  it('has one unknown transaction, and no other, where that alone cannot be traced', async () => {
    const expected = await read();
    refuse = refuseAs((call) => call.method === one && !isState(call) && call.params[0] === hashes[1]);
    const refused = await read().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(UnknownContentError);
    expect((refused as UnknownContentError).unknowns).toMatchObject([
      {
        kind: 'traces:unread',
        transactionHash: hashes[1],
        got: expect.stringContaining('with an error') as string,
      },
    ]);
    const taken = await read({ takeUnknown: true });
    expect(taken).toMatchObject({ leavesOut: 'internal', verification: 'unproved' });
    expect(internalTo(taken)).toEqual([internalTo(expected)[0], []]);
    // What its root proves is told as ever.
    expect(taken.transactions[1]).toMatchObject({ hash: hashes[1], isFailed: false });
    expect(taken.transactions[1]?.verification).toBeUndefined();
  });

  it('is not read where the node does not trace in any form', async () => {
    refuse = refuseAs(({ method }) => method.startsWith('trace_') || method.startsWith('debug_'));
    await expect(read({ takeUnknown: true })).rejects.toMatchObject({ code: 'node_error' });
    // A node in trouble is not asked for every transaction again and again.
    expect(asked.filter((method) => method === one).length).toBeLessThanOrEqual(2 * hashes.length);
  });
});

it('is not read one by one where the node does not know the block', async () => {
  refuse = ({ method }) =>
    method === 'trace_block'
      ? { code: -32_000, message: 'required historical state unavailable' }
      : undefined;
  await expect(read({ takeUnknown: true })).rejects.toMatchObject({ code: 'block_not_found' });
  expect(asked).not.toContain('trace_transaction');
});
