import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { FsTree, flushChanges, type FileChange } from 'nx/src/generators/tree';
import { repoDir } from '@chainwatch/host';
import { startNats, startRedis, waitFor } from '@chainwatch/testing';
import { startPostgres } from '@chainwatch/testing-stack';
import type { Bootstrap } from '../../../db/src/bootstrap.ts';
import { Project } from '../project.ts';
import { Receiver } from '../receiver.ts';
import { ScratchRepository } from '../scratch-repository.ts';
import { ScratchServices } from '../scratch-services.ts';
import { freePort } from '../services.ts';
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
const run = promisify(execFile);
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
  scratch.addText(`${LIBRARY}/package.json`, `,\n    "undici": "*",\n    "zod": "*"`, '\n  },\n  "nx"');
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
  await runJest(['src/contract.spec', '-t', 'a client of toy'], env);
  expect(await runJest(['libs/chain-registry', '-t', 'toy|as an address'])).toBeGreaterThan(50);
}, 180_000);

/** How many tests passed. @throws with what they wrote where one failed */
async function runJest(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<number> {
  const options = [
    '--experimental-vm-modules',
    'node_modules/jest/bin/jest.js',
    '--json',
    '--outputFile=jest.json',
  ];
  await run(process.execPath, [...options, ...args], {
    cwd: scratch.dir,
    env: { ...process.env, NODE_OPTIONS: '', ...env },
    maxBuffer: 64 * 1_024 * 1_024,
  }).catch(({ stdout, stderr }: { stdout: string; stderr: string }) => {
    throw new Error(`expected every test to pass:\n${stderr}${stdout}`);
  });
  const { numPassedTests } = JSON.parse(readFileSync(join(scratch.dir, 'jest.json'), 'utf8')) as {
    numPassedTests: number;
  };
  return numPassedTests;
}

describe('an address of it', () => {
  const receiver = new Receiver();
  const stops: (() => Promise<unknown>)[] = [];
  let services: ScratchServices;
  let project: Project;

  beforeAll(async () => {
    const [postgres, nats, redis] = await Promise.all([
      startPostgres(),
      startNats(),
      startRedis(),
      receiver.start(),
    ]);
    stops.push(postgres.stop, nats.stop, redis.stop, () => receiver.stop());
    const port = await freePort();
    const env = {
      DATABASE_URL: postgres.url,
      NATS_URL: nats.url,
      REDIS_URL: redis.url,
      PORT: String(port),
      SECRETS_KEYS: `test:${randomBytes(32).toString('base64')}`,
      OUTBOUND_ALLOW: '127.0.0.0/8',
      WEBHOOK_ALLOW_HTTP: 'true',
      LOG_LEVEL: 'warn',
    };
    services = new ScratchServices(scratch.dir, env);
    const apps = ['api-gateway', 'block-ingestor-toy', 'tx-analyzer', 'balance-service', 'notifier'];
    const [made] = await Promise.all([makeProject(env), ...apps.map((app) => services.start(app))]);
    project = new Project(made.projectId, `http://127.0.0.1:${port}/v1`, made.keys.api);
    const channel = await ask<{ webhook_secret: string }>(201, 'POST', '/notification_channels/webhook', {
      name: 'toy',
      url: receiver.url,
      event_types: ['transaction.detected', 'transaction.confirmed', 'balance.changed'],
    });
    receiver.secrets.set(made.projectId, channel.webhook_secret);
  }, 180_000);

  afterAll(async () => {
    await services?.stop();
    await Promise.all(stops.map((stop) => stop()));
  }, 60_000);

  /** The scratch repository's: a key may change the family's chains. */
  async function makeProject(env: Readonly<Record<string, string>>): Promise<Bootstrap> {
    const { stdout } = await run(process.execPath, ['--import', 'tsx', 'tools/db/src/bootstrap.ts'], {
      cwd: scratch.dir,
      env: { ...process.env, NODE_OPTIONS: '', ...env },
    });
    return JSON.parse(stdout) as Bootstrap;
  }

  async function ask<T>(status: number, method: string, path: string, body?: object): Promise<T> {
    const answer = await project.request(method, path, body);
    expect([method, path, answer.status, answer.body]).toEqual([method, path, status, answer.body]);
    return answer.body as T;
  }

  it('is told of a payment, and has its balance', async () => {
    // An address counts from the head on, that block included: it holds none of the earlier payments.
    node.mine();
    await ask(201, 'POST', '/blockchains', { chain_gid: GID });
    await ask(200, 'PATCH', `/blockchains/${GID}/toy`, { endpoint_url: node.url });
    await ask(200, 'POST', `/blockchains/${GID}/actions/activate`);
    await ask(201, 'POST', '/addresses/external', { value: ADDRESS.toUpperCase(), chain_family: 'toy' });

    const hash = node.pay(ADDRESS, 500);
    node.mine();
    const listTold = () => [...receiver.events.values()].map(({ type }) => type);
    await waitFor(() => listTold().includes('transaction.detected'), describeWait());
    node.mine();
    await waitFor(() => listTold().includes('transaction.confirmed'), describeWait());
    await waitFor(() => listTold().includes('balance.changed'), describeWait());
    expect(receiver.faults).toEqual([]);
    const ofPayment = [...receiver.events.values()].filter((event) => event.transactionHash === hash);
    expect(ofPayment.map(({ type }) => type)).toEqual(['transaction.detected', 'transaction.confirmed']);

    const records = await project.listAll<TransactionRecord>('/transactions');
    expect(records).toMatchObject([
      { hash, direction: 'in', transfers: [{ type: 'native', to: ADDRESS, amount_raw: '500' }] },
    ]);
    // What was paid before it was watched counts as well.
    const balances = await ask(200, 'GET', `/addresses/${ADDRESS}/balances`);
    expect(balances).toEqual({ [`${GID}/slip44:1`]: '5.03' });
  }, 120_000);

  function describeWait() {
    return {
      timeoutMs: 60_000,
      message: () =>
        `events, got ${JSON.stringify([...receiver.events.values()])} ${services.output.join('')}`,
    };
  }
});
