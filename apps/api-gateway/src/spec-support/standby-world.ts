// SPDX-License-Identifier: Apache-2.0
import { createCache, type Cache } from '@chainwatch/platform/cache';
import {
  PRIMARY_SETTINGS,
  startNats,
  startRedis,
  startStandby,
  startTcpProxy,
  waitFor,
  type PostgresServerHandle,
  type RedisHandle,
  type TcpProxy,
} from '@chainwatch/testing';
import { startPostgres } from '@chainwatch/data/testing';
import { openStandby } from '../reads/open-standby.ts';
import { startReplica, type Replica } from './replicas.ts';
import { startSpecWorld, type SpecWorld } from './spec-world.ts';

export const STALENESS_MS = 2_000;

/** Gateways that share a primary, a Redis, and a standby behind one address. */
export interface StandbyWorld {
  readonly world: SpecWorld;
  readonly primary: PostgresServerHandle;
  readonly standby: PostgresServerHandle;
  /** Where the gateways find the standby. */
  readonly address: TcpProxy;
  readonly redis: RedisHandle;
  readonly natsUrl: string;
  readonly replicas: readonly (Replica & { readonly cache: Cache })[];
  /** Whether each gateway reads the standby. */
  isRead(): Promise<boolean>;
  /** A new standby takes the place of this one. */
  replaceStandby(): Promise<void>;
  stop(): Promise<void>;
}

export async function startStandbyWorld(replicaCount: number): Promise<StandbyWorld> {
  const postgres = await startPostgres({ isOwn: true, isDurable: false, settings: PRIMARY_SETTINGS });
  const primary = postgres.server!;
  let standby = await startStandby(primary, { isDurable: false });
  const address = await startTcpProxy(standby.port);
  const url = new URL(postgres.url);
  url.port = String(address.port);
  const [world, nats, redis] = await Promise.all([startSpecWorld({ postgres }), startNats(), startRedis()]);
  const opened: { close(): Promise<void> }[] = [];
  const open = async (): Promise<StandbyWorld['replicas'][number]> => {
    const cache: Cache = createCache(redis.url);
    const reads = openStandby({
      ...{ url: url.href, primaryUrl: postgres.url, applicationName: 'spec', stalenessMs: STALENESS_MS },
      ...{ isPrepared: true, poolSizes: [6, 3], statementTimeoutMs: 30_000 },
      logger: { info: () => undefined, warn: () => undefined },
    });
    opened.push(cache, reads);
    return { ...(await startReplica(world, nats.url, { cache, standby: reads })), cache };
  };
  const replicas = await Promise.all(Array.from({ length: replicaCount }, open));
  return {
    ...{ world, primary, address, redis, replicas, natsUrl: nats.url },
    get standby() {
      return standby;
    },
    async isRead() {
      const checks = await Promise.all(replicas.map(({ gateway }) => gateway.readiness()));
      return checks.every((check) => check.standby !== undefined && !('status' in check.standby));
    },
    async replaceStandby() {
      const next = await startStandby(primary, { isDurable: false });
      address.setTargets([next.port]);
      address.cut();
      address.mend();
      await standby.stop();
      standby = next;
    },
    async stop() {
      await Promise.all(replicas.map((replica) => replica.stop()));
      await Promise.all(opened.map((each) => each.close()));
      await world.stop();
      await Promise.all([standby.stop(), nats.stop(), redis.stop()]);
      await address.stop();
    },
  };
}

export function untilRead({ isRead }: Pick<StandbyWorld, 'isRead'>): Promise<boolean> {
  return waitFor(isRead, { timeoutMs: 20_000, message: 'the standby to be read' });
}
