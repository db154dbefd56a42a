// SPDX-License-Identifier: Apache-2.0
import { keccak256, serializeTransaction, toHex, type Hex } from 'viem';
import { waitFor } from '@chainwatch/testing';
import { answerResult, sendJson, startSpecNode, type SpecNode } from './spec-node.ts';
import { startSpecWorld, type SpecWorld } from './spec-world.ts';
import type { RpcProxy } from './start-rpc-proxy.ts';

const BITCOIN = 'bip122:000000000019d6689c085ae165831e93';
/** The example of BIP-143 for P2WPKH, signed, and its id. */
const BITCOIN_RAW =
  '01000000000102fff7f7881a8099afa6940d42d1e7f6362bec38171ea3edf433541db4e4ad969f00000000494830450221008b9d1dc26ba6a9cb62127b02742fa9d754cd3bebf337f7a55d114c8e5cdd30be022040529b194ba3f9281a99f2b1c0a19c0489bc22ede944ccf4ecbab4cc618ef3ed01eeffffffef51e1b804cc89d182d279655c3aa89e815b1b309fe287d9b2b55d57b90ec68a0100000000ffffffff02202cb206000000001976a9148280b37df378db99f66f85c95a783a76ac7a6d5988ac9093510d000000001976a9143bde42dbee7e4dbe6a21b2d50ce2f0167faa815988ac000247304402203609e17b84f6a7d30c80bfa610b5b4542f32a8a0d5447a12fb1366d7f01cc44a0220573a954c4518331561406f90300e8f3358f51928d43c212a8caed02de67eebee0121025476c2e83188368da1ff3e292e7acafcdb3566bb0ad253f62fc70f07aeee635711000000';
const BITCOIN_ID = 'e8151a2af31c368a35053ddd4bdb285a8595c769a3ad83e0fa02314a602d4609';

let world: SpecWorld;
let one: SpecNode;
let two: SpecNode;
/** A gateway that strongly prefers the first stand-in. */
let pair: RpcProxy & { readonly url: string };

const preferFirst = (first: SpecNode, second: SpecNode) => [
  { url: first.url, weight: 1_000, headers: {} },
  { url: second.url, weight: 0.000_001, headers: {} },
];

beforeAll(async () => {
  world = await startSpecWorld();
  [one, two] = await Promise.all([0, 1].map(() => startSpecNode()) as [Promise<SpecNode>, Promise<SpecNode>]);
  const nodes = preferFirst(one, two);
  pair = await world.open({ 'eip155:1': nodes, [BITCOIN]: nodes });
});
afterAll(async () => {
  await world.stop();
  await Promise.all([one.stop(), two.stop()]);
  expect(world.failures).toEqual([]);
});
beforeEach(async () => {
  await serves(pair);
  for (const node of [one, two]) {
    node.seen.length = 0;
    for (const method of QUESTIONS) delete node.health[method];
  }
  // It takes the transaction, and dies before it says so.
  one.answer = (_seen, _res, req) => req.socket.destroy();
});

const serves = ({ directory }: RpcProxy): Promise<boolean> =>
  waitFor(() =>
    [...directory.chains].every((chain) => chain.upstreams.every((upstream) => chain.serves(upstream))),
  );

const QUESTIONS = [
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
  'getmempoolentry',
  'getrawtransaction',
  'gettxout',
];

async function post(body: string, path = '/ethereum', gateway = pair): Promise<unknown> {
  // Three failures in a row would take the first one out of service, and nothing would be sent twice.
  for (const { upstreams, sessions } of gateway.directory.chains) {
    for (const upstream of upstreams) upstream.recover();
    // A key goes on with the node that took its last write.
    sessions.forget();
  }
  const response = await fetch(gateway.url + path, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', 'x-api-key': world.project.keys.rpc },
  });
  return response.json();
}

const send = (params: unknown, method = 'eth_sendRawTransaction') => ({
  jsonrpc: '2.0',
  id: 7,
  method,
  params,
});

function refuse(message: string): SpecNode['answer'] {
  return (_seen, res) =>
    sendJson(res, { body: JSON.stringify({ jsonrpc: '2.0', id: 7, error: { code: -32000, message } }) });
}

const common = { chainId: 1, nonce: 7, gas: 21_000n } as const;
const blobs = {
  ...common,
  type: 'eip4844',
  maxFeePerGas: 9n,
  maxFeePerBlobGas: 9n,
  to: `0x${'11'.repeat(20)}`,
  blobVersionedHashes: [`0x01${'22'.repeat(31)}`],
} as const;
const signature = { r: toHex(1n, { size: 32 }), s: toHex(2n, { size: 32 }), v: 27n, yParity: 0 } as const;
const sidecars = [
  { blob: `0x${'ab'.repeat(131_072)}`, commitment: `0x${'01'.repeat(48)}`, proof: `0x${'02'.repeat(48)}` },
] as const;
const unblobbed = serializeTransaction(blobs, signature);
const kinds: readonly [string, Hex, Hex][] = [
  ...(
    [
      ['legacy', { ...common, type: 'legacy', gasPrice: 9n }],
      ['with an access list', { ...common, type: 'eip2930', gasPrice: 9n }],
      ['with priority fees', { ...common, type: 'eip1559', maxFeePerGas: 9n }],
      ['with authorizations', { ...common, type: 'eip7702', maxFeePerGas: 9n, authorizationList: [] }],
    ] as const
  ).map(([name, transaction]): [string, Hex, Hex] => {
    const raw = serializeTransaction(transaction as never, signature);
    return [name, raw, keccak256(raw)];
  }),
  ['of blobs, without them', unblobbed, keccak256(unblobbed)],
  ['of blobs, with them', serializeTransaction({ ...blobs, sidecars }, signature), keccak256(unblobbed)],
];

