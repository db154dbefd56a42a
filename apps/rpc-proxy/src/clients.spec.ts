import { once } from 'node:events';
import { WebSocket } from 'ws';
import { createPublicClient, createWalletClient, http, parseEther } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';
import { startAnvil, startBcoin, startTcpProxy, waitFor, type AnvilHandle, type BcoinHandle } from '@chainwatch/testing';
import { startSpecWorld, type SpecWorld } from './spec-world.ts';
import type { RpcProxy } from './start-rpc-proxy.ts';

const REGTEST = 'bip122:0f9188f13cb7b2c71f2a335e3a4fc328';
// The first of anvil's accounts, known to everybody.
const ACCOUNT = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');

/** The ecosystem's own clients, unchanged apart from the address and the header. */
let world: SpecWorld;
let anvil: AnvilHandle;
let bcoin: BcoinHandle;
let gateway: RpcProxy & { readonly url: string };
beforeAll(async () => {
  [world, anvil, bcoin] = await Promise.all([startSpecWorld(), startAnvil(), startBcoin()]);
  gateway = await world.open({ 'eip155:31337': [anvil.url], [REGTEST]: [bcoin.url] }, { cacheBytes: 10_000_000 });
  await waitFor(() => [...gateway.directory.chains].every((chain) => chain.upstreams.every((upstream) => chain.serves(upstream))));
});
afterAll(async () => {
  await world.stop();
  await Promise.all([anvil.stop(), bcoin.stop()]);
  expect(world.failures).toEqual([]);
});

it.each([false, true])('viem reads, sends and waits on anvil, batches: %s', async (batch) => {
  const transport = http(`${gateway.url}/anvil`, { batch, fetchOptions: { headers: { 'X-Api-Key': world.project.keys.rpc } } });
  const client = createPublicClient({ chain: foundry, transport, pollingInterval: 50 });
  const wallet = createWalletClient({ chain: foundry, transport, account: ACCOUNT });
  const to = '0x00000000000000000000000000000000000000aa';
  const [chainId, before, balance] = await Promise.all([client.getChainId(), client.getBlockNumber({ cacheTime: 0 }), client.getBalance({ address: to })]);
  expect(chainId).toBe(31337);
  const hash = await wallet.sendTransaction({ to, value: parseEther('1.5') });
  const receipt = await client.waitForTransactionReceipt({ hash, timeout: 30_000 });
  expect(receipt).toMatchObject({ status: 'success', blockNumber: before + 1n });
  const [block, after, transaction] = await Promise.all([client.getBlock({ includeTransactions: true }), client.getBalance({ address: to }), client.getTransaction({ hash })]);
  expect(block.transactions.map((entry) => entry.hash)).toEqual([hash]);
  expect(after - balance).toBe(parseEther('1.5'));
  expect(transaction.blockHash).toBe(receipt.blockHash);
  await expect(wallet.sendTransaction({ to, value: parseEther('100000000') })).rejects.toThrow('exceeds the balance');
  await expect(client.request({ method: 'nonsense_method' as never })).rejects.toThrow();
});

it('subscriptions of a socket go on under their ids when the node dies', async () => {
  const second = await startAnvil();
  const two = await world.open({ 'eip155:31337': [{ url: anvil.url, weight: 1_000, headers: {} }, { url: second.url, weight: 0.000_001, headers: {} }] });
  const own = await startTcpProxy(anvil.port);
  try {
    const cuttable = await world.open({ 'eip155:31337': [{ url: `http://127.0.0.1:${own.port}`, weight: 1_000, headers: {} }, { url: second.url, weight: 0.000_001, headers: {} }] });
    await waitFor(() => cuttable.directory.find('anvil')!.upstreams.every((upstream) => cuttable.directory.find('anvil')!.serves(upstream)));
    const socket = new WebSocket(`${cuttable.url.replace('http', 'ws')}/anvil`, { headers: { 'X-Api-Key': world.project.keys.rpc } });
    const messages: { id?: unknown; result?: string; error?: unknown; params?: { subscription: string; result: { number: string } } }[] = [];
    socket.on('message', (data) => messages.push(JSON.parse(String(data)) as (typeof messages)[number]));
    await once(socket, 'open');
    socket.send('{"jsonrpc":"2.0","id":"sub","method":"eth_subscribe","params":["newHeads"]}');
    socket.send('{"jsonrpc":"2.0","id":2,"method":"admin_peers","params":[]}');
    const subscribed = await waitFor(() => messages.find(({ id }) => id === 'sub'));
    expect(messages.find(({ id }) => id === 2)?.error).toMatchObject({ code: -32601 });
    await anvil.mine();
    await waitFor(() => messages.some(({ params }) => params?.subscription === subscribed.result));
    own.cut();
    const before = messages.length;
    await waitFor(async () => {
      await second.mine();
      return messages.slice(before).some(({ params }) => params?.subscription === subscribed.result);
    }, { intervalMs: 200 });
    expect(messages.slice(before).every(({ params }) => params?.subscription === subscribed.result)).toBe(true);
    socket.terminate();
    const refused = new WebSocket(`${two.url.replace('http', 'ws')}/anvil`);
    const [error] = (await once(refused, 'error')) as [Error];
    expect(error.message).toContain('401');
  } finally {
    await own.stop();
    await second.stop();
  }
});

it('Bitcoin JSON-RPC as bitcoin-cli writes it works on a real node', async () => {
  const call = async (method: string, params: readonly unknown[] = []) => {
    const response = await fetch(`${gateway.url}/bitcoin-regtest`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain;', 'x-api-key': world.project.keys.rpc },
      body: JSON.stringify({ jsonrpc: '1.0', id: 'curltest', method, params }),
    });
    return (await response.json()) as { result: unknown; error: { code: number } | null; id: string };
  };
  const genesis = await call('getblockhash', [0]);
  expect(genesis).toMatchObject({ id: 'curltest', error: null, result: '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206' });
  expect((await call('getblock', [genesis.result, 0])).result).toMatch(/^01000000[0-9a-f]+$/);
  expect((await call('getblockcount')).result).toBe(await bcoin.readHeight());
  expect((await call('getblockhash', [1_000_000])).error?.code).toBeLessThan(0);
});
