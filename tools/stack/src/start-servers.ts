import { existsSync, mkdirSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { isReachable, preparePostgres, sharedDir, stateDir } from '@chainwatch/host';
import { BITCOIN_CHAIN, EVM_CHAIN, SOLANA_CHAIN, TRON_CHAIN } from './local-chains.ts';
import { startMining } from './start-mining.ts';
import { ensureDatabase } from './prepare-database.ts';
import {
  acceptsConnections,
  answersRpc,
  answersSql,
  anvilSpec,
  bitcoinSpec,
  natsSpec,
  redisSpec,
  setStateAside,
  solanaSpec,
  tronAnvilSpec,
  tronSpec,
} from './server-specs.ts';
import { loadSecrets } from './stack-file.ts';
import type { Ports } from './ports.ts';
import type { StackOptions } from './stack-options.ts';
import type { Supervisor } from './supervisor.ts';

export interface ServerUrls {
  readonly databaseUrl: string;
  readonly natsUrl: string;
  readonly redisUrl: string;
  /** The nodes of the local chains by their gid; empty with --no-devnet. */
  readonly nodeUrls: Readonly<Record<string, NodeUrls>>;
}

/** As the API takes them. */
export interface NodeUrls {
  readonly endpoint_url: string;
  readonly evm_endpoint_url?: string;
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
    options.hasDevnet ? startNodes(supervisor, options, ports) : {},
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

async function startNats(
  supervisor: Supervisor,
  command: string | undefined,
  { nats: port, 'nats monitoring': monitoringPort }: Ports,
): Promise<string> {
  await supervisor.start(natsSpec(command!, port, monitoringPort, join(stateDir, 'nats')), {
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

async function startNodes(
  supervisor: Supervisor,
  options: StackOptions,
  ports: Ports,
): Promise<Record<string, NodeUrls>> {
  const [evm, bitcoin, solana, tron] = await Promise.all([
    startAnvil(supervisor, ports.anvil),
    process.env.CHAINWATCH_DEVNET_BITCOIN_URL || startBitcoin(supervisor, ports.bitcoin),
    process.env.CHAINWATCH_DEVNET_SOLANA_URL || startSolana(supervisor, options.distDir, ports.solana),
    startTron(supervisor, options.distDir, ports),
  ]);
  await startMining(bitcoin);
  return {
    [EVM_CHAIN]: { endpoint_url: evm },
    [BITCOIN_CHAIN]: { endpoint_url: bitcoin },
    [SOLANA_CHAIN]: { endpoint_url: solana },
    [TRON_CHAIN]: tron,
  };
}

async function startTron(supervisor: Supervisor, distDir: string, ports: Ports): Promise<NodeUrls> {
  const url = `http://127.0.0.1:${ports.tron}`;
  const anvilUrl = `http://127.0.0.1:${ports['tron anvil']}`;
  const journal = join(stateDir, 'tron-blocks.ndjson');
  await supervisor.start(tronAnvilSpec(ports['tron anvil']), { isReady: () => answersRpc(anvilUrl) });
  await startAnew(journal, () =>
    supervisor.start(tronSpec(distDir, ports.tron, anvilUrl, journal), {
      isReady: () => acceptsConnections(ports.tron),
      timeoutMs: 60_000,
    }),
  );
  return { endpoint_url: url, evm_endpoint_url: `${url}/jsonrpc` };
}

async function startAnvil(supervisor: Supervisor, port: number): Promise<string> {
  const url = `http://127.0.0.1:${port}`;
  const stateFile = join(stateDir, 'anvil-state.json');
  await startAnew(stateFile, () =>
    supervisor.start(anvilSpec(port, stateFile), { isReady: () => answersRpc(url) }),
  );
  return url;
}

async function startBitcoin(supervisor: Supervisor, port: number): Promise<string> {
  const dataDir = join(stateDir, 'bitcoin');
  const { url, ...spec } = bitcoinSpec(port, dataDir);
  await startAnew(dataDir, () => supervisor.start(spec, { isReady: () => acceptsConnections(port) }));
  return url;
}

async function startSolana(supervisor: Supervisor, distDir: string, port: number): Promise<string> {
  const stateFile = join(stateDir, 'solana-state');
  await startAnew(stateFile, () =>
    supervisor.start(solanaSpec(distDir, port, stateFile), { isReady: () => acceptsConnections(port) }),
  );
  return `http://127.0.0.1:${port}`;
}

async function startAnew(statePath: string, start: () => Promise<void>): Promise<void> {
  await start().catch(async (error: unknown) => {
    if (!setStateAside(statePath)) throw error;
    await start();
  });
}
