// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { WrongChainError } from '@chainwatch/chain-core';
import type { BlockHeader, ChainClient } from '@chainwatch/chain-core';
import { waitFor } from '@chainwatch/testing';
import { startBcoin } from '@chainwatch/tool-devnet/start-bcoin';
import type { BcoinHandle } from '@chainwatch/tool-devnet/start-bcoin';
import { buildTransaction, createScriptKey, SCRIPT_KINDS } from '@chainwatch/tool-devnet/bitcoin';
import type { ScriptKey } from '@chainwatch/tool-devnet/bitcoin';
import { bitcoinFamily } from './bitcoin-family.ts';
import { findAddress } from './script-address.ts';
import { networkNamed } from './spec-fixtures.ts';

const network = networkNamed('bitcoin-regtest');
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const newKey = (kind: ScriptKey['kind']): ScriptKey => createScriptKey(kind, randomBytes(32));

let node: BcoinHandle;
let client: ChainClient;
const miner = newKey('p2wpkh');

beforeAll(async () => {
  node = await startBcoin({ hasCoinScan: true });
  client = bitcoinFamily.createClient({ network, endpointUrl: node.url });
  await node.mine(110, { script: miner.script });
});

afterAll(async () => {
  client.close();
  await node.stop();
});

describe('a regtest node', () => {
  it('is verified by its genesis block', async () => {
    await client.verifyChain();
    const other = bitcoinFamily.createClient({
      network: networkNamed('bitcoin-testnet4'),
      endpointUrl: node.url,
    });
    await expect(other.verifyChain()).rejects.toThrow(WrongChainError);
    other.close();
  });

  it('keeps user and password out of the label and of every message', async () => {
    expect(client.label).toBe(`http://127.0.0.1:${node.port}`);
    const stranger = bitcoinFamily.createClient({
      network,
      endpointUrl: node.url.replace('devnet', 'wrong-secret'),
    });
    const error: unknown = await stranger.readHead().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'node_error', retryable: true, nodeCode: 401 });
    expect(String(error)).not.toContain('wrong-secret');
    stranger.close();
  });

  it('gives headers by number, by hash and as a range, linked', async () => {
    const head = await client.readHead();
    expect(head.number).toBe(await node.readHeight());
    expect(await client.findHeaderByNumber(head.number)).toEqual(head);
    expect(await client.findHeaderByHash(head.hash)).toEqual(head);
    expect(await client.findHeaderByNumber(head.number + 1)).toBeUndefined();
    expect(await client.findHeaderByHash('ab'.repeat(32))).toBeUndefined();
    const headers = await client.readHeaders(0, head.number + 5);
    expect(headers.map(({ number }) => number)).toEqual(
      Array.from({ length: head.number + 1 }, (_, number) => number),
    );
    expect(headers.at(-1)).toEqual(head);
    expect(headers[0]?.parentHash).toBe('00'.repeat(32));
    expect(await client.findFinalized()).toBeUndefined();
  });

  it('gives the genesis block', async () => {
    const genesis = await client.findHeaderByNumber(0);
    const block = await client.readBlock(genesis!);
    expect(block.transactions).toHaveLength(1);
    expect(block.transactions[0]?.utxo).toMatchObject({ isCoinbase: true, inputs: [] });
  });

  it('gives blocks with every kind of script, as the node built them', async () => {
    const keys = SCRIPT_KINDS.map(newKey);
    const [coin] = (await node.readCoins([miner])).filter(({ height }) => height <= 5);
    const payment = buildTransaction({
      coins: [coin!],
      outputs: keys.map(({ script }, index) => ({ script, value: 10_000n + BigInt(index) })),
    });
    await node.send(payment);
    const [hash] = await node.mine(1, { script: miner.script });
    const built = await node.readBlock(hash!);
    const block = await client.readBlock({ number: await node.readHeight(), hash: hash! });
    expect(block.transactions.map(({ hash: txid }) => txid)).toEqual(
      built.transactions!.map((transaction) => transaction.getId()),
    );
    expect(block.transactions[1]).toEqual({
      hash: payment.getId(),
      index: 1,
      isFailed: false,
      transfers: [],
      utxo: {
        isCoinbase: false,
        inputs: [{ txid: coin!.txid, vout: coin!.vout }],
        outputs: keys.map(({ script }, index) => ({
          matchKey: hex(script),
          amountRaw: 10_000n + BigInt(index),
        })),
      },
    });
    await expect(client.readBlock({ number: 1, hash: 'ab'.repeat(32) })).rejects.toMatchObject({
      code: 'block_not_found',
    });
  });

  it('still tells a header that is no longer on the best chain', async () => {
    const orphan = await client.readHead();
    const hashes = await node.reorg({ depth: 1, script: miner.script });
    expect((await client.readHead()).hash).toBe(hashes.at(-1));
    expect(await client.findHeaderByHash(orphan.hash)).toEqual(orphan);
    expect((await client.readBlock(orphan)).hash).toBe(orphan.hash);
    expect((await client.findHeaderByNumber(orphan.number))?.hash).toBe(hashes[0]);
    // Its transactions are in the mempool again.
    await node.mine(1, { script: miner.script });
  });

  it('tells its mempool, in full', async () => {
    const coin = (await node.readCoins([miner])).find(({ height }) => height <= 8)!;
    const key = newKey('p2tr');
    const payment = buildTransaction({
      coins: [coin],
      outputs: [
        { script: key.script, value: 5_000n },
        { script: miner.script, value: coin.value - 20_000n },
      ],
    });
    await node.send(payment);
    const { head, hashes } = await client.mempool!.readSnapshot();
    const { number, hash } = await client.readHead();
    expect(head).toEqual({ number, hash });
    expect(hashes).toContain(payment.getId());
    const [found, gone] = await client.mempool!.readTransactions([payment.getId(), 'cd'.repeat(32)]);
    expect(found).toMatchObject({
      hash: payment.getId(),
      index: 0,
      utxo: { isCoinbase: false, inputs: [{ txid: coin.txid, vout: coin.vout }] },
    });
    expect(found?.utxo?.outputs[0]).toEqual({ matchKey: hex(key.script), amountRaw: 5_000n });
    expect(gone).toBeUndefined();
    expect(await client.mempool!.readTransactions([])).toEqual([]);
    await node.mine(1, { script: miner.script });
  });

  it('scans its coins by address', async () => {
    const coins = await node.readCoins([miner]);
    const address = findAddress(network, hex(miner.script))!;
    const scan = await client.coins!.scanCoins([
      address,
      findAddress(network, hex(newKey('p2sh-p2wpkh').script))!,
    ]);
    const { number, hash } = await client.readHead();
    expect(scan?.at).toEqual({ number, hash });
    const byOutpoint = (one: { txid: string; vout: number }, other: { txid: string; vout: number }): number =>
      `${one.txid}:${one.vout}`.localeCompare(`${other.txid}:${other.vout}`);
    expect(scan?.coins.toSorted(byOutpoint)).toEqual(
      coins
        .map(({ txid, vout, value, height, isCoinbase }) => ({
          txid,
          vout,
          address,
          amountRaw: value,
          isCoinbase,
          blockNumber: height,
        }))
        .toSorted(byOutpoint),
    );
    expect(await client.coins!.scanCoins([])).toEqual({ at: { number, hash }, coins: [] });
  });

  it('tells what a block spends, by its index of transactions', async () => {
    const coin = (await node.readCoins([miner])).find(({ height, isCoinbase }) => isCoinbase && height <= 9)!;
    const parent = buildTransaction({
      coins: [coin],
      outputs: [{ script: miner.script, value: coin.value - 20_000n }],
    });
    const child = buildTransaction({
      coins: [{ txid: parent.getId(), vout: 0, value: coin.value - 20_000n, key: miner }],
      outputs: [{ script: miner.script, value: coin.value - 40_000n }],
    });
    await node.send(parent);
    await node.send(child);
    await node.mine(1, { script: miner.script });
    expect(await client.coins!.readSpentOutputs(await client.readHead())).toEqual(
      new Map([
        [`${coin.txid}:${coin.vout}`, { matchKey: hex(miner.script), amountRaw: coin.value }],
        [`${parent.getId()}:0`, { matchKey: hex(miner.script), amountRaw: coin.value - 20_000n }],
      ]),
    );
    await node.mine(1, { script: miner.script });
    expect(await client.coins!.readSpentOutputs(await client.readHead())).toEqual(new Map());
  });

  it('says once that it does not push heads', async () => {
    const ends: Error[] = [];
    const heads: BlockHeader[] = [];
    client.subscribeHeads!(
      (head) => heads.push(head),
      (error) => ends.push(error),
    );
    await waitFor(() => ends.length > 0, { message: 'the end' });
    expect(ends).toEqual([expect.objectContaining({ nodeCode: -32601 })]);
    expect(heads).toEqual([]);
  });

  it('keeps no balances', async () => {
    await expect(client.readBalances(await client.readHead(), [])).rejects.toThrow('UTXO set');
  });
});

describe('bcoin without a scan', () => {
  it('cannot tell coins', async () => {
    const bare = await startBcoin();
    const own = bitcoinFamily.createClient({ network, endpointUrl: bare.url });
    expect(await own.coins!.scanCoins([findAddress(network, hex(miner.script))!])).toBeUndefined();
    own.close();
    await bare.stop();
  });
});
