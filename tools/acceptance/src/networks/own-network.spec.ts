// SPDX-License-Identifier: Apache-2.0
import { startAnvil, waitFor, type AnvilHandle } from '@chainwatch/testing';
import { repoDir } from '@chainwatch/testing/host';
import { encodeFunctionData } from 'viem';
import { contracts } from '../../../devnet/evm/contracts.ts';
import { ScratchStack } from '../scratch-stack.ts';
import { freePort } from '../services.ts';
import type { TransactionRecord } from '../transaction-record.ts';

// A network that no release has is a document: with it, and nothing else, its chain is followed by services that run.

const GID = 'eip155:31338';
const NATIVE = `${GID}/slip44:1`;
const DOCUMENT = {
  family: 'evm',
  name: 'vesta',
  short_name: 'vst',
  display_name: 'Vesta',
  is_testnet: true,
  aliases: ['vesta-testnet'],
  native: { gid: NATIVE, symbol: 'VST', name: 'Vesta', decimals: 18 },
  token_namespace: 'erc20',
  confirmation: { type: 'tag', tag: 'finalized', depth: 3 },
  block_time_ms: 1_000,
  traits: { stack: 'ethereum', multicall3: false },
};
const ADDRESS = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';

const stack = new ScratchStack();
let node: AnvilHandle;
let rpcUrl: string;

beforeAll(async () => {
  node = await startAnvil({
    args: ['--chain-id', '31338', '--block-time', '1', '--slots-in-an-epoch', '1'],
  });
  await stack.start(repoDir, 'block-ingestor-evm');
  const port = String(await freePort());
  rpcUrl = `http://127.0.0.1:${port}`;
  await stack.services.start('rpc-proxy', { PORT: port });
}, 180_000);
afterAll(async () => {
  await stack.stop();
  await node?.stop();
}, 60_000);

