// SPDX-License-Identifier: Apache-2.0
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { FsTree, flushChanges, type FileChange } from 'nx/src/generators/tree';
import { repoDir } from '@chainwatch/testing/host';
import { ScratchRepository } from '../scratch-repository.ts';
import { ScratchStack } from '../scratch-stack.ts';
import type { TransactionRecord } from '../transaction-record.ts';
import { ToyNode } from './toy-node.ts';

// A chain that nobody has heard of is what the generator writes, with the toy's code in place of the skeleton (CONTRIBUTING.md,
// "Add a family"): with these, and nothing else, an address of it is watched.

const LIBRARY = 'libs/chain-toy';
const APP = 'apps/block-ingestor-toy';
const GID = 'toy:town';
const ADDRESS = 'toy1aabbccdd11223344';
const FIXTURE = {
  network: GID,
  otherNetwork: 'toy:village',
  addresses: [
    { input: 'TOY1AABBCCDDEEFF0011', canonical: 'toy1aabbccddeeff0011', display: 'toy1aabbccddeeff0011' },
  ],
  checksummed: [],
  unknownHash: 'ab'.repeat(32),
  rpc: { read: ['toy_head', 'toy_balance'], write: ['toy_send', 'toy_mine'], locked: ['toy_stop'] },
};
/** What a script writes from what stands elsewhere. */
const GENERATED =
  /^(package-lock\.json|(.*\/)?tsconfig(\.projects)?\.json|deploy\/(compose|prometheus\/(prometheus|rules))\.yaml|deploy\/kubernetes\/.*)$/;
const scratch = new ScratchRepository();
const node = new ToyNode();
let generated: readonly FileChange[];

beforeAll(async () => {
  await node.start();
  await generateToy();
  addOwnFiles();
  writeGenerated();
}, 120_000);

afterAll(async () => {
  await node.stop();
  scratch.remove();
});

/** `nx g @chainwatch/tools:family toy`, but for what it asks of npm. */
async function generateToy(): Promise<void> {
  const file = pathToFileURL(join(scratch.dir, 'tools/nx/family/generator.mjs')).href;
  const { default: generateFamily } = await import(file);
  const tree = new FsTree(scratch.dir, false);
  generateFamily(tree, { name: 'toy' });
  generated = tree.listChanges();
  flushChanges(scratch.dir, [...generated]);
  for (const path of [LIBRARY, APP]) scratch.linkPackage(path);
}

/** The toy's code in place of the skeleton, and what it needs. */
function addOwnFiles(): void {
  const sources = fileURLToPath(new URL('toy-library/', import.meta.url));
  cpSync(sources, join(scratch.dir, LIBRARY, 'src'), { recursive: true });
  writeFileSync(join(scratch.dir, LIBRARY, 'src/spec-contract/fixture.json'), JSON.stringify(FIXTURE));
  scratch.addText(
    `${LIBRARY}/package.json`,
    `,\n    "@chainwatch/outbound": "*",\n    "zod": "*"`,
    '\n  },\n  "nx"',
  );
}

function writeGenerated(): void {
  // npm asks the environment of the npm that runs the specs before it asks .npmrc.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
  const options = { cwd: scratch.dir, env, stdio: 'pipe' } as const;
  execFileSync(process.execPath, ['tools/stack/write-deployment.mjs'], options);
  execFileSync(
    'npm',
    ['install', '--package-lock-only', '--offline', '--ignore-scripts', '--no-audit'],
    options,
  );
}

it('touches four files that are there', () => {
  const touched = scratch.listChangedFiles().filter((path) => !GENERATED.test(path));
  expect(Object.fromEntries(touched.map((path) => [path, countLines(path)]))).toEqual({
    'README.md': { added: 1, removed: 1 },
    'deploy/services.json': { added: 9, removed: 0 },
    'libs/chain-registry/package.json': { added: 1, removed: 0 },
    'libs/chain-registry/src/entries.ts': { added: 2, removed: 1 },
  });
  const added = [
    ...generated.filter(({ type }) => type === 'CREATE').map(({ path }) => path),
    ...scratch.addedFiles,
  ];
  expect(added.filter((path) => !path.startsWith(`${LIBRARY}/`) && !path.startsWith(`${APP}/`))).toEqual([]);
  for (const path of [
    'package-lock.json',
    'tsconfig.projects.json',
    'deploy/compose.yaml',
    'deploy/kubernetes/base/deployments.yaml',
  ])
    expect([path, readFileSync(join(scratch.dir, path), 'utf8')]).toEqual([
      path,
      expect.stringContaining('-toy'),
    ]);
});

/** What git counts between the repository's file and the copy's. */
function countLines(path: string): { added: number; removed: number } {
  const { stdout } = spawnSync(
    'git',
    ['diff', '--no-index', '--numstat', join(repoDir, path), join(scratch.dir, path)],
    { encoding: 'utf8' },
  );
  const [added, removed] = stdout.split('\t').map(Number);
  return { added: added!, removed: removed! };
}

it('keeps the contract of families, as recorded from its node', async () => {
  node.pay(ADDRESS, 1);
  node.pay(ADDRESS, 2);
  node.mine();
  const env = { CONTRACT_RECORD_FAMILY: 'toy', CONTRACT_RECORD_URL: node.url };
  await scratch.runJest(['src/contract.spec', '-t', 'a client of toy'], env);
  expect(await scratch.runJest(['libs/chain-registry', '-t', 'toy|as an address'])).toBeGreaterThan(50);
}, 180_000);

describe('an address of it', () => {
  const stack = new ScratchStack();
  beforeAll(() => stack.start(scratch.dir, 'block-ingestor-toy'), 180_000);
  afterAll(() => stack.stop(), 60_000);

  it('is told of a payment, and has its balance', async () => {
    // An address counts from the head on, that block included: it holds none of the earlier payments.
    node.mine();
    await stack.ask(201, { method: 'POST', path: '/blockchains', body: { chain_gid: GID } });
    await stack.ask(200, {
      method: 'PATCH',
      path: `/blockchains/${GID}/toy`,
      body: { endpoint_url: node.url },
    });
    await stack.ask(200, { method: 'POST', path: `/blockchains/${GID}/actions/activate` });
    await stack.ask(201, {
      method: 'POST',
      path: '/addresses/external',
      body: {
        value: ADDRESS.toUpperCase(),
        chain_family: 'toy',
      },
    });

    const hash = node.pay(ADDRESS, 500);
    node.mine();
    await stack.waitForEvents('transaction.detected');
    node.mine();
    await stack.waitForEvents('transaction.confirmed', 'balance.changed');
    const ofPayment = [...stack.receiver.events.values()].filter((event) => event.transactionHash === hash);
    expect(ofPayment.map(({ type }) => type)).toEqual(['transaction.detected', 'transaction.confirmed']);

    const records = await stack.project.listAll<TransactionRecord>('/transactions');
    expect(records).toMatchObject([
      { hash, direction: 'in', transfers: [{ type: 'native', to: ADDRESS, amount_raw: '500' }] },
    ]);
    // What was paid before it was watched counts as well.
    const balances = await stack.ask(200, { method: 'GET', path: `/addresses/${ADDRESS}/balances` });
    expect(balances).toEqual({ [`${GID}/slip44:1`]: '5.03' });
  }, 120_000);
});
