// SPDX-License-Identifier: Apache-2.0
import { startAnvil, waitFor } from '@chainwatch/testing';
import type { AnvilHandle } from '@chainwatch/testing';
import type { Block, BlockHeader, ChainClient, Network, Transaction } from '@chainwatch/chain-core';
import { createWalletClient, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { anvil as anvilChain } from 'viem/chains';
import { evmFamily } from './evm-family.ts';
import { readTraits } from './networks.ts';
import { parseRawBlock, parseRawReceipts } from './parse-raw-block.ts';
import { assemble, fixedItems } from './spec-block.ts';
import { verifyBlock } from './verify-block.ts';
import contracts from './vectors/contracts.json' with { type: 'json' };

const encodeAddressCall = (selector: string, address: string): string =>
  `${selector}${address.slice(2).padStart(64, '0')}`;
const network = evmFamily.catalogue.networks.find(({ gid }) => gid === 'eip155:31337') as Network;
// The first key of anvil's public test mnemonic.
const account = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
const sender = account.address.toLowerCase();
const alice = `0x${'a1'.repeat(20)}`;
const bob = `0x${'b0'.repeat(20)}`;
const zero = `0x${'00'.repeat(20)}`;
const ether = 10n ** 18n;

let node: AnvilHandle;
let client: ChainClient;

beforeAll(async () => {
  node = await startAnvil();
  client = evmFamily.createClient({ network, endpointUrl: node.url });
});

afterAll(async () => {
  client.close();
  await node.stop();
});

async function queue(tx: Record<string, unknown>): Promise<string> {
  return node.rpc<string>('eth_sendTransaction', [{ from: sender, gas: '0x2dc6c0', ...tx }]);
}

/** Sends and waits until it is mined, which anvil does in the background. */
async function send(tx: Record<string, unknown>): Promise<string> {
  const hash = await queue(tx);
  await waitFor(() => node.rpc('eth_getTransactionReceipt', [hash]), { intervalMs: 2 });
  return hash;
}

async function readHeadBlock(): Promise<Block> {
  return client.readBlock(await client.readHead());
}

async function deploy(name: keyof typeof contracts, value = 0n): Promise<string> {
  const hash = await send({ data: contracts[name].bytecode, value: `0x${value.toString(16)}` });
  const receipt = await node.rpc<{ contractAddress: string }>('eth_getTransactionReceipt', [hash]);
  return receipt.contractAddress.toLowerCase();
}

/** Mines everything that `fill` queues as one block and reads it. */
async function mineTogether(fill: () => Promise<void>): Promise<Block> {
  await node.rpc('evm_setAutomine', [false]);
  await fill();
  await node.mine();
  await node.rpc('evm_setAutomine', [true]);
  return readHeadBlock();
}

function find(block: Block, hash: string): Transaction {
  const tx = block.transactions.find((candidate) => candidate.hash === hash);
  if (tx === undefined) throw new Error(`block ${block.number} lacks ${hash}`);
  return tx;
}

describe('a node of the chain', () => {
  it('is accepted on its own chain and refused on another', async () => {
    await client.verifyChain();
    const other = evmFamily.catalogue.networks.find(({ gid }) => gid === 'eip155:1') as Network;
    const wrong = evmFamily.createClient({ network: other, endpointUrl: node.url });
    await expect(wrong.verifyChain()).rejects.toMatchObject({ code: 'wrong_chain', retryable: false });
    wrong.close();
  });

  it('gives headers by number, hash and range, and none beyond its head', async () => {
    await node.mine(5);
    const head = await client.readHead();
    expect(await client.findHeaderByNumber(head.number)).toEqual(head);
    expect(await client.findHeaderByHash(head.hash)).toEqual(head);
    expect(await client.findHeaderByNumber(head.number + 1)).toBeUndefined();
    expect(await client.findHeaderByHash(`0x${'12'.repeat(32)}`)).toBeUndefined();
    const range = await client.readHeaders(head.number - 3, head.number + 4);
    expect(range.map(({ number }) => number)).toEqual([3, 2, 1, 0].map((back) => head.number - back));
    expect(range.at(-1)).toEqual(head);
    expect((await client.findFinalized())?.number).toBeLessThanOrEqual(head.number);
  });

  it('pushes heads on the port of its http URL', async () => {
    const heads: BlockHeader[] = [];
    const ends: Error[] = [];
    const stop = client.subscribeHeads?.(
      (header) => heads.push(header),
      (error) => ends.push(error),
    );
    // Blocks from before the subscription are not pushed, so blocks are mined until the first one arrives.
    await waitFor(async () => (await node.mine(), heads.length > 0));
    const count = heads.length;
    await node.mine(3);
    await waitFor(() => heads.length >= count + 3);
    const head = await client.readHead();
    await waitFor(() => heads.at(-1)?.hash === head.hash);
    stop?.();
    expect(ends).toEqual([]);
  });
});

describe('blocks', () => {
  it('prove and decode transactions of types 0, 1, 2 and 4 side by side', async () => {
    const wallet = createWalletClient({ account, chain: anvilChain, transport: http(node.url) });
    const price = '0x77359400';
    const hashes: string[] = [];
    const block = await mineTogether(async () => {
      const accessList = [
        { address: alice, storageKeys: [`0x${'00'.repeat(31)}01`, `0x${'ff'.repeat(32)}`] },
      ];
      hashes.push(await queue({ to: alice, value: '0x1', gasPrice: price, type: '0x0' }));
      hashes.push(await queue({ to: alice, value: '0x2', gasPrice: price, accessList, type: '0x1' }));
      hashes.push(
        await queue({ to: sender, value: '0x3', maxFeePerGas: price, maxPriorityFeePerGas: '0x1' }),
      );
      const nonce = Number(await node.rpc('eth_getTransactionCount', [sender, 'pending']));
      const authorization = await wallet.signAuthorization({
        contractAddress: alice as `0x${string}`,
        executor: 'self',
        nonce: nonce + 1,
      });
      hashes.push(
        await wallet.sendTransaction({
          to: bob as `0x${string}`,
          value: 4n,
          authorizationList: [authorization],
          nonce,
          gas: 200_000n,
        }),
      );
    });
    const assetGid = network.native!.gid;
    expect(hashes.map((hash) => find(block, hash).transfers)).toEqual([
      [{ index: 0, type: 'native', assetGid, from: sender, to: alice, amountRaw: 1n }],
      [{ index: 0, type: 'native', assetGid, from: sender, to: alice, amountRaw: 2n }],
      [{ index: 0, type: 'native', assetGid, from: sender, to: sender, amountRaw: 3n }],
      [{ index: 0, type: 'native', assetGid, from: sender, to: bob, amountRaw: 4n }],
    ]);
    const raw = await node.rpc<{ transactions: { type: string }[] }>('eth_getBlockByHash', [
      block.hash,
      true,
    ]);
    expect(raw.transactions.map(({ type }) => type).toSorted()).toEqual(['0x0', '0x1', '0x2', '0x4']);
  });

  it('charge the fee by which the sender went down, for failed transactions too', async () => {
    const splitter = await deploy('Splitter');
    const before = BigInt(await node.rpc<string>('eth_getBalance', [sender, 'latest']));
    const hash = await send({ to: splitter, data: contracts.Splitter.selectors.fail, value: '0x64' });
    const tx = find(await readHeadBlock(), hash);
    const after = BigInt(await node.rpc<string>('eth_getBalance', [sender, 'latest']));
    expect(tx).toMatchObject({ isFailed: true, transfers: [], from: sender, to: splitter });
    expect(tx.fee).toEqual({ assetGid: network.native!.gid, amountRaw: before - after, payer: sender });
  });

  it('show a contract creation with its endowment and the mint in it', async () => {
    const hash = await send({ data: contracts.TestToken.bytecode });
    const tx = find(await readHeadBlock(), hash);
    const assetGid = `${network.gid}/erc20:${tx.createdContract ?? ''}`;
    expect(tx.to).toBeUndefined();
    expect(tx.transfers).toEqual([
      { index: 0, type: 'token', assetGid, from: zero, to: sender, amountRaw: 10n ** 12n, logIndex: 0 },
    ]);

    const splitter = await deploy('Splitter', 5n);
    expect((await readHeadBlock()).transactions[0]?.transfers).toEqual([
      { index: 0, type: 'native', assetGid: network.native!.gid, from: sender, to: splitter, amountRaw: 5n },
    ]);
  });

  it('show internal transfers, without those that were undone', async () => {
    const splitter = await deploy('Splitter');
    const { split, sendAndUndo, createChild, destroyChild } = contracts.Splitter.selectors;
    const internal = async (data: string, value: bigint): Promise<unknown[]> => {
      const hash = await send({ to: splitter, data, value: `0x${value.toString(16)}` });
      const { transfers } = find(await readHeadBlock(), hash);
      return transfers
        .filter(({ type }) => type === 'internal')
        .map(({ index, from, to, amountRaw }) => [index, from, to, amountRaw]);
    };
    expect(
      await internal(`${encodeAddressCall(split, alice)}${bob.slice(2).padStart(64, '0')}`, 11n),
    ).toEqual([
      [1, splitter, alice, 5n],
      [2, splitter, bob, 6n],
    ]);
    expect(await internal(encodeAddressCall(sendAndUndo, alice), 10n)).toEqual([[1, splitter, alice, 1n]]);
    const created = await internal(createChild, 7n);
    expect(created).toEqual([[1, splitter, expect.stringMatching(/^0x[0-9a-f]{40}$/), 7n]]);
    const child = (created as [number, string, string, bigint][])[0]?.[2];
    expect(await internal(encodeAddressCall(destroyChild, alice), 0n)).toEqual([[0, child, alice, 7n]]);
  });

  it('name the tokens that changed balances without a transfer, and tell a transfer without indexed members', async () => {
    const token = await deploy('TestToken');
    const old = await deploy('OldToken');
    const block = await mineTogether(async () => {
      await queue({ to: token, data: contracts.TestToken.selectors.rebase });
      await queue({
        to: old,
        data: `${encodeAddressCall(contracts.OldToken.selectors.transfer, alice)}${'0'.repeat(63)}5`,
      });
    });
    expect(block.transactions.flatMap(({ transfers }) => transfers)).toMatchObject([
      { type: 'token', assetGid: `${network.gid}/erc20:${old}`, to: alice, amountRaw: 5n },
    ]);
    expect(block.touchedAssets).toEqual([`${network.gid}/erc20:${token}`]);
    expect(block.balanceChanges).toEqual([
      { address: zero, assetGid: network.native!.gid, reason: 'reward' },
    ]);
  });

  it('prove themselves before and after a reorg, and the orphan is gone or still whole', async () => {
    await send({ to: alice, value: '0x5' });
    const orphan = await client.readHead();
    await node.rpc('anvil_reorg', [1, []]);
    const head = await client.readHead();
    expect(head.hash).not.toBe(orphan.hash);
    expect((await client.readBlock(head)).hash).toBe(head.hash);
    await expect(client.readBlock(orphan)).rejects.toMatchObject({
      code: 'block_not_found',
      retryable: true,
    });
    const range = await client.readHeaders(0, head.number);
    for (const header of range) expect((await client.readBlock(header)).parentHash).toBe(header.parentHash);
  });

  it('report a block the node does not have as not found', async () => {
    await expect(client.readBlock({ number: 1, hash: `0x${'34'.repeat(32)}` })).rejects.toMatchObject({
      code: 'block_not_found',
    });
  });
});

describe('an account without its key', () => {
  it('sends transactions of every kind, and the chain goes on', async () => {
    const nobody = `0x${'c3'.repeat(20)}`;
    const price = '0x77359400';
    await node.rpc('anvil_setBalance', [nobody, `0x${ether.toString(16)}`]);
    await node.rpc('anvil_impersonateAccount', [nobody]);
    const sendAndRead = async (tx: Record<string, unknown>): Promise<Transaction> => {
      const hash = await send({ from: nobody, ...tx });
      return find(await readHeadBlock(), hash);
    };
    for (const kind of [
      {},
      { gasPrice: price, type: '0x0' },
      { gasPrice: price, accessList: [], type: '0x1' },
    ]) {
      const { from, transfers } = await sendAndRead({ to: alice, value: '0x2', ...kind });
      expect([from, transfers]).toEqual([
        nobody,
        [{ index: 0, type: 'native', assetGid: network.native!.gid, from: nobody, to: alice, amountRaw: 2n }],
      ]);
    }
    const creation = await sendAndRead({ data: contracts.TestToken.bytecode, gasPrice: price });
    expect(creation.transfers).toMatchObject([
      { type: 'token', assetGid: `${network.gid}/erc20:${creation.createdContract}`, to: nobody },
    ]);
    const before = await client.readHead();
    await send({ to: alice, value: '0x5' });
    expect((await readHeadBlock()).parentHash).toBe(before.hash);
  });

  it('sends them on a node that does not trace, too, and on other networks they are refused', async () => {
    const nobody = `0x${'c4'.repeat(20)}`;
    await node.rpc('anvil_setBalance', [nobody, `0x${ether.toString(16)}`]);
    await node.rpc('anvil_impersonateAccount', [nobody]);
    await send({ from: nobody, to: alice, value: '0x7' });
    const head = await client.readHead();
    const json = async (method: string, params: unknown[]): Promise<unknown> => node.rpc(method, params);
    const block = parseRawBlock(await json('eth_getBlockByHash', [head.hash, true]), 'ethereum');
    const receipts = parseRawReceipts(await json('eth_getBlockReceipts', [head.hash]));
    expect((await verifyBlock(head, { block, receipts }, readTraits(network))).unknown).toBeUndefined();
    const other = evmFamily.catalogue.networks.find(({ gid }) => gid === 'eip155:1') as Network;
    await expect(verifyBlock(head, { block, receipts }, readTraits(other))).rejects.toThrow(
      /hash of transaction 0/,
    );
    // Even there the roots prove which transactions are in the block, and their outcomes.
    await expect(
      verifyBlock(
        head,
        {
          block: { ...block, transactions: block.transactions.map((tx) => ({ ...tx, value: '0x8' })) },
          receipts,
        },
        readTraits(network),
      ),
    ).rejects.toThrow('transactionsRoot');
  });

  it('signs as Hardhat has it: with its address for a signature', async () => {
    const nobody = `0x${'c5'.repeat(20)}`;
    const [item] = fixedItems();
    const made = await assemble(
      [
        {
          ...item!,
          tx: {
            ...item!.tx,
            from: nobody,
            type: '0x2',
            maxFeePerGas: '0x1',
            maxPriorityFeePerGas: '0x1',
            r: nobody,
            s: nobody,
            v: '0x1',
            yParity: '0x1',
          },
        },
      ],
      5,
    );
    const json = (text: string): unknown => (JSON.parse(text) as { result: unknown }).result;
    const verified = await verifyBlock(
      made.ref,
      { block: parseRawBlock(json(made.body), 'ethereum'), receipts: parseRawReceipts(json(made.receipts)) },
      readTraits(network),
    );
    expect(verified.transactions[0]?.from).toBe(nobody);
  });
});

describe('state', () => {
  it('gives native and token balances at a block, by hash, in the order asked', async () => {
    const token = await deploy('TestToken');
    const old = await deploy('OldToken');
    const hostile = await deploy('HostileToken');
    const before = await client.readHead();
    await send({
      to: token,
      data: `${encodeAddressCall(contracts.TestToken.selectors.transfer, bob)}${'0'.repeat(62)}2a`,
    });
    const after = await client.readHead();
    const gid = (address: string): string => `${network.gid}/erc20:${address}`;
    const queries = [
      { address: bob, assetGid: gid(token) },
      { address: sender, assetGid: gid(token) },
      { address: zero, assetGid: network.native!.gid },
      { address: bob, assetGid: gid(old) },
      { address: bob, assetGid: gid(hostile) },
      { address: bob, assetGid: gid(alice) },
    ];
    expect(await client.readBalances(before, queries)).toEqual([
      0n,
      10n ** 12n,
      expect.anything(),
      undefined,
      undefined,
      undefined,
    ]);
    expect((await client.readBalances(after, queries)).slice(0, 2)).toEqual([42n, 10n ** 12n - 42n]);
    expect(
      await client.readBalances(after, [{ address: `0x${'99'.repeat(20)}`, assetGid: network.native!.gid }]),
    ).toEqual([0n]);
    await expect(
      client.readBalances({ number: 1, hash: `0x${'56'.repeat(32)}` }, queries),
    ).rejects.toMatchObject({ code: 'block_not_found' });
  });

  it('reads token metadata, plain, of the bytes32 kind, hostile, and of what is no token', async () => {
    const gid = (address: string): string => `${network.gid}/erc20:${address}`;
    const tokens = [
      await deploy('TestToken'),
      await deploy('OldToken'),
      await deploy('HostileToken'),
      await deploy('Splitter'),
      alice,
    ].map(gid);
    expect(await client.readTokens?.(tokens)).toEqual([
      { name: 'Test Token', symbol: 'TST', decimals: 6 },
      { name: 'Old Token', symbol: 'OLD', decimals: undefined },
      { name: 'evil\ufffd', symbol: expect.any(String), decimals: undefined },
      undefined,
      undefined,
    ]);
  });

  it('keeps balances in whole wei beyond what a number holds', async () => {
    await node.rpc('anvil_setBalance', [alice, `0x${(123_456_789n * ether + 1n).toString(16)}`]);
    await node.mine();
    const [balance] = await client.readBalances(await client.readHead(), [
      { address: alice, assetGid: network.native!.gid },
    ]);
    expect(balance).toBe(123_456_789n * ether + 1n);
  });
});

describe('an endpoint given as WebSocket', () => {
  it('serves calls over its http twin and pushes heads', async () => {
    const socket = evmFamily.createClient({ network, endpointUrl: node.webSocketUrl });
    await socket.verifyChain();
    expect(socket.label).toBe(node.webSocketUrl);
    const heads: BlockHeader[] = [];
    socket.subscribeHeads?.(
      (header) => heads.push(header),
      () => undefined,
    );
    await waitFor(async () => (await node.mine(), heads.length > 0));
    expect((await socket.readBlock(heads[0] as BlockHeader)).hash).toBe(heads[0]?.hash);
    socket.close();
  });
});
