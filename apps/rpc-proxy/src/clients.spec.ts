// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  Connection,
  Keypair,
  LAMPORTS_PER_SOL,
  sendAndConfirmTransaction,
  SystemProgram,
  Transaction,
} from '@solana/web3.js';
import { TronWeb } from 'tronweb';
import { WebSocket, WebSocketServer } from 'ws';
import { createPublicClient, createWalletClient, http, parseEther } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';
import { startAnvil, startTcpProxy, waitFor, type AnvilHandle } from '@chainwatch/testing';
import { startBcoin, type BcoinHandle } from '@chainwatch/tool-devnet/start-bcoin';
import { compileV1, signV1 } from '@chainwatch/tool-devnet/solana';
import { startSolana, type SolanaHandle } from '@chainwatch/tool-devnet/start-solana';
import { startTron, type TronHandle } from '@chainwatch/tool-devnet/start-tron';
import { startSpecWorld, type SpecWorld } from './spec-world.ts';
import type { RpcProxy } from './start-rpc-proxy.ts';

const SOLANA = 'solana:localnet';
const TRON = 'tron:0x7a69';
const REGTEST = 'bip122:0f9188f13cb7b2c71f2a335e3a4fc328';
// The first of anvil's accounts, known to everybody.
const ACCOUNT = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');

/** The ecosystem's own clients, unchanged apart from the address and the header. */
let world: SpecWorld;
let anvil: AnvilHandle;
let bcoin: BcoinHandle;
let solana: SolanaHandle;
let tron: TronHandle;
let gateway: RpcProxy & { readonly url: string };
beforeAll(async () => {
  [world, anvil, bcoin, solana, tron] = await Promise.all([
    startSpecWorld(),
    startAnvil(),
    startBcoin(),
    startSolana({ intervalMs: 100 }),
    startTron(),
  ]);
  gateway = await world.open(
    { 'eip155:31337': [anvil.url], [REGTEST]: [bcoin.url], [SOLANA]: [solana.url], [TRON]: [tron.evmUrl] },
    { cacheBytes: 10_000_000 },
  );
  await waitFor(() =>
    [...gateway.directory.chains].every((chain) =>
      chain.upstreams.every((upstream) => chain.serves(upstream)),
    ),
  );
});
afterAll(async () => {
  await world.stop();
  await Promise.all([anvil.stop(), bcoin.stop(), solana.stop(), tron.stop()]);
  expect(world.failures).toEqual([]);
});

it.each([false, true])('viem reads, sends and waits on anvil, batches: %s', async (batch) => {
  const transport = http(`${gateway.url}/anvil`, {
    batch,
    fetchOptions: { headers: { 'X-Api-Key': world.project.keys.rpc } },
  });
  const client = createPublicClient({ chain: foundry, transport, pollingInterval: 50 });
  const wallet = createWalletClient({ chain: foundry, transport, account: ACCOUNT });
  const to = '0x00000000000000000000000000000000000000aa';
  const [chainId, before, balance] = await Promise.all([
    client.getChainId(),
    client.getBlockNumber({ cacheTime: 0 }),
    client.getBalance({ address: to }),
  ]);
  expect(chainId).toBe(31337);
  const hash = await wallet.sendTransaction({ to, value: parseEther('1.5') });
  const receipt = await client.waitForTransactionReceipt({ hash, timeout: 30_000 });
  expect(receipt).toMatchObject({ status: 'success', blockNumber: before + 1n });
  const [block, after, transaction] = await Promise.all([
    client.getBlock({ includeTransactions: true }),
    client.getBalance({ address: to }),
    client.getTransaction({ hash }),
  ]);
  expect(block.transactions.map((entry) => entry.hash)).toEqual([hash]);
  expect(after - balance).toBe(parseEther('1.5'));
  expect(transaction.blockHash).toBe(receipt.blockHash);
  await expect(wallet.sendTransaction({ to, value: parseEther('100000000') })).rejects.toThrow(
    'exceeds the balance',
  );
  await expect(client.request({ method: 'nonsense_method' as never })).rejects.toThrow();
});

