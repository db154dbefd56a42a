/**
 * Real servers for integration tests, fakes of the ports and builders. Used by specs and tools only.
 *
 * @example
 * const nats = await startNats();
 * const bus = await createBus('notifier', { url: nats.url });
 */
export { createFakeBroker, type FakeBroker, type FakeMessage } from './create-fake-broker.ts';
export { createFakeClient } from './create-fake-client.ts';
export { findFreePort } from './find-free-port.ts';
export { fuzzSpellings, type Json } from './fuzz-spellings.ts';
export { listUndocumented } from './list-undocumented.ts';
export { killWithParent } from './kill-with-parent.ts';
export { hashOf, NATIVE, network, OTHER_TOKEN, TOKEN } from './local-network.ts';
export { startAnvil, type AnvilHandle, type AnvilOptions } from './start-anvil.ts';
export { startBcoin, type BcoinHandle, type BcoinOptions } from './start-bcoin.ts';
export { startNats, type NatsHandle, type NatsOptions } from './start-nats.ts';
export { startPostgres, type PostgresHandle, type PostgresOptions } from './start-postgres.ts';
export type { PostgresServerHandle } from './start-postgres-server.ts';
export { startRedis, type RedisHandle } from './start-redis.ts';
export { startSolana, type SolanaHandle, type SolanaOptions } from './start-solana.ts';
export { startTcpProxy, type TcpProxy } from './start-tcp-proxy.ts';
export { startTron, type TronHandle, type TronOptions } from './start-tron.ts';
export { waitFor, type WaitOptions } from './wait-for.ts';
