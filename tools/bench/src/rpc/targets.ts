// SPDX-License-Identifier: Apache-2.0
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createDatabase } from '@chainwatch/data/db';
import { findExecutable } from '@chainwatch/testing/host';
import { findFreePort, killWithParent, startNats, startRedis, waitFor } from '@chainwatch/testing';
import { startPostgres } from '@chainwatch/data/testing';
import { bundleServices } from '../../../stack/bundle.mjs';
import { bootstrap } from '../../../db/src/bootstrap.ts';

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Something that listens, on a core of its own. */
export interface Target {
  readonly name: string;
  readonly port: number;
  readonly path: string;
  /** Seconds of processor time of all its processes. */
  cpuSeconds(): number;
  rssBytes(): number;
  readonly child: ChildProcess;
  stop(): void;
}

export interface BenchNode extends Target {
  control(state: Record<string, unknown>): Promise<{ seen: number; writes: string[] }>;
}

const epoch = Date.now();

export async function startNode(core = '0', port?: number): Promise<BenchNode> {
  const chosen = port ?? (await findFreePort());
  const target = await spawnTarget('node', {
    core,
    port: chosen,
    path: '/',
    command: process.execPath,
    args: [here('node.mjs'), String(chosen), String(epoch)],
  });
  return {
    ...target,
    control: async (state) =>
      (
        await fetch(`http://127.0.0.1:${chosen}/control`, { method: 'POST', body: JSON.stringify(state) })
      ).json() as Promise<{ seen: number; writes: string[] }>,
  };
}

export async function startPlainProxy(core: string, nodePort: number): Promise<Target> {
  const port = await findFreePort();
  return spawnTarget('plain Node proxy', {
    core,
    port,
    path: '/',
    command: process.execPath,
    args: [here('plain-proxy.mjs'), String(port), String(nodePort)],
  });
}

export async function startNginx(core: string, nodePort: number): Promise<Target> {
  const port = await findFreePort();
  const dir = mkdtempSync(join(tmpdir(), 'chainwatch-nginx-'));
  mkdirSync(join(dir, 'logs'));
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${dir}/${name};`)
    .join(' ');
  writeFileSync(
    join(dir, 'nginx.conf'),
    `daemon off; worker_processes 1; pid ${dir}/pid; error_log ${dir}/error.log; events { worker_connections 4096; }
     http { access_log off; ${temp} upstream node { server 127.0.0.1:${nodePort}; keepalive 256; keepalive_requests 100000000; }
       server { listen 127.0.0.1:${port} backlog=4096; keepalive_requests 100000000; location / { proxy_pass http://node/; proxy_http_version 1.1; proxy_set_header Connection ""; } } }`,
  );
  // Debian's is where not every PATH leads; find-missing.ts has looked for it.
  const program = findExecutable('nginx', process.env) ?? 'nginx';
  return spawnTarget('nginx', {
    core,
    port,
    path: '/',
    command: program,
    args: ['-p', dir, '-c', join(dir, 'nginx.conf')],
  });
}

export interface Gateway extends Target {
  readonly key: string;
  /** Of another workspace. */
  readonly otherKey: string;
  stopAll(): Promise<void>;
}

/** The service as it runs in production: a bundle, with PostgreSQL, NATS and Redis. */
export async function startGateway(
  core: string,
  nodes: readonly Target[],
  env: Readonly<Record<string, string>> = {},
): Promise<Gateway> {
  const [postgres, nats, redis, port] = await Promise.all([
    startPostgres(),
    startNats(),
    startRedis(),
    findFreePort(),
  ]);
  const db = createDatabase({ url: postgres.url, applicationName: 'bench', poolSize: 1 });
  const { keys } = await bootstrap(db, { label: 'svc' });
  const other = await bootstrap(db, { label: 'svc', workspaceName: 'Other' });
  await db.close();
  const entry = join(await bundleServices(), 'rpc-proxy.mjs');
  const target = await spawnTarget('gateway', {
    core,
    port,
    path: '/ethereum',
    command: process.execPath,
    args: [...(process.env.BENCH_NODE_ARGS?.split(' ') ?? []), entry],
    env: {
      DATABASE_URL: postgres.url,
      NATS_URL: nats.url,
      REDIS_URL: redis.url,
      PORT: String(port),
      HOST: '127.0.0.1',
      SECRETS_KEYS: `bench:${randomBytes(32).toString('base64')}`,
      OUTBOUND_ALLOW: '127.0.0.0/8',
      RATE_LIMIT_RPC: '1000000000',
      LOG_LEVEL: 'error',
      NODE_ENV: 'production',
      RPC_CHAINS: JSON.stringify({
        'eip155:1': { upstreams: nodes.map((node) => ({ url: `http://127.0.0.1:${node.port}/` })) },
      }),
      ...env,
    },
  });
  await waitFor(
    async () =>
      (await fetch(`http://127.0.0.1:${port}/`).then((res) => res.text())).includes('"status":"healthy"'),
    { timeoutMs: 60_000 },
  );
  return {
    ...target,
    key: keys.rpc,
    otherKey: other.keys.rpc,
    async stopAll() {
      target.stop();
      await Promise.all([nats.stop(), redis.stop(), postgres.stop()]);
    },
  };
}

async function spawnTarget(
  name: string,
  {
    core,
    port,
    path,
    command,
    args,
    env = {},
  }: {
    readonly core: string;
    readonly port: number;
    readonly path: string;
    readonly command: string;
    readonly args: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
  },
): Promise<Target> {
  const child = spawn('taskset', ['-c', core, command, ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '', ...env },
  });
  killWithParent(child.pid!, 'KILL');
  await waitFor(() => fetch(`http://127.0.0.1:${port}/`).then(() => true), {
    timeoutMs: 60_000,
    message: `${name} on port ${port}`,
  });
  return {
    name,
    port,
    path,
    child,
    cpuSeconds: () => familyOf(child.pid!).reduce((total, pid) => total + readCpu(pid), 0),
    rssBytes: () => readRss(child.pid!),
    // nginx ends its workers itself.
    stop: () => void child.kill(name === 'nginx' ? 'SIGTERM' : 'SIGKILL'),
  };
}

function familyOf(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
  );
  return [pid, ...children.flatMap(familyOf)];
}

/** Nanoseconds where the kernel tells them, which ticks of 10 ms do not. */
function readCpu(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).reduce(
    (total, task) =>
      total + Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]) / 1e9,
    0,
  );
}

function readRss(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1_024;
}
