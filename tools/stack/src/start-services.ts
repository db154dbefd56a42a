// SPDX-License-Identifier: Apache-2.0
import { SetupError } from '@chainwatch/testing/host';
import { createApiClient } from './api-client.ts';
import { configureChain } from './configure-chain.ts';
import { localNodes } from '../../devnet/local-nodes.ts';
import { prepareDatabase } from './prepare-database.ts';
import { answersHttp } from './server-specs.ts';
import { listServices } from './service-specs.ts';
import { findStackFile, loadSecrets, writeStackFile, type StackFile } from './stack-file.ts';
import type { Ports } from './ports.ts';
import type { ServerUrls } from './start-servers.ts';
import type { StackOptions } from './stack-options.ts';
import type { Supervisor } from './supervisor.ts';

/** Migrates, starts every service, configures the local chains and writes stack.json. @throws SetupError */
export async function startServices(
  supervisor: Supervisor,
  {
    options,
    ports,
    servers,
  }: { readonly options: StackOptions; readonly ports: Ports; readonly servers: ServerUrls },
): Promise<StackFile> {
  const keys = await prepareDatabase(servers.databaseUrl, findStackFile()?.keys).catch((error: unknown) => {
    throw new SetupError(
      `The database could not be prepared: ${error instanceof Error ? error.message : String(error)}`,
    );
  });
  const origin = `http://127.0.0.1:${ports['api-gateway']}`;
  const rpcUrl = `http://127.0.0.1:${ports['rpc-proxy']}`;
  const playgroundUrl = options.hasDevnet ? `http://127.0.0.1:${ports.playground}` : undefined;
  const services = listServices(options.distDir, options.portOffset, {
    ...servers,
    secretsKeys: process.env.SECRETS_KEYS || loadSecrets().secrets_keys,
    statementKey: process.env.STATEMENT_KEY || loadSecrets().statement_key,
    rpcUrl,
    playgroundUrl,
  });
  const stack: StackFile = {
    api_url: `${origin}/v1`,
    rpc_url: rpcUrl,
    dashboard_url: `${origin}/ui/`,
    docs_url: `${origin}/docs/`,
    playground_url: playgroundUrl,
    keys,
    nats_url: servers.natsUrl,
    database_url: servers.databaseUrl,
    redis_url: servers.redisUrl,
    chains: servers.nodeUrls,
  };
  // Before the services are up: a key that was made once must not get lost when one of them fails.
  writeStackFile(stack);
  await Promise.all(
    services.map((service) =>
      supervisor.start(service, {
        isReady: () => answersHttp(`http://127.0.0.1:${service.healthPort}/readyz`),
      }),
    ),
  );
  const api = createApiClient(stack.api_url, keys.api);
  const configured = localNodes.flatMap(({ gid, family }) => {
    const urls = servers.nodeUrls[gid];
    return urls === undefined ? [] : [configureChain(api, { chainGid: gid, family, urls })];
  });
  await Promise.all(configured).catch((error: unknown) => {
    throw new SetupError(
      `A local chain could not be set up through the API: ${error instanceof Error ? error.message : String(error)}`,
    );
  });
  return stack;
}