it('subscriptions of a socket go on under their ids when the node dies', async () => {
  const second = await startAnvil();
  const two = await world.open({
    'eip155:31337': [
      { url: anvil.url, weight: 1_000, headers: {} },
      { url: second.url, weight: 0.000_001, headers: {} },
    ],
  });
  const own = await startTcpProxy(anvil.port);
  try {
    const cuttable = await world.open({
      'eip155:31337': [
        { url: `http://127.0.0.1:${own.port}`, weight: 1_000, headers: {} },
        { url: second.url, weight: 0.000_001, headers: {} },
      ],
    });
    await waitFor(() =>
      cuttable.directory
        .find('anvil')!
        .upstreams.every((upstream) => cuttable.directory.find('anvil')!.serves(upstream)),
    );
    const socket = new WebSocket(`${cuttable.url.replace('http', 'ws')}/anvil`, {
      headers: { 'X-Api-Key': world.project.keys.rpc },
    });
    const messages: {
      id?: unknown;
      result?: string;
      error?: unknown;
      params?: { subscription: string; result: { number: string } };
    }[] = [];
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
    await waitFor(
      async () => {
        await second.mine();
        return messages.slice(before).some(({ params }) => params?.subscription === subscribed.result);
      },
      { intervalMs: 200 },
    );
    expect(messages.slice(before).every(({ params }) => params?.subscription === subscribed.result)).toBe(
      true,
    );
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
  type Reply = { result: unknown; error: { code: number } | null; id: string };
  const post = async <T>(body: object): Promise<T> => {
    const response = await fetch(`${gateway.url}/bitcoin-regtest`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain;', 'x-api-key': world.project.keys.rpc },
      body: JSON.stringify(body),
    });
    return (await response.json()) as T;
  };
  const requestOf = (method: string, params: readonly unknown[] = [], id = 'curltest') => ({
    jsonrpc: '1.0',
    id,
    method,
    params,
  });
  const call = (method: string, params: readonly unknown[] = []): Promise<Reply> =>
    post(requestOf(method, params));
  const genesis = await call('getblockhash', [0]);
  expect(genesis).toMatchObject({
    id: 'curltest',
    error: null,
    result: '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206',
  });
  expect((await call('getblock', [genesis.result, 0])).result).toMatch(/^01000000[0-9a-f]+$/);
  expect((await call('getblockcount')).result).toBe(await bcoin.readHeight());
  expect((await call('getblockhash', [1_000_000])).error?.code).toBeLessThan(0);
  expect((await call('sendrawtransaction', ['00'])).error?.code).toBeLessThan(0);
  const batch = await post<Reply[]>([
    requestOf('getblockhash', [0], 'a'),
    requestOf('getblockcount', [], 'b'),
    requestOf('getblockhash', [1_000_000], 'c'),
  ]);
  expect(batch.map(({ id, result, error }) => [id, result ?? error?.code])).toEqual([
    ['a', genesis.result],
    ['b', await bcoin.readHeight()],
    ['c', expect.any(Number)],
  ]);
});

it('@solana/web3.js reads, sends, confirms and subscribes', async () => {
  const key = world.project.keys.rpc;
  const connection = new Connection(`${gateway.url}/solana-local`, {
    commitment: 'confirmed',
    httpHeaders: { 'X-Api-Key': key },
    wsEndpoint: `${gateway.url.replace('http', 'ws')}/solana-local?api-key=${key}`,
  });
  const [payer, friend] = [Keypair.generate(), Keypair.generate()];
  const told: number[] = [];
  try {
    // Confirmations come over the socket.
    await connection.confirmTransaction({
      signature: await connection.requestAirdrop(payer.publicKey, 5 * LAMPORTS_PER_SOL),
      ...(await connection.getLatestBlockhash()),
    });
    const slots: number[] = [];
    const subscription = connection.onAccountChange(friend.publicKey, ({ lamports }) => told.push(lamports));
    const ticking = connection.onSlotChange(({ slot }) => slots.push(slot));
    const signature = await sendAndConfirmTransaction(
      connection,
      new Transaction().add(
        SystemProgram.transfer({
          fromPubkey: payer.publicKey,
          toPubkey: friend.publicKey,
          lamports: LAMPORTS_PER_SOL,
        }),
      ),
      [payer],
    );
    await waitFor(() => told.includes(LAMPORTS_PER_SOL) && slots.length > 1);
    // With one connection left, the client would reconnect forever.
    await Promise.all([
      connection.removeAccountChangeListener(subscription),
      connection.removeSlotChangeListener(ticking),
    ]);
    expect(await connection.getBalance(friend.publicKey)).toBe(LAMPORTS_PER_SOL);
    const transaction = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 1 });
    expect(transaction?.meta?.err).toBeNull();
    const block = await connection.getBlock(transaction!.slot, { maxSupportedTransactionVersion: 1 });
    expect(block?.transactions.map((entry) => entry.transaction.signatures[0])).toContain(signature);
    expect((await connection.getSignatureStatuses([signature])).value[0]?.err).toBeNull();
    // Version 1 goes through as bytes, and its refusal by a caller of version 0 comes back as the node wrote it.
    const version1 = await connection.sendRawTransaction(
      signV1(
        compileV1({
          payer: payer.publicKey,
          recentBlockhash: (await connection.getLatestBlockhash()).blockhash,
          instructions: [
            SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: friend.publicKey, lamports: 7 }),
          ],
        }),
        [payer],
      ),
    );
    await waitFor(async () => (await connection.getSignatureStatus(version1)).value?.err === null);
    const read = (maxSupportedTransactionVersion: number) =>
      connection.getTransaction(version1, { maxSupportedTransactionVersion });
    expect(await read(1)).toMatchObject({ version: 1, meta: { err: null, fee: 5_000 } });
    await expect(read(0)).rejects.toThrow(/Transaction version \(1\) is not supported/);
    await expect(connection.requestAirdrop(payer.publicKey, -1)).rejects.toThrow();
    // Preflight refuses, and the client reads the logs of the node's error.
    const tooMuch = new Transaction().add(
      SystemProgram.transfer({
        fromPubkey: payer.publicKey,
        toPubkey: friend.publicKey,
        lamports: 50 * LAMPORTS_PER_SOL,
      }),
    );
    await expect(connection.sendTransaction(tooMuch, [payer])).rejects.toThrow(/simulation failed/i);
  } finally {
    (connection as unknown as { _rpcWebSocket: { close(): void } })._rpcWebSocket.close();
  }
});

