// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { generateApiKey, hashApiKey, maskApiKey } from '@chainwatch/common/api-key';
import { createDatabase, type Database } from '@chainwatch/data/db';
import { startNats, startRedis, waitFor } from '@chainwatch/testing';
import { startPostgres } from '@chainwatch/data/testing';
import { bootstrap, type Bootstrap } from '../../../db/src/bootstrap.ts';
import { Services, freePort, type ServiceName } from '../services.ts';

type Gateway = Extract<ServiceName, 'api-gateway' | 'rpc-proxy'>;

/** A node of a chain: the heavier of two is taken before the other. */
export interface Upstream {
  readonly url: string;
  readonly weight?: number;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** The gateways of the production bundle on one PostgreSQL, NATS and Redis, and two workspaces that know nothing of each other. */
export class TenantsStack {
  services!: Services;
  db!: Database;
  /** The first workspace, which is the operator's. */
  victim!: Bootstrap;
  attacker!: Bootstrap;
  readonly ports = {} as Record<Gateway, number>;
  #stops: (() => Promise<void>)[] = [];

  get rpcUrl(): string {
    return `http://127.0.0.1:${this.ports['rpc-proxy']}`;
  }

  get apiUrl(): string {
    return `http://127.0.0.1:${this.ports['api-gateway']}/v1`;
  }

  async start(
    names: readonly Gateway[],
    chains: Readonly<Record<string, readonly Upstream[]>> = {},
    env: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const [postgres, nats, redis] = await Promise.all([startPostgres(), startNats(), startRedis()]);
    this.#stops = [nats, redis, postgres].map((server) => () => server.stop());
    this.db = createDatabase({ url: postgres.url, applicationName: 'acceptance', poolSize: 2 });
    this.victim = await bootstrap(this.db, { label: 'svc', workspaceName: 'Victim' });
    this.attacker = await bootstrap(this.db, { label: 'svc', workspaceName: 'Attacker' });
    this.services = new Services({
      ...postgres.serviceEnv,
      NATS_URL: nats.url,
      REDIS_URL: redis.url,
      SECRETS_KEYS: `test:${randomBytes(32).toString('base64')}`,
      OUTBOUND_ALLOW: '127.0.0.0/8',
      LOG_LEVEL: 'warn',
      RATE_LIMIT_API: '1000000',
      RATE_LIMIT_RPC: '1000000',
      RATE_LIMIT_MANAGEMENT: '1000000',
      RATE_LIMIT_PUBLIC: '1000000',
      RPC_CHAINS: JSON.stringify(
        Object.fromEntries(
          Object.entries(chains).map(([gid, upstreams]) => [
            gid,
            { upstreams: upstreams.map(({ url, weight = 1 }) => ({ url, weight })) },
          ]),
        ),
      ),
      ...env,
    });
    for (const name of names) {
      this.ports[name] = await freePort();
      await this.services.start([name], { PORT: String(this.ports[name]) });
    }
    for (const gid of Object.keys(chains)) await this.waitServing(gid);
  }

  async stop(): Promise<void> {
    await this.services?.stop();
    await this.db?.close();
    for (const stop of this.#stops) await stop();
  }

  /** Resolves when every node of the chain is in service; or what `isServing` says of them, in their order, is true. */
  async waitServing(
    gid: string,
    isServing: (serving: readonly boolean[]) => boolean = (serving) =>
      serving.length > 0 && serving.every(Boolean),
  ): Promise<void> {
    let checks: unknown;
    await waitFor(
      async () => {
        checks = (await this.services.readiness('rpc-proxy')).checks[gid];
        return isServing(
          ((checks as { upstreams?: { serving: boolean }[] }).upstreams ?? []).map(({ serving }) => serving),
        );
      },
      { message: () => `the nodes of ${gid}: ${JSON.stringify(checks)}` },
    );
  }

  /** A call to the RPC gateway. */
  async call(
    body: string | Buffer,
    { key = this.victim.keys.rpc, chain = 'eip155:1', headers = {} as Readonly<Record<string, string>> } = {},
  ): Promise<Answer> {
    const response = await fetch(`${this.rpcUrl}/${chain}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', 'x-api-key': key, ...headers },
    });
    return { status: response.status, text: await response.text() };
  }

  /** A further rpc key of a workspace. */
  async makeKey({ workspaceId }: Bootstrap): Promise<string> {
    const key = generateApiKey({ label: 'svc', type: 'rpc', randomBytes });
    await this.db.query(
      'INSERT INTO api_keys (type, workspace_id, name, mask, key_hash, permissions) VALUES ($1, $2, $3, $4, $5, $6)',
      [
        'rpc',
        workspaceId,
        'further',
        maskApiKey(key),
        Buffer.from(hashApiKey(key)),
        ['rpc:evm:read', 'rpc:solana:read'],
      ],
    );
    return key;
  }

  /** How many calls were answered by what others had asked; written every two seconds. */
  async countShared(): Promise<number> {
    return (
      await this.db.query<{ cached: number }>('SELECT coalesce(sum(cached), 0)::int AS cached FROM rpc_usage')
    ).rows[0]!.cached;
  }

  /** The sum of a metric of the RPC gateway over the series whose labels hold `labels`; told every two seconds. */
  async metric(name: string, labels = ''): Promise<number> {
    const lines = [...(await this.services.metrics('rpc-proxy')).matchAll(/^(\w+)(\{.*\})? (\S+)/gm)].filter(
      ([, of, having = '']) => of === name && having.includes(labels),
    );
    return lines.reduce((sum, [, , , value]) => sum + Number(value), 0);
  }

  /** The most that the RPC gateway's process ever had in memory, in bytes. */
  peakMemory(): number {
    return (
      Number(
        /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${this.services.pid('rpc-proxy')}/status`, 'utf8'))![1],
      ) * 1_024
    );
  }
}
