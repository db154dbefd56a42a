// SPDX-License-Identifier: Apache-2.0
import type { ServerResponse } from 'node:http';
import { waitFor } from '@chainwatch/testing';
import { answerResult, startSpecNode, type Seen, type SpecNode } from './spec-node.ts';
import { startSpecWorld, type SpecWorld } from './spec-world.ts';
import type { RpcProxy } from './start-rpc-proxy.ts';

const BITCOIN = 'bip122:000000000019d6689c085ae165831e93';
const SOLANA = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';

let world: SpecWorld;
let node: SpecNode;
let gateway: RpcProxy & { readonly url: string };
/** Calls that the stand-in has not answered yet. */
let held: { readonly seen: Seen; readonly res: ServerResponse }[] = [];
let count = 0;

beforeAll(async () => {
  [world, node] = await Promise.all([startSpecWorld(), startSpecNode()]);
  gateway = await world.open(
    { 'eip155:1': [node.url], [BITCOIN]: [node.url], [SOLANA]: [node.url] },
    { cacheBytes: 10_000_000, methods: { unlock: ['*'] } },
  );
  await waitFor(() =>
    [...gateway.directory.chains].every(({ upstreams }) =>
      upstreams.every(({ isChecked, isDown }) => isChecked && !isDown),
    ),
  );
});
afterAll(async () => {
  await world.stop();
  await node.stop();
  expect(world.failures).toEqual([]);
});
beforeEach(() => {
  held = [];
  count = 0;
  node.seen.length = 0;
  // A read waits until it is told; a write is answered at once.
  node.answer = (seen, res, req) => {
    if (READS.some((method) => seen.body.includes(`"${method}"`))) held.push({ seen, res });
    else answerResult('"0xaa"')(seen, res, req);
  };
});

const READS = [
  'eth_getTransactionCount',
  'eth_getBalance',
  'eth_blockNumber',
  'eth_getTransactionByHash',
  'eth_getBlockByNumber',
  'eth_feeHistory',
  'eth_getLogs',
  'getrawtransaction',
  'getblockcount',
  'getAccountInfo',
  'getSlot',
];

const call = (method: string, params: unknown): string =>
  JSON.stringify({ jsonrpc: '2.0', id: (count += 1), method, params });

async function post(body: string, path: string): Promise<string> {
  const response = await fetch(gateway.url + path, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', 'x-api-key': world.project.keys.rpc },
  });
  return response.text();
}

const release = (at: number, result: string): void =>
  answerResult(result)(held[at]!.seen, held[at]!.res, undefined as never);

const reads: readonly [string, string, unknown][] = [
  ['/ethereum', 'eth_getTransactionCount', ['0xa', 'latest']],
  ['/ethereum', 'eth_getBalance', ['0xa', 'latest']],
  ['/ethereum', 'eth_blockNumber', []],
  ['/ethereum', 'eth_getTransactionByHash', [`0x${'1'.repeat(64)}`]],
  ['/bitcoin', 'getrawtransaction', ['1'.repeat(64), true]],
  ['/bitcoin', 'getblockcount', []],
  ['/solana', 'getAccountInfo', ['a']],
  ['/solana', 'getSlot', []],
];
const writes: Readonly<Record<string, readonly string[]>> = {
  '/ethereum': [
    'eth_sendRawTransaction',
    'evm_mine',
    'anvil_setBalance',
    'hardhat_reset',
    'evm_revert',
    'debug_setHead',
  ],
  '/bitcoin': ['sendrawtransaction', 'generatetoaddress', 'invalidateblock', 'submitblock'],
  '/solana': ['sendTransaction', 'requestAirdrop'],
};

describe.each(reads)('%s %s %j', (path, method, params) => {
  it.each(writes[path]!)('joins no equal call that began before %s was over', async (write) => {
    for (const isBatch of [false, true]) {
      held = [];
      // Nothing is kept of the round before.
      await post(call(write, ['0x00']), path);
      const wrap = (body: string): string => (isBatch ? `[${body}]` : body);
      const early = post(wrap(call(method, params)), path);
      await waitFor(() => held.length === 1);
      await post(call(write, ['0x00']), path);
      const late = post(wrap(call(method, params)), path);
      await waitFor(() => held.length === 2);
      // A third one joins the call that began after the write. By hash it goes to the node that took the write.
      const isJoined = !/(transaction|ByHash)$/.test(method);
      const joined = post(wrap(call(method, params)), path);
      if (isJoined) await new Promise((resolve) => setTimeout(resolve, 20));
      else await waitFor(() => held.length === 3);
      if (!isJoined) release(2, '"new"');
      release(0, '"old"');
      release(1, '"new"');
      expect([await early, await late, await joined].map((text) => /old|new/.exec(text)?.[0])).toEqual([
        'old',
        'new',
        'new',
      ]);
      expect(held).toHaveLength(isJoined ? 2 : 3);
    }
  });
});

it.each<readonly [string, string, unknown]>([
  ['/ethereum', 'eth_getTransactionCount', ['0xa', 'pending']],
  ['/ethereum', 'eth_getTransactionCount', ['0xa', '\\u0070ending']],
  ['/ethereum', 'eth_getBalance', ['0xa', 'pending']],
  ['/ethereum', 'eth_getBlockByNumber', ['pending', false]],
  ['/ethereum', 'eth_feeHistory', ['0x1', 'pending', []]],
  ['/ethereum', 'eth_getLogs', [{ fromBlock: 'latest', toBlock: 'pending' }]],
  ['/solana', 'getAccountInfo', ['a', { commitment: 'processed' }]],
  ['/solana', 'getSlot', [{ commitment: 'processed' }]],
])('%s %s %j is never shared nor kept: other replicas write, too', async (path, method, params) => {
  for (const isBatch of [false, true]) {
    held = [];
    const text = (): string => {
      const body = call(method, params).replaceAll('\\\\u', '\\u');
      return isBatch ? `[${body}]` : body;
    };
    const answers = [post(text(), path), post(text(), path)];
    await waitFor(() => held.length === 2);
    for (const at of [0, 1]) release(at, '{"number":"0x1","value":5}');
    await Promise.all(answers);
    const after = post(text(), path);
    await waitFor(() => held.length === 3);
    release(2, '5');
    await after;
  }
});

it('a write that nobody answered counts as well', async () => {
  const early = post(call('eth_getBalance', ['0xb', 'latest']), '/ethereum');
  await waitFor(() => held.length === 1);
  const answer = node.answer;
  node.answer = (seen, res, req) =>
    seen.body.includes('evm_mine') ? req.socket.destroy() : answer(seen, res, req);
  await post(call('evm_mine', []), '/ethereum');
  const late = post(call('eth_getBalance', ['0xb', 'latest']), '/ethereum');
  await waitFor(() => held.length === 2);
  for (const at of [0, 1]) release(at, '"0x1"');
  await Promise.all([early, late]);
});