async function callByName(name: string): Promise<readonly [number, unknown]> {
  const answer = await fetch(`${rpcUrl}/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': stack.keys.rpc },
    body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}',
  });
  return [answer.status, await answer.json()];
}

const RIGHT = [200, { jsonrpc: '2.0', id: 1, result: '0x7a6a' }];

it('is followed: a payment on it is told of, confirmed and counted, and the RPC gateway knows its names', async () => {
  await stack.ask(422, { method: 'POST', path: '/blockchains', body: { chain_gid: GID } });
  await stack.ask(201, { method: 'PUT', path: `/networks/${GID}`, body: DOCUMENT });
  await stack.ask(201, { method: 'POST', path: '/blockchains', body: { chain_gid: GID } });
  await stack.ask(200, {
    method: 'PATCH',
    path: `/blockchains/${GID}/evm`,
    body: { endpoint_url: node.url },
  });
  await stack.ask(200, { method: 'POST', path: `/blockchains/${GID}/actions/activate` });
  await stack.ask(201, {
    method: 'POST',
    path: '/addresses/external',
    body: { value: ADDRESS, chain_family: 'evm' },
  });
  const hash = await pay();
  await stack.waitForEvents('transaction.detected', 'transaction.confirmed', 'balance.changed');
  expect(await stack.project.listAll<TransactionRecord>('/transactions')).toMatchObject([
    {
      hash,
      chain_gid: GID,
      status: 'confirmed',
      transfers: [{ asset_gid: NATIVE, amount_raw: '1500000000000000000' }],
    },
  ]);
  expect(await stack.ask(200, { method: 'GET', path: `/addresses/${ADDRESS}/balances` })).toEqual({
    [NATIVE]: '1.5',
  });
  for (const name of [GID, 'vesta', 'VESTA-testnet'])
    await waitFor(async () => (await callByName(name))[0] === 200, { message: name });
  for (const name of [GID, 'vesta', 'VESTA-testnet'])
    expect([name, ...(await callByName(name))]).toEqual([name, ...RIGHT]);
}, 600_000);

it('takes other names, and goes on to be followed; what is fixed stays, and it cannot go', async () => {
  const renamed = { ...DOCUMENT, name: 'juno', aliases: [] };
  expect(await stack.ask(200, { method: 'PUT', path: `/networks/${GID}`, body: renamed })).toMatchObject({
    name: 'juno',
    source: 'api',
    is_used: true,
  });
  const other = { ...renamed, native: { ...renamed.native, decimals: 6 } };
  expect(await stack.ask(409, { method: 'PUT', path: `/networks/${GID}`, body: other })).toMatchObject({
    detail: expect.stringContaining('native.decimals'),
  });
  await stack.ask(409, { method: 'DELETE', path: `/networks/${GID}` });
  await waitFor(async () => (await callByName('juno'))[0] === 200);
  expect((await callByName('vesta'))[0]).toBe(404);
  const hash = await pay();
  await waitFor(async () =>
    (await stack.project.listAll<TransactionRecord>('/transactions')).some(
      (transaction) => transaction.hash === hash && transaction.status === 'confirmed',
    ),
  );
  expect(await stack.ask(200, { method: 'GET', path: `/blockchains/${GID}` })).toMatchObject({
    name: 'juno',
    is_active: true,
  });
}, 600_000);

it('without a native coin, has its tokens and nothing of a coin', async () => {
  const gid = 'eip155:31339';
  const { native: _, ...rest } = DOCUMENT;
  const document = { ...rest, name: 'coinless', short_name: 'cls', display_name: 'Coinless', aliases: [] };
  const other = await startAnvil({
    args: ['--chain-id', '31339', '--block-time', '1', '--slots-in-an-epoch', '1'],
  });
  try {
    await stack.ask(201, { method: 'PUT', path: `/networks/${gid}`, body: document });
    await stack.ask(201, { method: 'POST', path: '/blockchains', body: { chain_gid: gid } });
    await stack.ask(200, {
      method: 'PATCH',
      path: `/blockchains/${gid}/evm`,
      body: { endpoint_url: other.url },
    });
    await stack.ask(200, { method: 'POST', path: `/blockchains/${gid}/actions/activate` });
    const [from] = await other.rpc<[string]>('eth_accounts');
    const send = async (transaction: object): Promise<{ readonly contractAddress: string }> => {
      const hash = await other.rpc<string>('eth_sendTransaction', [{ from, ...transaction }]);
      return waitFor(
        () => other.rpc<{ readonly contractAddress: string } | null>('eth_getTransactionReceipt', [hash]),
        { message: hash },
      );
    };
    const { abi, bytecode } = contracts.TestToken;
    const { contractAddress: to } = await send({ data: bytecode });
    await send({ to: ADDRESS, value: '0x5' });
    await send({ to, data: encodeFunctionData({ abi, functionName: 'mint', args: [ADDRESS, 7n] }) });
    const token = `${gid}/erc20:${to}`;
    const listed = await waitFor(
      async () => {
        const all = await stack.project.listAll<TransactionRecord>('/transactions');
        const own = all.filter(({ chain_gid: chain }) => chain === gid);
        return own.some(({ status }) => status === 'confirmed') ? own : undefined;
      },
      { message: 'a token on a chain without a coin' },
    );
    expect(listed).toMatchObject([
      { fee: null, transfers: [{ asset_gid: token, amount_raw: '7', to: ADDRESS }] },
    ]);
    await waitFor(
      async () =>
        (
          await stack.ask<Record<string, string>>(200, {
            method: 'GET',
            path: `/addresses/${ADDRESS}/balances`,
          })
        )[token] !== undefined,
    );
    const balances = await stack.ask<Record<string, string>>(200, {
      method: 'GET',
      path: `/addresses/${ADDRESS}/balances`,
    });
    expect(Object.keys(balances).filter((asset) => asset.startsWith(gid))).toEqual([token]);
    const { native: added, ...same } = DOCUMENT;
    const given = { ...same, ...document, native: { ...added, gid: `${gid}/slip44:1` } };
    expect(await stack.ask(409, { method: 'PUT', path: `/networks/${gid}`, body: given })).toMatchObject({
      detail: expect.stringContaining('native.gid'),
    });
  } finally {
    await other.stop();
  }
}, 600_000);

async function pay(): Promise<string> {
  const [from] = await node.rpc<[string]>('eth_accounts');
  return node.rpc<string>('eth_sendTransaction', [{ from, to: ADDRESS, value: '0x14d1120d7b160000' }]);
}
