// SPDX-License-Identifier: Apache-2.0
import { parseChainGid } from '@chainwatch/common/caip';
import type { BlockRef, ChainClient, Network, Transaction } from '@chainwatch/chain-core';
import { encodeFunctionData, type Abi } from 'viem';
import { tronFamily } from '@chainwatch/chain-tron';
import { toAddress } from '../../../libs/chain-tron/src/to-address.ts';
import { contracts } from '../evm/contracts.ts';
import { startTron, type TronHandle } from './start-tron.ts';
import { TronWallet } from './tron-wallet.ts';

const network = tronFamily.catalogue.networks.find(({ name }) => name === 'tron-local') as Network;
const NATIVE = network.native!.gid;

let tron: TronHandle;
let wallet: TronWallet;
const clients: Record<string, ChainClient> = {};
let trc20 = '';
let asset = '';

const account = (index: number) => tron.node.accounts[index]!;
const refOf = ({ number, id }: { number: number; id: string }): BlockRef => ({ number, hash: id });
const contractOf = (txid: string): string =>
  String(
    (tron.node.findTransaction(txid)!.transaction as { info?: Record<string, unknown> }).info![
      'contract_address'
    ],
  );
const encode = (name: 'TestToken' | 'Forwarder', functionName: string, args: readonly unknown[]): string =>
  encodeFunctionData({ abi: contracts[name].abi as Abi, functionName, args }).slice(2);
const evm = (hexAddress: string): string => `0x${hexAddress.slice(2)}`;

beforeAll(async () => {
  tron = await startTron({ solidifiedLag: 2 });
  wallet = new TronWallet(tron.url);
  clients['both interfaces'] = tronFamily.createClient({
    network,
    endpointUrl: tron.url,
    otherUrls: { evm: tron.evmUrl },
  });
  clients['the wallet API'] = tronFamily.createClient({ network, endpointUrl: `${tron.url}/` });
  clients['the Ethereum-compatible interface'] = tronFamily.createClient({
    network,
    endpointUrl: tron.evmUrl,
    interfaceName: 'evm',
  });
});

afterAll(async () => {
  for (const client of Object.values(clients)) client.close();
  await tron.stop();
});

const MODES = ['both interfaces', 'the wallet API', 'the Ethereum-compatible interface'] as const;
const full = MODES.slice(0, 2);

async function readHeadBlock(mode: string): Promise<readonly Transaction[]> {
  return (await clients[mode]!.readBlock(refOf(tron.node.head))).transactions;
}

