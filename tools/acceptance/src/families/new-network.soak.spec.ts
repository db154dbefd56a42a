import { startAnvil, type AnvilHandle } from '@chainwatch/testing';
import { ScratchRepository } from '../scratch-repository.ts';
import { ScratchStack } from '../scratch-stack.ts';
import { freePort } from '../services.ts';
import type { TransactionRecord } from '../transaction-record.ts';

// A network of a known family is a row of its networks.json (CONTRIBUTING.md, "Add a network"): with it, and nothing else,
// its chain is followed.

const NETWORKS = 'libs/chain-evm/src/networks.json';
/** Has a table of all names. */
const SPEC = 'libs/chain-registry/src/registry.spec.ts';
const GID = 'eip155:31338';
const NATIVE = `${GID}/slip44:1`;
const ROW = {
  gid: GID,
  name: 'vesta',
  shortName: 'vst',
  displayName: 'Vesta',
  imageUrl: 'https://example.com/vesta.png',
  family: 'evm',
  isTestnet: true,
  aliases: ['vesta-testnet'],
  native: { gid: NATIVE, symbol: 'VST', name: 'Vesta', decimals: 18 },
  tokenNamespace: 'erc20',
  confirmation: { type: 'tag', tag: 'finalized', depth: 3 },
  blockTimeMs: 1_000,
  traits: { stack: 'ethereum', multicall3: false },
};
const ADDRESS = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';

const scratch = new ScratchRepository();
const stack = new ScratchStack();
let node: AnvilHandle;

beforeAll(async () => {
  scratch.addText(SPEC, `  '${GID}': ['vesta', 'vesta-testnet'],\n`, "  'eip155:1': [");
  scratch.addText(NETWORKS, `,\n${JSON.stringify(ROW)}`, '\n]');
  node = await startAnvil({
    args: ['--chain-id', '31338', '--block-time', '1', '--slots-in-an-epoch', '1'],
  });
  await stack.start(scratch.dir, 'block-ingestor-evm');
}, 180_000);
afterAll(async () => {
  await stack.stop();
  await node?.stop();
  scratch.remove();
}, 60_000);

it('is a row, and its names in a spec: those of the registry take it', async () => {
  expect(scratch.listChangedFiles()).toEqual([NETWORKS, SPEC].sort());
  expect(await scratch.runJest(['libs/chain-registry'])).toBeGreaterThan(100);
}, 600_000);

it('is followed: a payment on it is told of, confirmed and counted, and the RPC gateway knows its names', async () => {
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
  const [from] = await node.rpc<[string]>('eth_accounts');
  const hash = await node.rpc<string>('eth_sendTransaction', [
    { from, to: ADDRESS, value: '0x14d1120d7b160000' },
  ]);
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

  const port = String(await freePort());
  await stack.services.start('rpc-proxy', { PORT: port });
  for (const name of [GID, 'vesta', 'VESTA-testnet']) {
    const answer = await fetch(`http://127.0.0.1:${port}/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': stack.keys.rpc },
      body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}',
    });
    expect([name, answer.status, await answer.json()]).toEqual([
      name,
      200,
      { jsonrpc: '2.0', id: 1, result: '0x7a6a' },
    ]);
  }
}, 180_000);
