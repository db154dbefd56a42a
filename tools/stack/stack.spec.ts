// SPDX-License-Identifier: Apache-2.0
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '@chainwatch/testing';
import { readLivePidFile } from './pid-files.mjs';
import { startOutside, type Outside } from './spec-outside.ts';
import { listPagesWithShell, runPage, type Reader } from './spec-page.ts';
import { repoDir } from '@chainwatch/testing/host';

// Below the ports that the system hands out, so that no other spec's server is there by chance.
const offset = 3_000 + Math.floor(Math.random() * 80) * 100;
const stateName = `.chainwatch/spec-${process.pid}`;
const stateDir = join(repoDir, stateName);
const runDir = join(stateDir, 'run');

interface StackJson {
  readonly api_url: string;
  readonly keys: { readonly api: string };
  readonly chains: Record<string, { endpoint_url: string }>;
}

const readStack = (): StackJson =>
  JSON.parse(readFileSync(join(stateDir, 'stack.json'), 'utf8')) as StackJson;
const getBlocks = async (): Promise<{ status: number; items: { number: number; status: string }[] }> => {
  const { api_url, keys } = readStack();
  const response = await fetch(`${api_url}/blocks`, { headers: { 'x-api-key': keys.api } });
  return {
    status: response.status,
    ...((await response.json()) as { items: { number: number; status: string }[] }),
  };
};

/** A folder like a clone whose stack is this one. */
function openReader(): Reader {
  const folder = join(stateDir, 'clone');
  mkdirSync(join(folder, '.chainwatch'), { recursive: true });
  copyFileSync(join(stateDir, 'stack.json'), join(folder, '.chainwatch/stack.json'));
  for (const name of ['package.json', 'node_modules', 'tools'])
    if (!existsSync(join(folder, name))) symlinkSync(join(repoDir, name), join(folder, name));
  const { api_url, chains } = readStack();
  return {
    folder,
    // npm asks nobody but this stack.
    env: { CHAINWATCH_STATE_DIR: stateName, npm_config_prefix: folder, npm_config_update_notifier: 'false' },
    instead: {
      ...outside.instead,
      'https://api.example.com': new URL(api_url).origin,
      'http://127.0.0.1:8545': chains['eip155:31337']!.endpoint_url,
    },
  };
}

/** The command, in the reader's folder. */
function runCommand(...args: string[]): { code: number | null; stdout: string; stderr: string } {
  const { folder } = openReader();
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(repoDir, 'apps/cli/chainwatch.mjs'), ...args],
    { cwd: folder, env: { PATH: process.env.PATH, HOME: folder }, encoding: 'utf8', timeout: 120_000 },
  );
  return { code: status, stdout, stderr };
}

/** Beside it the outside answers. */
async function run(script: string, ...args: string[]): Promise<{ code: number | null; output: string }> {
  const env = {
    ...process.env,
    ...outside.env,
    CHAINWATCH_STATE_DIR: stateName,
    NODE_OPTIONS: '',
    DATABASE_URL: '',
    NATS_URL: '',
    REDIS_URL: '',
  };
  const child = spawn(process.execPath, [join(repoDir, 'tools/stack', script), ...args], {
    ...{ env, timeout: 120_000 },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}
const start = () => run('start.mjs', '--detach', '--no-demo', '--port-offset', String(offset));

let outside: Outside;
beforeAll(async () => {
  outside = await startOutside();
});
afterAll(async () => {
  await run('stop.mjs');
  await outside.stop();
  rmSync(stateDir, { recursive: true, force: true });
});

describe('npm start -- --detach', () => {
  it('brings everything up, refuses a second start and survives SIGKILL of the supervisor', async () => {
    const first = await start();
    expect(first).toMatchObject({ code: 0, output: expect.stringContaining('Ready after') });
    expect(statSync(join(stateDir, 'stack.json')).mode & 0o077).toBe(0);
    const { keys, chains } = readStack();
    expect(Object.keys(chains)).toEqual([
      'eip155:31337',
      'bip122:0f9188f13cb7b2c71f2a335e3a4fc328',
      'solana:localnet',
      'tron:0x7a69',
    ]);
    const blocks = await waitFor(
      async () => (await getBlocks()).items.find(({ status }) => status === 'confirmed'),
      { message: 'a confirmed block' },
    );

    for (const gid of Object.keys(chains)) {
      const { code, stdout, stderr } = runCommand(
        'trigger',
        'transaction.detected',
        '--chain',
        gid,
        '--json',
      );
      expect([gid, code, stderr]).toEqual([gid, 0, expect.stringContaining(` on ${gid} in `)]);
      const [, hash] = / in (\w{60,})$/.exec(stderr.trim())!;
      expect(JSON.parse(stdout)).toMatchObject({
        type: 'transaction.detected',
        data: { transaction: { hash, chain_gid: gid } },
      });
    }

    expect(await start()).toMatchObject({ code: 1, output: expect.stringContaining('is running already') });

    process.kill(readLivePidFile(runDir, 'supervisor')!.pid, 'SIGKILL');
    expect(await start()).toMatchObject({ code: 0, output: expect.stringContaining('Ready after') });
    expect(readStack().keys).toEqual(keys);
    // A connection to the gateway of before may still be in the pool.
    const known = await waitFor(() => getBlocks().catch(() => undefined));
    expect(known.status).toBe(200);
    expect(known.items[0]!.number).toBeGreaterThanOrEqual(blocks.number);
  });

  // Page after page as they are sorted: some use a channel that one before has made.
  it.each(listPagesWithShell())('does what %s says, typed as it stands', async (page) => {
    const output = await runPage(page, openReader());
    expect(output).not.toMatch(
      /problems\/|^✗|: command not found|: unbound variable|npm error|curl: |Error: /m,
    );
  });

  it('sends to whom the pages name', async () => {
    await waitFor(() => outside.paths.some((path) => path.startsWith('/services/')), {
      message: 'the test message of the treasury at its chat service',
    });
    expect(outside.mails.flatMap(({ to }) => to)).toContain('finance@example.com');
  });

  it('stops without a rest', async () => {
    const processes = [
      'postgres',
      'nats',
      'redis',
      'anvil',
      'bitcoin',
      'solana',
      'tron',
      'tron-anvil',
      'tx-analyzer',
      'notifier',
    ].map((name) => readLivePidFile(runDir, name)!);
    expect(await run('stop.mjs')).toMatchObject({ code: 0, output: expect.stringContaining('Stopped.') });
    expect(processes.filter(({ pid }) => existsSync(`/proc/${pid}`))).toEqual([]);
    expect((await run('stop.mjs')).output).toContain('Nothing is running.');
  });
});