describe.each(MODES)('by %s', (mode) => {
  it('follows heads, finality, headers and forks', async () => {
    const client = clients[mode]!;
    await client.verifyChain();
    await tron.node.mine(4);
    const head = await client.readHead();
    expect(head).toEqual({
      number: tron.node.head.number,
      hash: tron.node.head.id,
      parentHash: tron.node.findBlock(head.number - 1)!.id,
      timestamp: tron.node.head.timestampMs / 1_000,
    });
    expect(await client.findFinalized()).toEqual(refOf(tron.node.findBlock(head.number - 2)!));
    expect((await client.readHeaders(head.number - 3, head.number + 5)).map(({ hash }) => hash)).toEqual(
      [3, 2, 1, 0].map((back) => tron.node.findBlock(head.number - back)!.id),
    );
    expect(await client.findHeaderByHash(head.hash)).toEqual(head);
    expect(await client.findHeaderByNumber(head.number + 1)).toBeUndefined();
    await tron.node.reorg(2);
    await tron.node.mine(2);
    expect(await client.findHeaderByHash(head.hash)).toBeUndefined();
    expect((await client.findHeaderByNumber(head.number))?.hash).toBe(tron.node.head.id);
    await expect(client.readBlock(head)).rejects.toMatchObject({ code: 'block_not_found' });
  });

  it('reads an empty block, and TRX with its fee where that is told', async () => {
    await tron.node.mine();
    expect(await readHeadBlock(mode)).toEqual([]);
    const { txid } = await wallet.sendTrx(account(0), { to: account(1).hexAddress, sun: 1_234_567n });
    await tron.node.mine();
    const [tx] = await readHeadBlock(mode);
    expect(tx).toMatchObject({
      hash: txid,
      index: 0,
      isFailed: false,
      from: account(0).address,
      to: account(1).address,
      transfers: [
        {
          index: 0,
          type: 'native',
          assetGid: NATIVE,
          from: account(0).address,
          to: account(1).address,
          amountRaw: 1_234_567n,
        },
      ],
    });
    if (mode === MODES[2]) expect(tx?.fee).toBeUndefined();
    else expect(tx?.fee).toMatchObject({ assetGid: NATIVE, payer: account(0).address });
  });

  it('reads TRC-20 transfers, failed calls and contracts that are made', async () => {
    const deployed = await wallet.deploy(account(2), contracts.TestToken.bytecode.slice(2));
    await tron.node.mine();
    const [creation] = await readHeadBlock(mode);
    const contract = contractOf(deployed.txid);
    trc20 = `${network.gid}/trc20:${toAddress(contract.slice(2))}`;
    expect(creation).toMatchObject({ createdContract: toAddress(contract.slice(2)), isFailed: false });
    await wallet.trigger(account(2), {
      contract,
      data: encode('TestToken', 'mint', [evm(account(2).hexAddress), 900n]),
    });
    await wallet.trigger(account(2), {
      contract,
      data: encode('TestToken', 'transferMany', [
        [evm(account(3).hexAddress), evm(account(4).hexAddress)],
        5n,
      ]),
    });
    const failing = await wallet.trigger(account(3), {
      contract,
      data: encode('TestToken', 'transfer', [evm(account(4).hexAddress), 1_000_000n]),
    });
    await tron.node.mine();
    const [mint, many, failed] = await readHeadBlock(mode);
    expect(mint?.transfers).toMatchObject([
      {
        type: 'token',
        assetGid: trc20,
        from: toAddress('0'.repeat(40)),
        to: account(2).address,
        amountRaw: 900n,
        logIndex: 0,
      },
    ]);
    expect(many?.transfers.map(({ to, amountRaw, logIndex }) => [to, amountRaw, logIndex])).toEqual([
      [account(3).address, 5n, 1],
      [account(4).address, 5n, 2],
    ]);
    expect(failed).toMatchObject({ hash: failing.txid, isFailed: true, transfers: [] });
    if (mode !== MODES[2]) expect(failed?.fee?.amountRaw).toBeGreaterThan(0n);
  });

  it('reads balances at the head alone, and token metadata', async () => {
    const client = clients[mode]!;
    const head = await client.readHead();
    const queries = [
      { address: account(3).address, assetGid: trc20 },
      { address: account(5).address, assetGid: NATIVE },
      { address: toAddress('ab'.repeat(20)), assetGid: NATIVE },
      { address: account(5).address, assetGid: `${network.gid}/trc20:${account(6).address}` },
    ];
    expect(await client.readBalances(head, queries)).toEqual([5n, 1_000_000_000_000_000n, 0n, undefined]);
    await expect(
      client.readBalances({ number: head.number - 1, hash: head.parentHash }, queries),
    ).rejects.toMatchObject({ code: 'block_not_found' });
    expect(await client.readTokens!([trc20, `${network.gid}/trc20:${account(6).address}`])).toEqual([
      { name: 'Test Token', symbol: 'TEST', decimals: 18 },
      undefined,
    ]);
  });
});

