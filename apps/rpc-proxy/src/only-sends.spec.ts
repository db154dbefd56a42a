// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { Keypair, SystemProgram, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import { base58 } from '@scure/base';
import { waitFor } from '@chainwatch/testing';
import { sendJson, startSpecNode, type Seen, type SpecNode } from './spec-node.ts';
import { startSpecWorld, type SpecWorld } from './spec-world.ts';
import type { RpcProxy } from './start-rpc-proxy.ts';

const SOLANA = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const TRON = 'tron:0x2b6653dc';

let world: SpecWorld;
let solana: SpecNode;
let tron: SpecNode;
let gateway: RpcProxy & { readonly url: string };
/** What the node of TRON answers to questions about a transaction. */
let findPath: (path: string) => object | undefined;

beforeAll(async () => {
  [world, solana, tron] = await Promise.all([
    startSpecWorld(),
    startSpecNode(),
    startSpecNode(undefined, { chainId: 0x2b6653dc }),
  ]);
  gateway = await world.open({ [SOLANA]: [solana.url], [TRON]: [tron.url] });
});
afterAll(async () => {
  await world.stop();
  await Promise.all([solana.stop(), tron.stop()]);
  expect(world.failures).toEqual([]);
});
beforeEach(async () => {
  delete solana.health.getSignatureStatuses;
  findPath = () => ({});
  // It takes the transaction, and dies before it says so.
  solana.answer = (_seen, _res, req) => req.socket.destroy();
  tron.answer = ({ url }, res, req) => {
    if (url.includes('/broadcast')) return void req.socket.destroy();
    const found = findPath(url);
    sendJson(res, found === undefined ? { body: '{}', status: 404 } : { body: JSON.stringify(found) });
  };
  for (const node of [solana, tron]) node.seen.length = 0;
  for (const { upstreams, paths } of gateway.directory.chains)
    for (const upstream of [...upstreams, ...(paths?.upstreams ?? [])]) upstream.recover();
  await waitFor(() =>
    [...gateway.directory.chains]
      .filter(({ upstreams }) => upstreams.length > 0)
      .every(({ upstreams, paths }) =>
        [...upstreams, ...(paths?.upstreams ?? [])].every(({ isChecked }) => isChecked),
      ),
  );
});

async function post(path: string, body: unknown): Promise<{ status: number; answer: unknown }> {
  const response = await fetch(`${gateway.url}/${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', 'x-api-key': world.project.keys.rpc },
  });
  return { status: response.status, answer: await response.json() };
}

const sendsOf = ({ seen }: SpecNode): Seen[] =>
  seen.filter(({ url, body }) => /send|broadcast/.test(url + body));

describe('after the only send of a Solana transaction that brought no answer', () => {
  const payer = Keypair.fromSeed(Buffer.alloc(32, 7));
  const message = new TransactionMessage({
    payerKey: payer.publicKey,
    recentBlockhash: payer.publicKey.toBase58(),
    instructions: [
      SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: payer.publicKey, lamports: 1 }),
    ],
  });
  const transaction = new VersionedTransaction(message.compileToV0Message());
  transaction.sign([payer]);
  const raw = Buffer.from(transaction.serialize());
  const signature = base58.encode(transaction.signatures[0]!);
  const send = (params: readonly unknown[]) =>
    post('solana', { jsonrpc: '2.0', id: 7, method: 'sendTransaction', params });

  it.each([
    ['base64', [raw.toString('base64'), { encoding: 'base64' }]],
    ['base58', [base58.encode(raw)]],
  ])('its signature is the answer as soon as a block has it: %s', async (_name, params) => {
    let asked = 0;
    solana.health.getSignatureStatuses = ([ids]) => ({
      context: { slot: 1 },
      value: [String(ids) === signature && (asked += 1) > 2 ? { slot: 1, err: null } : null],
    });
    expect(await send(params)).toEqual({
      status: 200,
      answer: { jsonrpc: '2.0', id: 7, result: signature },
    });
    expect(sendsOf(solana)).toHaveLength(1);
  });

  it('nothing is told as sent that no block has, and what is no transaction is not looked up', async () => {
    let asked = 0;
    solana.health.getSignatureStatuses = () => ((asked += 1), { context: { slot: 1 }, value: [null] });
    const unavailable = { status: 502, answer: { error: 'network unavailable' } };
    expect(await send([raw.toString('base64'), { encoding: 'base64' }])).toEqual(unavailable);
    expect(asked).toBeGreaterThan(2);
    asked = 0;
    for (const params of [['1'.repeat(100_000)], ['0OIl'], [null], [], ['AQ==', { encoding: 'base64' }]])
      expect(await send(params)).toEqual(unavailable);
    expect(asked).toBe(0);
  });
});

describe('after the only broadcast of a TRON transaction that brought no answer', () => {
  const rawData = Buffer.from('0a02abcd', 'hex');
  const txid = createHash('sha256').update(rawData).digest('hex');
  const signed = { raw_data_hex: rawData.toString('hex'), signature: ['00'], txID: 'not asked for' };
  /** The signed part as field 1, one signature as field 2. */
  const whole = { transaction: `0a04${rawData.toString('hex')}120100` };

  it.each([
    ['in a block', 'gettransactionbyid', 'broadcasttransaction', signed],
    ['waiting for one', 'gettransactionfrompending', 'broadcasttransaction', signed],
    ['in a block, sent as one text', 'gettransactionbyid', 'broadcasthex', whole],
  ])('its id is the answer where it is %s', async (_name, question, method, body) => {
    findPath = (path) => (path === `/wallet/${question}` ? { txID: txid } : {});
    expect(await post(`tron/wallet/${method}`, body)).toEqual({
      status: 200,
      answer: { result: true, txid },
    });
    expect(sendsOf(tron)).toHaveLength(1);
  });

  it('nothing is told as sent that no node knows', async () => {
    // Old nodes do not tell what waits.
    findPath = (path) => (path.endsWith('byid') ? { txID: 'another' } : undefined);
    for (const [method, body] of [
      ['broadcasttransaction', signed],
      ['broadcasttransaction', { raw_data: {} }],
      ['broadcasthex', { transaction: 'ffff' }],
    ] as const)
      expect(await post(`tron/wallet/${method}`, body)).toEqual({
        status: 502,
        answer: { error: 'network unavailable' },
      });
  });
});