it('tronweb builds, signs and broadcasts over the wallet API, and viem reads the same chain', async () => {
  const [me, other] = tron.node.accounts as [
    TronHandle['node']['accounts'][0],
    TronHandle['node']['accounts'][0],
  ];
  const headers = { 'X-Api-Key': world.project.keys.rpc };
  const tronWeb = new TronWeb({ fullHost: `${gateway.url}/tron-local`, headers, privateKey: me.privateKey });
  expect(await tronWeb.isConnected()).toMatchObject({ fullNode: true, solidityNode: true });
  const before = await tronWeb.trx.getBalance(other.address);
  const sent = await tronWeb.trx.sendTransaction(other.address, 2_500_000);
  expect(sent.result).toBe(true);
  await tron.node.mine(25);
  expect(await tronWeb.trx.getBalance(other.address)).toBe(before + 2_500_000);
  expect(await tronWeb.trx.getTransaction(sent.txid)).toMatchObject({
    txID: sent.txid,
    ret: [{ contractRet: 'SUCCESS' }],
  });
  // By /walletsolidity.
  const info = (await tronWeb.trx.getTransactionInfo(sent.txid)) as { blockNumber: number };
  // The node's refusal comes under HTTP 200.
  expect(await tronWeb.trx.sendRawTransaction(sent.transaction)).toMatchObject({
    code: expect.stringMatching(/ERROR$/),
    txid: sent.txid,
  });
  const client = createPublicClient({
    transport: http(`${gateway.url}/tron-local`, { batch: true, fetchOptions: { headers } }),
  });
  const [chainId, head, block, receipt, balance] = await Promise.all([
    client.getChainId(),
    client.getBlockNumber({ cacheTime: 0 }),
    client.getBlock({ blockNumber: BigInt(info.blockNumber) }),
    client.getTransactionReceipt({ hash: `0x${sent.txid}` }),
    client.getBalance({ address: `0x${other.hexAddress.slice(2)}` }),
  ]);
  expect([chainId, Number(head), balance]).toEqual([
    0x7a69,
    tron.node.head.number,
    BigInt(before + 2_500_000),
  ]);
  expect(block.transactions).toContain(`0x${sent.txid}`);
  expect([receipt.status, receipt.blockHash]).toEqual(['success', block.hash]);
});

