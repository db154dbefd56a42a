// SPDX-License-Identifier: Apache-2.0
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BlocksOfAddresses, ChainClient, Network } from '@chainwatch/chain-core';
import { startAnvil, type AnvilHandle } from '@chainwatch/testing';
import { evmFamily } from './evm-family.ts';
import contracts from './vectors/contracts.json' with { type: 'json' };

const network = evmFamily.catalogue.networks.find(({ gid }) => gid === 'eip155:31337') as Network;
const alice = `0x${'a1'.repeat(20)}`;
const bob = `0x${'b0'.repeat(20)}`;

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: readonly { readonly fromBlock: string; readonly toBlock: string }[];
}
type Refusal = { readonly code: number; readonly message: string } | undefined;

let node: AnvilHandle;
let server: Server;
let client: ChainClient;
let refuse: (call: Call) => Refusal;
let asked: string[];
/** Blocks in which alice takes part, by how. */
const blocks = { paid: 0, called: 0, pays: 0, foreign: 0 };

beforeAll(async () => {
  node = await startAnvil({ args: ['--no-mining'] });
  const [sender] = await node.rpc<string[]>('eth_accounts', []);
  const send = (tx: object) =>
    node.rpc<string>('eth_sendTransaction', [{ from: sender, gas: '0x2dc6c0', ...tx }]);
  const mined = async (tx: object): Promise<number> => {
    await send(tx);
    await node.mine();
    return node.blockNumber();
  };
  const hash = await send({ data: contracts.TestToken.bytecode });
  await node.mine();
  const { contractAddress: token } = await node.rpc<{ contractAddress: string }>(
    'eth_getTransactionReceipt',
    [hash],
  );
  const call = (selector: string, to: string) =>
    `${selector}${to.slice(2).padStart(64, '0')}${(5).toString(16).padStart(64, '0')}`;
  await node.mine(3);
  blocks.paid = await mined({ to: alice, value: '0x3635c9adc5dea00000' });
  await node.mine(20);
  blocks.called = await mined({ to: token, data: call(contracts.TestToken.selectors.transfer, alice) });
  blocks.foreign = await mined({ to: token, data: call(contracts.TestToken.selectors.transfer, bob) });
  await node.mine(20);
  await node.rpc('anvil_impersonateAccount', [alice]);
  blocks.pays = await mined({ from: alice, to: bob, value: '0x1', gas: '0x5208' });
  await node.mine(40);
  server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on(
      'end',
      () => void answer(JSON.parse(Buffer.concat(chunks).toString())).then((text) => res.end(text)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await node.stop();
});
beforeEach(() => {
  asked = [];
  refuse = () => undefined;
  client = evmFamily.createClient({
    network,
    endpointUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  });
});
afterEach(() => client.close());

async function answer(body: Call | readonly Call[]): Promise<string> {
  if (Array.isArray(body)) return `[${(await Promise.all(body.map((call) => answer(call as Call)))).join()}]`;
  const call = body as Call;
  asked.push(call.method);
  const error = /^(trace|debug)_/.test(call.method)
    ? { code: -32601, message: 'the method does not exist' }
    : refuse(call);
  if (error !== undefined) return JSON.stringify({ jsonrpc: '2.0', id: call.id, error });
  const res = await fetch(node.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(call),
  });
  return res.text();
}

/** All pages from block 0 on. */
async function findAll(addresses: readonly string[] = [alice]): Promise<number[] | undefined> {
  // Only a block with a transaction tells whether the node traces.
  await client.readBlock((await client.findHeaderByNumber(blocks.paid))!);
  const head = await node.blockNumber();
  const found: number[] = [];
  for (let fromBlock = 0; fromBlock <= head; ) {
    const page: BlocksOfAddresses | undefined = await client.findBlocksOf!({
      addresses,
      fromBlock,
      toBlock: head,
    });
    if (page === undefined) return undefined;
    for (const { number, hash } of page.refs) {
      expect(hash).toBe((await client.findHeaderByNumber(number))!.hash);
      found.push(number);
    }
    fromBlock = page.toBlock + 1;
  }
  return found;
}
const ofAlice = () => [blocks.paid, blocks.called, blocks.pays];
/** The token was created in block 1. */
const withCreation = () => [1, ...ofAlice()];

it('names the blocks of native payments, of token transfers, and of contracts that are created', async () => {
  expect(await findAll()).toEqual(withCreation());
  expect(asked).toContain('eth_getLogs');
});

it('halves a range that the node refuses, in whatever words', async () => {
  refuse = ({ method, params }) => {
    if (method !== 'eth_getLogs') return undefined;
    const { fromBlock, toBlock } = params[0]!;
    return Number(toBlock) - Number(fromBlock) < 5
      ? undefined
      : { code: -32005, message: 'query returned more than 10000 results' };
  };
  expect(await findAll()).toEqual(withCreation());
});

it('names a single block whose logs are refused, which must be read', async () => {
  refuse = ({ method, params }) =>
    method === 'eth_getLogs' &&
    Number(params[0]!.fromBlock) <= blocks.foreign &&
    Number(params[0]!.toBlock) >= blocks.foreign
      ? { code: -32602, message: 'block range is too wide' }
      : undefined;
  expect(await findAll()).toEqual([...withCreation(), blocks.foreign].sort((a, b) => a - b));
});

it('leaves all blocks to be read where the node gives no logs, and does not ask it again', async () => {
  refuse = ({ method }) =>
    method === 'eth_getLogs' ? { code: -32601, message: 'method not found' } : undefined;
  expect(await findAll()).toBeUndefined();
  const before = asked.length;
  expect(await findAll()).toBeUndefined();
  expect(asked.slice(before)).not.toContain('eth_getLogs');
});

it('leaves all blocks to be read while the node may trace', async () => {
  expect(await client.findBlocksOf!({ addresses: [alice], fromBlock: 0, toBlock: 3 })).toBeUndefined();
});

it('says which block the node does not have', async () => {
  await client.readBlock((await client.findHeaderByNumber(blocks.paid))!);
  const head = await node.blockNumber();
  await expect(
    client.findBlocksOf!({ addresses: [alice], fromBlock: head, toBlock: head + 3 }),
  ).rejects.toMatchObject({ code: 'block_not_found' });
});

it('waits for a node that is busy', async () => {
  refuse = ({ method }) =>
    method === 'eth_getLogs' ? { code: 429, message: 'too many requests' } : undefined;
  await expect(findAll()).rejects.toMatchObject({ code: 'node_error' });
});
