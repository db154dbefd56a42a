// SPDX-License-Identifier: Apache-2.0
/**
 * Real servers and helpers for specs and tools. It depends on no product code, so that the specs of every library can
 * use it; what needs product code is in libs/data/src/testing, local chain nodes other than anvil in tools/devnet.
 *
 * @example
 * const nats = await startNats();
 * const bus = await createBus('notifier', { url: nats.url });
 */
export { changeDigit } from './change-digit.ts';
export { createCertificate } from './create-certificate.ts';
export { createNatsAccounts } from './create-nats-accounts.ts';
export { startBlackHole, type BlackHole } from './start-black-hole.ts';
export { openEventStream, type EventStreamClient } from './open-event-stream.ts';
export { spawnServer, type ChildServer } from './child-servers.ts';
export { findFreePort } from './find-free-port.ts';
export { fuzzSpellings, type Json } from './fuzz-spellings.ts';
export { listUndocumented } from './list-undocumented.ts';
export { killWithParent } from './kill-with-parent.ts';
export { readMetrics } from './read-metrics.ts';
export { startAnvil, type AnvilHandle, type AnvilOptions } from './start-anvil.ts';
export { findKcat, startKafkaMock, type KafkaMock } from './start-kafka-mock.ts';
export { startKafkaProxy, type KafkaProxy } from './start-kafka-proxy.ts';
export { findRabbitMq, startRabbitMq, type RabbitMqHandle } from './start-rabbitmq.ts';
export { startIssuer, type Accounts, type IssuerHandle } from './start-issuer.ts';
export {
  startMailServer,
  type MailServerHandle,
  type ReceivedMail,
} from './start-mail-server.ts';
export { startNats, type NatsHandle, type NatsOptions } from './start-nats.ts';
export { startNatsCluster } from './start-nats-cluster.ts';
export { findPgBouncer, startPgBouncer, type PgBouncerHandle } from './start-pgbouncer.ts';
export { startPostgres, type PostgresHandle, type PostgresOptions } from './start-postgres.ts';
export { startPostgresServer, type PostgresServerHandle } from './start-postgres-server.ts';
export { PRIMARY_SETTINGS, startStandby } from './start-standby.ts';
export { startRedis, type RedisHandle } from './start-redis.ts';
export { startRedisCluster, type RedisCluster } from './start-redis-cluster.ts';
export { startRedisSentinel, type RedisSentinel } from './start-redis-sentinel.ts';
export { chooseDataDir } from './temporary-directory.ts';
export { takeBaseBackup } from './take-base-backup.ts';
export {
  startTraceCollector,
  type CollectedSpan,
  type TraceCollectorHandle,
} from './start-trace-collector.ts';
export { startTcpProxy, type TcpProxy } from './start-tcp-proxy.ts';
export { waitFor, type WaitOptions } from './wait-for.ts';
export { waitForPort } from './wait-for-port.ts';
