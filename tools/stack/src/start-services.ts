import { SetupError } from '../setup-error.mjs';
import { createApiClient } from './api-client.ts';
import { configureChain } from './configure-chain.ts';
import { prepareDatabase } from './prepare-database.ts';
import { answersHttp } from './server-specs.ts';
import { listServices } from './service-specs.ts';
import { findStackFile, loadSecrets, writeStackFile, type StackFile } from './stack-file.ts';
import type { Ports } from './ports.ts';
import type { ServerUrls } from './start-servers.ts';
import type { StackOptions } from './stack.ts';
import type { Supervisor } from './supervisor.ts';

const LOCAL_CHAIN = 'eip155:31337';

/** Migrates, starts every service, configures the local chain and writes stack.json. @throws SetupError */
export async function startServices(supervisor: Supervisor, options: StackOptions, ports: Ports, servers: ServerUrls): Promise<StackFile> {
  const keys = await prepareDatabase(servers.databaseUrl, findStackFile()?.keys).catch((error: unknown) => {
    throw new SetupError(`The database could not be prepared: ${error instanceof Error ? error.message : String(error)}`);
  });
  const services = listServices(options.distDir, ports, options.portOffset, { ...servers, secretsKeys: process.env.SECRETS_KEYS || loadSecrets().secrets_keys });
  const stack: StackFile = {
    api_url: `http://127.0.0.1:${ports['api-gateway']}/v1`,
    rpc_url: `http://127.0.0.1:${ports['rpc-proxy']}`,
    keys,
    nats_url: servers.natsUrl,
    database_url: servers.databaseUrl,
    redis_url: servers.redisUrl,
    chains: servers.anvilUrl ? { [LOCAL_CHAIN]: { endpoint_url: servers.anvilUrl } } : {},
  };
  // Before the services are up: a key that was made once must not get lost when one of them fails.
  writeStackFile(stack);
  await Promise.all(services.map((service) => supervisor.start(service, { isReady: () => answersHttp(`http://127.0.0.1:${service.healthPort}/readyz`) })));
  if (servers.anvilUrl) {
    await configureChain(createApiClient(stack.api_url, keys.api), LOCAL_CHAIN, 'evm', servers.anvilUrl).catch((error: unknown) => {
      throw new SetupError(`The local chain could not be set up through the API: ${error instanceof Error ? error.message : String(error)}`);
    });
  }
  return stack;
}