describe.each(full)('by %s, which tells what only TRON has', (mode) => {
  it('reads TRC-10: issued, sent, its metadata and balances', async () => {
    const value = {
      name: Buffer.from('Pennies').toString('hex'),
      abbr: Buffer.from('PNY').toString('hex'),
      total_supply: 1_000n,
      trx_num: 1n,
      num: 1n,
      precision: 2n,
    };
    await wallet.send(account(7), { name: 'AssetIssueContract', value });
    await tron.node.mine();
    const [issue] = await readHeadBlock(mode);
    asset = issue!.transfers[0]!.assetGid;
    expect(issue).toMatchObject({
      fee: { amountRaw: expect.any(BigInt) },
      transfers: [{ type: 'token', from: undefined, to: account(7).address, amountRaw: 1_000n }],
    });
    await wallet.sendToken(account(7), {
      to: account(8).hexAddress,
      id: asset.split(':').at(-1)!,
      amount: 40n,
    });
    await tron.node.mine();
    const [sent] = await readHeadBlock(mode);
    expect(sent?.transfers).toMatchObject([
      { type: 'token', assetGid: asset, from: account(7).address, to: account(8).address, amountRaw: 40n },
    ]);
    const client = clients[mode]!;
    expect(await client.readTokens!([asset, `${network.gid}/trc10:1999999`])).toEqual([
      { name: 'Pennies', symbol: 'PNY', decimals: 2 },
      undefined,
    ]);
    expect(
      await client.readBalances(await client.readHead(), [
        { address: account(8).address, assetGid: asset },
        { address: account(9).address, assetGid: asset },
      ]),
    ).toEqual([40n, 0n]);
  });

  it('reads internal transfers, and leaves rejected ones out', async () => {
    const { txid } = await wallet.deploy(account(2), contracts.Forwarder.bytecode.slice(2));
    await tron.node.mine();
    const forwarder = contractOf(txid);
    await wallet.trigger(account(2), {
      contract: forwarder,
      data: encode('Forwarder', 'forward', [evm(account(3).hexAddress)]),
      options: { sun: 77n },
    });
    await wallet.trigger(account(2), {
      contract: forwarder,
      data: encode('Forwarder', 'forwardAndRevert', [evm(account(3).hexAddress)]),
      options: { sun: 88n },
    });
    await tron.node.mine();
    const [moved, undone] = await readHeadBlock(mode);
    const contract = toAddress(forwarder.slice(2));
    expect(moved?.transfers).toMatchObject([
      { index: 0, type: 'native', from: account(2).address, to: contract, amountRaw: 77n },
      { index: 1, type: 'internal', from: contract, to: account(3).address, amountRaw: 77n },
    ]);
    expect(undone?.transfers).toMatchObject([{ type: 'native', to: contract, amountRaw: 88n }]);
    expect(undone?.transfers).toHaveLength(1);
  });

  it('shows a stake as TRX that leaves the balance where it is told, and a delegation as nothing', async () => {
    await wallet.send(account(9), {
      name: 'FreezeBalanceV2Contract',
      value: {
        frozen_balance: 2_000_000n,
        resource: 'ENERGY',
      },
    });
    await wallet.send(account(9), {
      name: 'DelegateResourceContract',
      value: {
        balance: 1_000_000n,
        receiver_address: account(1).hexAddress,
        resource: 'ENERGY',
      },
    });
    await tron.node.mine();
    const [stake, delegation] = await readHeadBlock(mode);
    expect(stake).toMatchObject({ isFailed: false, from: account(9).address });
    expect(stake!.transfers).toEqual(
      mode === MODES[2]
        ? []
        : [{ index: 0, type: 'native', assetGid: NATIVE, from: account(9).address, amountRaw: 2_000_000n }],
    );
    expect(delegation).toMatchObject({ isFailed: false, from: account(9).address, transfers: [] });
  });
});

it('takes TRC-10 and new accounts for no TRX where the Ethereum-compatible interface alone is configured, and the wallet API stands beside it', async () => {
  await wallet.sendToken(account(7), { to: account(6).hexAddress, id: asset.split(':').at(-1)!, amount: 7n });
  await wallet.sendTrx(account(7), { to: account(6).hexAddress, sun: 8n });
  await tron.node.mine();
  const [token, trx] = await readHeadBlock(MODES[2]);
  expect(token).toMatchObject({ from: account(7).address, to: account(6).address, transfers: [] });
  expect(trx?.transfers).toMatchObject([{ type: 'native', to: account(6).address, amountRaw: 8n }]);
});

it('serves nothing of another chain', async () => {
  const other = { ...network, gid: parseChainGid('tron:0x2b6653dc') };
  for (const urls of [
    { endpointUrl: tron.url },
    { endpointUrl: tron.evmUrl, interfaceName: 'evm' },
    { endpointUrl: tron.evmUrl },
  ]) {
    const client = tronFamily.createClient({ network: other, ...urls });
    await expect(client.verifyChain()).rejects.toMatchObject({
      code: 'wrong_chain',
      message: expect.stringContaining('got tron:0x7a69'),
    });
    client.close();
  }
});
