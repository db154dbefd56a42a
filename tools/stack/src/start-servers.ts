import { existsSync, mkdirSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { stateDir } from '../repo.mjs';
import { isReachable, sharedDir } from './postgres-binaries.ts';
import { preparePostgres } from './postgres-server.ts';
import { ensureDatabase } from './prepare-database.ts';
import { acceptsConnections, answersRpc, answersSql, anvilSpec, natsSpec, redisSpec, setStateAside } from './server-specs.ts';
import { loadSecrets } from './stack-file.ts';
import type { Ports } from './ports.ts';
import type { StackOptions } from './stack.ts';
import type { Supervisor } from './supervisor.ts';

export interface ServerUrls {
  readonly databaseUrl: string;
  readonly natsUrl: string;
  readonly redisUrl: string;
  /** Undefined with --no-devnet. */
  readonly anvilUrl?: string;
}

/** Starts the servers that nobody else provides, all at once. @throws SetupError */
export async function startServers(supervisor: Supervisor, options: StackOptions, ports: Ports): Promise<ServerUrls> {
  mkdirSync(stateDir, { recursive: true });
  const [databaseUrl, natsUrl, redisUrl, anvilUrl] = await Promise.all([
    process.env.DATABASE_URL || startPostgres(supervisor, ports.postgres),
    process.env.NATS_URL || startNats(supervisor, options.natsServer, ports.nats),
    process.env.REDIS_URL || startRedis(supervisor, options.redisServer, ports.redis),
    options.hasDevnet ? startAnvil(supervisor, ports.anvil) : undefined,
  ]);
  return { databaseUrl, natsUrl, redisUrl, anvilUrl };
}

async function startPostgres(supervisor: Supervisor, port: number): Promise<string> {
  const { spec, url } = await preparePostgres({ port, dataDir: await choosePostgresDir(), password: loadSecrets().postgres_password });
  // Recovery after an unclean stop may take a while.
  await supervisor.start(spec, { isReady: () => answersSql(url), timeoutMs: 120_000 });
  return ensureDatabase(url, 'chainwatch');
}

/** PostgreSQL started by root runs as another user, who may not get through to a clone in a private folder. */
async function choosePostgresDir(): Promise<string> {
  const own = join(stateDir, 'postgres');
  if (process.getuid?.() !== 0 || (await isReachable(stateDir))) return own;
  // Named after the password it was made with: a state folder that was deleted and made anew does not meet the old data.
  const clone = createHash('sha256').update(loadSecrets().postgres_password).digest('hex').slice(0, 12);
  return existsSync(join(own, 'PG_VERSION')) ? own : join(sharedDir, `data-${clone}`);
}

async function startNats(supervisor: Supervisor, command: string | undefined, port: number): Promise<string> {
  await supervisor.start(natsSpec(command!, port, join(stateDir, 'nats')), { isReady: () => acceptsConnections(port) });
  return `nats://127.0.0.1:${port}`;
}

async function startRedis(supervisor: Supervisor, command: string | undefined, port: number): Promise<string> {
  await supervisor.start(redisSpec(command!, port), { isReady: () => acceptsConnections(port) });
  return `redis://127.0.0.1:${port}`;
}

async function startAnvil(supervisor: Supervisor, port: number): Promise<string> {
  const url = `http://127.0.0.1:${port}`;
  const stateFile = join(stateDir, 'anvil-state.json');
  const start = (): Promise<void> => supervisor.start(anvilSpec(port, stateFile), { isReady: () => answersRpc(url) });
  await start().catch(async (error: unknown) => {
    if (!setStateAside(stateFile)) throw error;
    await start();
  });
  return url;
}