describe('after a second send', () => {
  it.each(kinds)(
    'of a transaction %s the hash is the answer, because a node knows it',
    async (_name, raw, hash) => {
      two.answer = refuse('nonce too low');
      for (const knowing of [one, two]) {
        const asked: unknown[] = [];
        knowing.health.eth_getTransactionByHash = (params) => (asked.push(params), { hash });
        expect(await post(JSON.stringify(send([raw])))).toEqual({ jsonrpc: '2.0', id: 7, result: hash });
        expect(asked).toEqual([[hash]]);
        delete knowing.health.eth_getTransactionByHash;
        pair.directory.find('ethereum')!.upstreams[0]!.recover();
      }
    },
  );

  it.each([
    'nonce too low',
    'replacement transaction underpriced',
    'already known',
    'insufficient funds for gas * price + value',
    'transaction underpriced',
    'x',
  ])('the error "%s" is no failure where the transaction is known', async (message) => {
    const [, raw, hash] = kinds[2]!;
    two.answer = refuse(message);
    // It is in a block already, and gone from the mempool.
    two.health.eth_getTransactionByHash = () => null;
    two.health.eth_getTransactionReceipt = () => ({ transactionHash: hash });
    expect(await post(JSON.stringify(send([raw])))).toMatchObject({ result: hash });
    expect(await post(JSON.stringify(send({ transaction: raw })))).toMatchObject({ result: hash });
    expect(
      await post(JSON.stringify([send([raw]), { ...send([]), id: 8, method: 'eth_chainId' }])),
    ).toMatchObject([{ id: 7, result: hash }, { id: 8 }]);
  });

  it('the error is the answer where no node knows it, and after the only send', async () => {
    const [, raw] = kinds[2]!;
    two.answer = refuse('nonce too low');
    two.health.eth_getTransactionByHash = () => null;
    two.health.eth_getTransactionReceipt = () => null;
    expect(await post(JSON.stringify(send([raw])))).toMatchObject({ error: { message: 'nonce too low' } });
    one.answer = refuse('nonce too low');
    one.health.eth_getTransactionByHash = () => ({});
    expect(await post(JSON.stringify(send([raw])))).toMatchObject({ error: { message: 'nonce too low' } });
  });

  it('the error is the answer where a node has fallen silent since, and answers no question', async () => {
    // Nodes of its own: health questions to a silent one fail seconds later.
    const silent = await startSpecNode((_seen, _res, req) => {
      silent.isSilent = true;
      req.socket.destroy();
    });
    const other = await startSpecNode(refuse('nonce too low'));
    for (const question of QUESTIONS) other.health[question] = () => null;
    const gateway = await world.open({ 'eip155:1': preferFirst(silent, other) });
    await serves(gateway);
    expect(await post(JSON.stringify(send([kinds[2]![1]])), '/ethereum', gateway)).toMatchObject({
      error: { message: 'nonce too low' },
    });
    expect(other.seen).toHaveLength(1);
    expect(silent.seen).toHaveLength(1);
    await Promise.all([silent.stop(), other.stop()]);
  });

  it('that brought no answer at all, the hash is the answer where a node knows it', async () => {
    const [, raw, hash] = kinds[2]!;
    two.answer = one.answer;
    two.health.eth_getTransactionByHash = () => ({ hash });
    expect(await post(JSON.stringify(send([raw])))).toEqual({ jsonrpc: '2.0', id: 7, result: hash });
    two.health.eth_getTransactionByHash = () => null;
    expect(await post(JSON.stringify(send([raw])))).toEqual({ error: 'network unavailable' });
  });

  it.each([
    ['the mempool', 'getmempoolentry'],
    ['the index of transactions', 'getrawtransaction'],
    ['the coins', 'gettxout'],
  ])('of a Bitcoin transaction that %s has, by place and by name', async (_name, question) => {
    two.answer = refuse('bad-txns-inputs-missingorspent');
    two.health[question] = ([id]) => (id === BITCOIN_ID ? {} : null);
    for (const params of [[BITCOIN_RAW], { hexstring: BITCOIN_RAW, maxfeerate: 0 }, { args: [BITCOIN_RAW] }])
      expect(await post(JSON.stringify(send(params, 'sendrawtransaction')), '/bitcoin')).toEqual({
        jsonrpc: '2.0',
        id: 7,
        result: BITCOIN_ID,
      });
  });

  it('that a second node accepts, its answer is the answer', async () => {
    two.answer = answerResult('"0xaa"');
    expect(await post(JSON.stringify(send([kinds[2]![1]])))).toMatchObject({ result: '0xaa' });
    expect([one.seen.length, two.seen.length]).toEqual([1, 1]);
  });
});