it('a socket stands on the port above where the endpoint has none, and calls without an id get no answer', async () => {
  // As agave and geth do it: HTTP here, the socket above.
  const seen: string[] = [];
  const bare = createServer(
    (req, res) =>
      void req.pipe(
        httpRequest(anvil.url, { method: 'POST', headers: { 'content-type': 'application/json' } }, (reply) =>
          reply.pipe(res),
        ),
      ),
  );
  const above = createServer();
  const port = await listenAbove(bare, above);
  const sockets = new WebSocketServer({ server: above });
  sockets.on('connection', (socket) =>
    socket.on('message', (data) => {
      seen.push(String(data));
      socket.send('{"jsonrpc":"2.0","id":1,"result":"above"}');
    }),
  );
  const own = await world.open({ 'eip155:31337': [`http://127.0.0.1:${port}`] });
  await waitFor(() => own.directory.find('anvil')!.serves(own.directory.find('anvil')!.upstreams[0]!));
  const socket = new WebSocket(`${own.url.replace('http', 'ws')}/anvil?api-key=${world.project.keys.rpc}`);
  const messages: string[] = [];
  socket.on('message', (data) => messages.push(String(data)));
  await once(socket, 'open');
  // Calls go the way of HTTP calls; only subscriptions use the socket.
  for (const text of [
    '{"jsonrpc":"2.0","method":"eth_call"}',
    '{"jsonrpc":"2.0","method":"admin_peers"}',
    '{"jsonrpc":"2.0","method":"ping"}',
    '{"jsonrpc":"2.0","method":"eth_subscribe","params":["newHeads"]}',
    '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}',
  ])
    socket.send(text);
  await waitFor(() => messages.length > 0);
  expect(messages.map((text) => JSON.parse(text) as unknown)).toEqual([
    { jsonrpc: '2.0', id: 1, result: '0x7a69' },
  ]);
  socket.send('{"jsonrpc":"2.0","id":"s","method":"eth_subscribe","params":[ "newHeads" ]}');
  await waitFor(() => messages.length > 1);
  expect(messages[1]).toMatch(/^\{"jsonrpc":"2\.0","id":"s","result":"0x[0-9a-f]{32}"\}$/);
  expect(seen).toEqual(['{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":[ "newHeads" ]}']);
  socket.terminate();
  for (const client of sockets.clients) client.terminate();
  bare.closeAllConnections();
  await Promise.all([bare, above].map((server) => new Promise((resolve) => server.close(resolve))));
});

it('subscriptions leave a node that keeps its socket open and answers nothing else', async () => {
  let isHung = false;
  const node = createServer((req, res) => {
    if (isHung) req.socket.destroy();
    else
      req.pipe(
        httpRequest(anvil.url, { method: 'POST', headers: { 'content-type': 'application/json' } }, (reply) =>
          reply.pipe(res),
        ),
      );
  });
  const sockets = new WebSocketServer({ server: node });
  sockets.on('connection', (socket) =>
    socket.on('message', () => socket.send('{"jsonrpc":"2.0","id":1,"result":"0xmine"}')),
  );
  node.listen(0, '127.0.0.1');
  await once(node, 'listening');
  const own = await world.open({
    'eip155:31337': [
      { url: `http://127.0.0.1:${(node.address() as AddressInfo).port}`, weight: 1_000, headers: {} },
      { url: anvil.url, weight: 0.000_001, headers: {} },
    ],
  });
  const chain = own.directory.find('anvil')!;
  await waitFor(() => chain.upstreams.every((upstream) => chain.serves(upstream)));
  const socket = new WebSocket(`${own.url.replace('http', 'ws')}/anvil`, {
    headers: { 'X-Api-Key': world.project.keys.rpc },
  });
  const messages: { id?: unknown; result?: string; params?: { subscription: string } }[] = [];
  socket.on('message', (data) => messages.push(JSON.parse(String(data)) as (typeof messages)[number]));
  await once(socket, 'open');
  socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}');
  const { result: id } = await waitFor(() => messages.find(({ result }) => result !== undefined));
  isHung = true;
  await waitFor(
    async () => {
      await anvil.mine();
      return messages.length > 1;
    },
    { intervalMs: 200 },
  );
  expect(messages.slice(1).every(({ params }) => params?.subscription === id)).toBe(true);
  socket.terminate();
  for (const client of sockets.clients) client.terminate();
  node.closeAllConnections();
  await new Promise((resolve) => node.close(resolve));
});

/** On two ports, one above the other. @returns the lower one */
async function listenAbove(lower: Server, upper: Server): Promise<number> {
  for (;;) {
    lower.listen(0, '127.0.0.1');
    await once(lower, 'listening');
    const { port } = lower.address() as AddressInfo;
    const isFree = await new Promise((resolve) =>
      upper.once('error', () => resolve(false)).listen(port + 1, '127.0.0.1', () => resolve(true)),
    );
    if (isFree === true) return port;
    await new Promise((resolve) => lower.close(resolve));
  }
}
