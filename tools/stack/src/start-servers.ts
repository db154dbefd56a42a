// SPDX-License-Identifier: Apache-2.0
import { existsSync, mkdirSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { isReachable, preparePostgres, SHARED_DIR, stateDir } from '@chainwatch/testing/host';
import { acceptsConnections } from '../../devnet/is-ready.ts';
import type { NodeUrls } from '../../devnet/local-node.ts';
import { localNodes } from '../../devnet/local-nodes.ts';
import { ensureDatabase } from './prepare-database.ts';
import { answersSql, natsSpec, redisSpec } from './server-specs.ts';
import { loadSecrets } from './stack-file.ts';
import { addOffset, findNodeUrl, type Ports } from './ports.ts';
import type { StackOptions } from './stack-options.ts';
import type { Supervisor } from './supervisor.ts';

export interface ServerUrls {
  readonly databaseUrl: string;
  readonly natsUrl: string;
  readonly redisUrl: string;
  /** The nodes of the local chains by their gid; empty with --no-devnet. */
  readonly nodeUrls: Readonly<Record<string, NodeUrls>>;
}

/** Starts the servers that nobody else provides, all at once. @throws SetupError */
export async function startServers(
  supervisor: Supervisor,
  options: StackOptions,
  ports: Ports,
): Promise<ServerUrls> {
  mkdirSync(stateDir, { recursive: true });
  const [databaseUrl, natsUrl, redisUrl, nodeUrls] = await Promise.all([
    process.env.DATABASE_URL || startPostgres(supervisor, ports.postgres),
    process.env.NATS_URL || startNats(supervisor, options.natsServer, ports),
    process.env.REDIS_URL || startRedis(supervisor, options.redisServer, ports.redis),
    options.hasDevnet ? startNodes(supervisor, options) : {},
  ]);
  return { databaseUrl, natsUrl, redisUrl, nodeUrls };
}

async function startPostgres(supervisor: Supervisor, port: number): Promise<string> {
  const { spec, url } = await preparePostgres({
    port,
    dataDir: await choosePostgresDir(),
    password: loadSecrets().postgres_password,
  });
  // Recovery after an unclean stop may take a while.
  await supervisor.start(spec, { isReady: () => answersSql(url) });
  return ensureDatabase(url, 'chainwatch');
}

/** PostgreSQL started by root runs as another user, who may not get through to a clone in a private folder. */
async function choosePostgresDir(): Promise<string> {
  const own = join(stateDir, 'postgres');
  if (process.getuid?.() !== 0 || (await isReachable(stateDir))) return own;
  // Named after the password it was made with: a state folder that was deleted and made anew does not meet the old data.
  const clone = createHash('sha256').update(loadSecrets().postgres_password).digest('hex').slice(0, 12);
  return existsSync(join(own, 'PG_VERSION')) ? own : join(SHARED_DIR, `data-${clone}`);
}

async function startNats(
  supervisor: Supervisor,
  command: string | undefined,
  { nats: port, 'nats monitoring': monitoringPort }: Ports,
): Promise<string> {
  await supervisor.start(natsSpec(command!, { port, monitoringPort, storeDir: join(stateDir, 'nats') }), {
    isReady: () => acceptsConnections(port),
  });
  return `nats://127.0.0.1:${port}`;
}

async function startRedis(
  supervisor: Supervisor,
  command: string | undefined,
  port: number,
): Promise<string> {
  await supervisor.start(redisSpec(command!, port), { isReady: () => acceptsConnections(port) });
  return `redis://127.0.0.1:${port}`;
}

/** Of every local chain. */
async function startNodes(
  supervisor: Supervisor,
  { portOffset, distDir }: StackOptions,
): Promise<Record<string, NodeUrls>> {
  const started = localNodes.map(async (node): Promise<[string, NodeUrls]> => {
    const url = findNodeUrl(node);
    const urls =
      url === undefined
        ? await node.start({
            ports: addOffset(node.ports, portOffset),
            stateDir,
            distDir,
            startProcess: (spec, options) => supervisor.start(spec, options),
          })
        : { endpoint_url: url };
    await node.prepare?.(urls);
    return [node.gid, urls];
  });
  return Object.fromEntries(await Promise.all(started));
}
