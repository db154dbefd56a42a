import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { createChainOpener, type ActiveChain, type Block } from '@chainwatch/chain-core';
import { findFamily } from '@chainwatch/chain-registry';
import { createSealer, parseSecretsKeys } from '@chainwatch/secrets';
import { startAnvil, waitFor, type AnvilHandle } from '@chainwatch/testing';
import { backlogFirst } from './backlog-first.ts';
import { BodyThreads } from './body-threads.ts';

const ENV = {
  DATABASE_URL: 'postgresql://127.0.0.1/unused',
  SECRETS_KEYS: `spec:${randomBytes(32).toString('base64')}`,
  OUTBOUND_ALLOW: '127.0.0.0/8',
};
const sealer = createSealer(parseSecretsKeys(ENV.SECRETS_KEYS));

const directory = mkdtempSync(join(tmpdir(), 'body-thread-'));
const entry = pathToFileURL(join(directory, 'body.worker.mjs'));

let node: AnvilHandle;
let threads: BodyThreads;

beforeAll(async () => {
  // As tools/stack/bundle.mjs does it.
  for (const file of ['libs/evm-prover/src/prover.wasm', 'node_modules/tiny-secp256k1/lib/secp256k1.wasm'])
    cpSync(
      fileURLToPath(new URL(`../../../../${file}`, import.meta.url)),
      join(directory, file.split('/').at(-1)!),
    );
  await build({
    entryPoints: [fileURLToPath(new URL('../body.worker.ts', import.meta.url))],
    outfile: fileURLToPath(entry),
    bundle: true,
    format: 'esm',
    platform: 'node',
    external: ['bufferutil', 'utf-8-validate'],
    banner: {
      js:
        "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);" +
        `Object.assign(process.env, ${JSON.stringify(ENV)});`,
    },
  });
  node = await startAnvil();
  const accounts = await node.rpc<string[]>('eth_accounts', []);
  await node.rpc('evm_setAutomine', [false]);
  for (const to of accounts.slice(1))
    await node.rpc('eth_sendTransaction', [{ from: accounts[0], to, value: '0x1' }]);
  await node.mine();
});
beforeEach(() => {
  threads = createThreads(2);
});
afterEach(() => threads.stop());
afterAll(async () => {
  await node.stop();
  rmSync(directory, { recursive: true });
});

const createThreads = (count: number): BodyThreads =>
  new BodyThreads({ count, entry, logger: { error: () => undefined } });

const chainAt = (url: string): ActiveChain => ({
  gid: 'eip155:31337',
  family: 'evm',
  endpointSealed: sealer.seal(url, 'endpoint:eip155:31337'),
  otherEndpointsSealed: {},
});

async function openClient() {
  const { client } = await createChainOpener({ findFamily, opener: sealer })(chainAt(node.url));
  return { client, head: await client.readHead() };
}

/** The client decodes transactions when they are asked for; what crosses threads is decoded. */
const contentOf = ({
  number,
  hash,
  parentHash,
  timestamp,
  transactions,
  balanceChanges,
  touchedAssets,
}: Block): Block => ({
  number,
  hash,
  parentHash,
  timestamp,
  transactions: [...transactions],
  balanceChanges,
  touchedAssets,
});

describe('BodyThreads', () => {
  it('read the same blocks as the client does', async () => {
    const { client, head } = await openClient();
    const backlog = threads.open(chainAt(node.url))!;
    const expected = await client.readBlock(head);
    expect(expected.transactions).toHaveLength(9);
    const blocks = await Promise.all([1, 2, 3, 4].map(() => backlog.readBlock(head)));
    for (const block of blocks) expect(contentOf(block)).toEqual(contentOf(expected));
    client.close();
  });

  it('tell a failure in words that name no endpoint, and the client has the next attempt', async () => {
    const { client, head } = await openClient();
    const backlog = threads.open(chainAt('http://127.0.0.1:1/'))!;
    const pick = backlogFirst(client, backlog);
    await expect(pick().readBlock(head)).rejects.toMatchObject({
      name: 'BodyThreadError',
      retryable: true,
      publicMessage: expect.not.stringContaining('127.0.0.1'),
    });
    expect((await pick().readBlock(head)).hash).toBe(head.hash);
    client.close();
  });

  it('stop reading when they are told to', async () => {
    const { client, head } = await openClient();
    const backlog = threads.open(chainAt(node.url))!;
    const abort = new AbortController();
    const reading = backlog.readBlock(head, abort.signal);
    abort.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
    await expect(backlog.readBlock(head, abort.signal)).rejects.toThrow('enough');
    client.close();
  });

  it('give up what was under way when a thread dies, and go on with a new one', async () => {
    const { client, head } = await openClient();
    const backlog = threads.open(chainAt(node.url))!;
    const reading = backlog.readBlock(head);
    const given = reading.then(
      () => 'read',
      (error: Error) => error.name,
    );
    await threads.stop();
    expect(await given).toBe('BodyThreadError');
    await waitFor(async () => (await backlog.readBlock(head)).hash === head.hash);
    client.close();
  });

  it('are none when none are wanted', () => {
    expect(createThreads(0).open(chainAt(node.url))).toBeUndefined();
  });
});
