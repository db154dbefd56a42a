// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Network } from '@chainwatch/chain-core';
import { tronFamily } from '@chainwatch/chain-tron';
import { waitFor } from '@chainwatch/testing';
import { TronWeb } from 'tronweb';
import { encodeBytes } from '../../../libs/chain-tron/src/protobuf.ts';
import { createNamedAccount } from './tron-account.ts';
import { startTron, type TronHandle } from './start-tron.ts';

const network = tronFamily.catalogue.networks.find(({ name }) => name === 'tron-local') as Network;
const COUNT = 200;
const BLOCK_SIZE = 25;

let tron: TronHandle;
const account = (index: number) => tron.node.accounts[index]!;

beforeAll(async () => {
  tron = await startTron({ solidifiedLag: 2 });
});
afterAll(() => tron.stop());

interface Signed {
  readonly visible: boolean;
  readonly txID: string;
  readonly raw_data_hex: string;
  readonly signature: string[];
}

const ask = async (
  path: string,
  body?: string | object,
  options: { readonly method?: string; readonly type?: string } = {},
): Promise<{ status: number; json: Record<string, unknown> }> => {
  const { method = body === undefined ? 'GET' : 'POST', type = 'application/json' } = options;
  const response = await fetch(`${tron.url}/${path}`, {
    method,
    headers: { 'content-type': type },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
};

async function sign(tronWeb: TronWeb, from: string, to: string, sun: number): Promise<Signed> {
  const built = await tronWeb.transactionBuilder.sendTrx(to, sun, from);
  return (await tronWeb.trx.sign(built)) as unknown as Signed;
}

it(`takes ${COUNT} transactions that TronWeb signs with keys of all kinds; chainwatch reads every block`, async () => {
  const keys = Array.from({ length: COUNT }, (_, index) => createNamedAccount(`signer ${index}`));
  for (const { hexAddress } of keys) {
    await tron.node.vm.setBalance(hexAddress, 10_000_000n);
    tron.node.ledger.openAccount(hexAddress);
  }
  const first = tron.node.head.number + 1;
  const sent: string[] = [];
  const endings = new Set<string>();
  for (const [index, key] of keys.entries()) {
    const tronWeb = new TronWeb({ fullHost: tron.url, privateKey: key.privateKey });
    const signed = await sign(tronWeb, key.address, account(1).address, 1_000 + index);
    endings.add(signed.signature[0]!.slice(-2));
    const answer = await tronWeb.trx.sendRawTransaction(signed as never);
    expect(answer.result).toBe(true);
    sent.push(signed.txID);
    if (sent.length % BLOCK_SIZE === 0) await tron.node.mine();
  }
  // Capitals, which a node does not echo.
  expect([...endings].sort()).toEqual(['1B', '1C']);
  const clients = [
    tronFamily.createClient({ network, endpointUrl: tron.url, otherUrls: { evm: tron.evmUrl } }),
    tronFamily.createClient({ network, endpointUrl: tron.url }),
    tronFamily.createClient({ network, endpointUrl: tron.evmUrl, interfaceName: 'evm' }),
  ];
  for (const client of clients) {
    const read: string[] = [];
    for (let number = first; number <= tron.node.head.number; number += 1) {
      const { id } = tron.node.findBlock(number)!;
      const block = await client.readBlock({ number, hash: id });
      read.push(...block.transactions.map(({ hash }) => hash));
      for (const { transfers } of block.transactions) expect(transfers).toHaveLength(1);
    }
    expect(read).toEqual(sent);
    client.close();
  }
}, 120_000);

describe('what clients send', () => {
  let tronWeb: TronWeb;
  const me = () => account(0);
  const balanceOf = (index: number) => tron.node.vm.readBalance(account(index).hexAddress);
  beforeAll(() => {
    tronWeb = new TronWeb({ fullHost: tron.url, privateKey: me().privateKey });
  });

  it.each([
    ['wallet/getnowblock', '{'],
    ['wallet/getblock', 'no JSON'],
    ['wallet/broadcasttransaction', '\u0000'],
    ['wallet/getaccount', '[]'],
    ['wallet/getaccount', 'null'],
    ['wallet/getaccount', '"text"'],
    ['jsonrpc', '{"jsonrpc":"2.0",'],
  ])('%s with the body %s is 400, and the node goes on', async (path, body) => {
    const { status, json } = await ask(path, body);
    expect(status).toBe(400);
    expect(JSON.stringify(json)).toMatch(/expected|-32700/);
    expect((await ask('wallet/getnowblock', {})).status).toBe(200);
  });

  it.each([
    ['null', -32600],
    ['{}', -32600],
    ['{"id":1,"method":5}', -32600],
    ['{"id":1,"method":"eth_call","params":"x"}', -32602],
    ['{"id":1,"method":"eth_call","params":[{},"latest"]}', -32602],
    ['{"id":1,"method":"eth_getBalance","params":[null,"latest"]}', -32602],
    ['{"id":1,"method":"constructor","params":[]}', -32601],
  ])('JSON-RPC %s is the error %i', async (body, code) => {
    expect((await ask('jsonrpc', body)).json).toMatchObject({ error: { code } });
    expect((await ask('jsonrpc', `[${body}]`)).json).toMatchObject([{ error: { code } }]);
  });

  it('paths that are none are 404, other verbs 405, large bodies 413', async () => {
    for (const path of [
      '',
      'wallet',
      'wallet/nothing',
      'constructor',
      '__proto__',
      'wallet/getnowblock/x',
      '//',
    ])
      expect([path, (await ask(path, {})).status]).toEqual([path, 404]);
    expect((await ask('wallet/getnowblock', undefined, { method: 'DELETE' })).status).toBe(405);
    expect((await ask('jsonrpc')).status).toBe(405);
    const large = JSON.stringify({ raw_data_hex: 'ab'.repeat(2_200_000) });
    expect(
      await ask('wallet/broadcasttransaction', large).then(
        ({ status }) => status,
        () => 413,
      ),
    ).toBe(413);
    expect((await ask('wallet/getnowblock', {})).status).toBe(200);
  });

  it('a client that leaves in the middle of its body ends nothing', async () => {
    const socket = connect(Number(new URL(tron.url).port), '127.0.0.1');
    await new Promise((resolve) =>
      socket.write(
        'POST /wallet/getaccount HTTP/1.1\r\nHost: a\r\nContent-Length: 500\r\n\r\n{"addr',
        resolve,
      ),
    );
    // The node has taken it in: it answers what came after.
    expect((await ask('wallet/getnowblock', {})).status).toBe(200);
    socket.destroy();
    await once(socket, 'close');
    expect((await ask('wallet/getnowblock', {})).status).toBe(200);
  });

  it('missing and malformed members are an Error under 200, as java-tron has it', async () => {
    for (const [path, body] of [
      ['wallet/getaccount', {}],
      ['wallet/getaccount', { address: 'T123' }],
      ['wallet/getaccount', { address: 5 }],
      ['wallet/createtransaction', {}],
      ['wallet/createtransaction', { owner_address: me().address, to_address: 'x', amount: 1 }],
      ['wallet/triggerconstantcontract', {}],
      ['wallet/broadcasttransaction', {}],
      ['wallet/broadcasttransaction', { raw_data_hex: 'zz', signature: ['00'] }],
      ['wallet/broadcasttransaction', { raw_data_hex: '0a', signature: ['00'] }],
      ['wallet/broadcasthex', {}],
      ['wallet/broadcasthex', { transaction: '0a' }],
    ] as const) {
      const { status, json } = await ask(path, body);
      expect([path, status, 'Error' in json || 'code' in json]).toEqual([path, 200, true]);
    }
  });

  it('signatures of nobody and of somebody else are SIGERROR', async () => {
    const signed = await sign(tronWeb, me().address, account(2).address, 5);
    for (const signature of [[], ['00'], ['ff'.repeat(65)], [account(3).sign(signed.txID)], 'x', {}])
      expect((await ask('wallet/broadcasttransaction', { ...signed, signature })).json).toMatchObject({
        code: 'SIGERROR',
        txid: signed.txID,
      });
  });

  it.each([
    ['as TronWeb sends it', (signed: Signed) => signed],
    ['in capitals', (signed: Signed) => upper(signed)],
    [
      'with 0x',
      ({ raw_data_hex, signature }: Signed) => ({
        raw_data_hex: `0x${raw_data_hex}`,
        signature: [`0x${signature[0]}`],
      }),
    ],
    ['with visible: true', (signed: Signed) => ({ ...signed, visible: true })],
    ['as bytes', (signed: Signed) => ({ transaction: toTransaction(signed) })],
    ['as bytes in capitals', (signed: Signed) => ({ transaction: toTransaction(signed).toUpperCase() })],
  ])('a transaction %s', async (_how, toBody) => {
    const before = await balanceOf(2);
    const signed = await sign(tronWeb, me().address, account(2).address, 77);
    const body = toBody(signed);
    const path = 'transaction' in body ? 'wallet/broadcasthex' : 'wallet/broadcasttransaction';
    expect((await ask(path, body)).json).toEqual({ result: true, txid: signed.txID });
    await tron.node.mine();
    expect(await balanceOf(2)).toBe(before + 77n);
    const shown = (await ask('wallet/gettransactionbyid', { value: signed.txID.toUpperCase() })).json;
    expect(shown).toMatchObject({
      signature: [signed.signature[0]!.toLowerCase()],
      ret: [{ contractRet: 'SUCCESS' }],
    });
  });

  it('bytes that are no address are refused before they are in a block', async () => {
    const signed = await sign(tronWeb, me().address, account(2).address, 5);
    const wrong = signed.raw_data_hex.replace(account(2).hexAddress, `42${account(2).hexAddress.slice(2)}`);
    const txid = createHash('sha256').update(Buffer.from(wrong, 'hex')).digest('hex');
    expect(
      (await ask('wallet/broadcasttransaction', { raw_data_hex: wrong, signature: [me().sign(txid)] })).json,
    ).toMatchObject({ code: 'CONTRACT_VALIDATE_ERROR' });
    await tron.node.mine();
  });

  it('addresses in every spelling, by body, form and query, and answers in both', async () => {
    const { address, hexAddress } = me();
    const balance = (await ask('wallet/getaccount', { address: hexAddress })).json['balance'];
    expect(balance).toBeGreaterThan(0);
    const evm = `0x${hexAddress.slice(2)}`;
    for (const spelled of [address, hexAddress.toUpperCase(), evm, evm.toUpperCase().replace('0X', '0x')])
      expect((await ask('wallet/getaccount', { address: spelled })).json).toMatchObject({
        address: hexAddress,
        balance,
      });
    const visible = { address, balance };
    expect((await ask('wallet/getaccount', { address, visible: true })).json).toMatchObject(visible);
    expect((await ask(`wallet/getaccount?address=${address}&visible=true`)).json).toMatchObject(visible);
    const form = { type: 'application/x-www-form-urlencoded' };
    expect((await ask('wallet/getaccount', `address=${address}&visible=true`, form)).json).toMatchObject(
      visible,
    );
    expect((await ask('wallet/getblock?id_or_num=1&detail=true')).json).toMatchObject({
      blockID: tron.node.findBlock(1)!.id,
    });
    const id = tron.node.head.id.toUpperCase();
    expect((await ask('wallet/getblockbyid', { value: id })).json).toMatchObject({
      blockID: tron.node.head.id,
    });
    const created = await ask('wallet/createtransaction', {
      owner_address: address,
      to_address: account(4).address,
      amount: 9,
      visible: true,
    });
    expect(created.json).toMatchObject({
      visible: true,
      raw_data: {
        contract: [{ parameter: { value: { owner_address: address, to_address: account(4).address } } }],
      },
    });
    const txID = String(created.json['txID']);
    const sent = await ask('wallet/broadcasttransaction', { ...created.json, signature: [me().sign(txID)] });
    expect(sent.json).toEqual({ result: true, txid: txID });
    await waitFor(async () => (await tron.node.mine()).number > 0);
    expect((await ask('wallet/gettransactionbyid', { value: txID, visible: true })).json).toMatchObject({
      raw_data: { contract: [{ parameter: { value: { to_address: account(4).address } } }] },
    });
  });
});

function upper(signed: Signed): object {
  const { raw_data_hex: hex, signature, txID } = signed;
  return {
    txID: txID.toUpperCase(),
    raw_data_hex: hex.toUpperCase(),
    signature: signature.map((one) => one.toUpperCase()),
  };
}

/** The bytes of a whole transaction. */
function toTransaction({ raw_data_hex: hex, signature }: Signed): string {
  return Buffer.concat([
    encodeBytes(1, Buffer.from(hex, 'hex')),
    ...signature.map((one) => encodeBytes(2, Buffer.from(one, 'hex'))),
  ]).toString('hex');
}
