// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { services } from '../services.mjs';
import { type ProcessSpec, readCommit } from '@chainwatch/testing/host';
import { healthPort } from './ports.ts';

export interface ServiceEnvironment {
  readonly databaseUrl: string;
  readonly natsUrl: string;
  readonly redisUrl: string;
  readonly secretsKeys: string;
  readonly statementKey: string;
  /** What the dashboard calls. */
  readonly rpcUrl: string;
  readonly playgroundUrl: string | undefined;
}

export interface ServiceSpec extends ProcessSpec {
  readonly healthPort: number;
}

/** Every service of the bundle, configured for this machine: loopback is allowed for nodes and webhooks, plain http too. */
export function listServices(
  distDir: string,
  portOffset: number,
  environment: ServiceEnvironment,
): ServiceSpec[] {
  const commit = readCommit();
  const gateway = services.find(({ name }) => name === 'api-gateway')!;
  const gatewayUrl = `http://127.0.0.1:${gateway.localPort! + portOffset}`;
  return services.map(({ name, localPort }, index) => {
    const entry = join(distDir, `${name}.mjs`);
    const health = healthPort(portOffset, index);
    return {
      name,
      command: process.execPath,
      args: ['--enable-source-maps', entry],
      identity: entry,
      healthPort: health,
      env: {
        NODE_ENV: 'production',
        BUILD_COMMIT: process.env.BUILD_COMMIT ?? commit,
        NODE_OPTIONS: '',
        DATABASE_URL: environment.databaseUrl,
        NATS_URL: environment.natsUrl,
        REDIS_URL: environment.redisUrl,
        SECRETS_KEYS: environment.secretsKeys,
        NAMESPACE_LABEL: process.env.NAMESPACE_LABEL ?? 'svc',
        OUTBOUND_ALLOW: process.env.OUTBOUND_ALLOW ?? '127.0.0.0/8,::1/128',
        WEBHOOK_ALLOW_HTTP: process.env.WEBHOOK_ALLOW_HTTP ?? 'true',
        // The types of problems lead to their pages.
        DOCS_URL: process.env.DOCS_URL ?? `${gatewayUrl}/docs`,
        API_HOST: process.env.API_HOST ?? gatewayUrl,
        LOG_LEVEL: process.env.LOG_LEVEL ?? 'info',
        // Nobody balances load here: Ctrl-C is quick.
        DRAIN_DELAY: process.env.DRAIN_DELAY ?? '0s',
        HOST: '127.0.0.1',
        HEALTH_PORT: String(health),
        ...(name === 'api-gateway' && {
          RPC_URL: environment.rpcUrl,
          STATEMENT_KEY: environment.statementKey,
          ...(environment.playgroundUrl !== undefined && { PLAYGROUND_URL: environment.playgroundUrl }),
        }),
        ...(name === 'rpc-proxy' && {
          CORS_ORIGINS: process.env.CORS_ORIGINS ?? gatewayUrl,
        }),
        ...(localPort === undefined ? {} : { PORT: String(localPort + portOffset) }),
      },
    };
  });
}
