import { randomUUID } from 'node:crypto';
import type { ApiDeps } from './api-deps.ts';

/** Hints that a chain changed. The database is the truth: with the bus away, the services find it by themselves. */
export function announceChain({ bus, logger }: Pick<ApiDeps, 'bus' | 'logger'>, chainGid: string): void {
  const payload = { schema: 1 as const, chain_gid: chainGid };
  // Not awaited: a hint is not worth a client's time, least of all while the bus is away.
  bus.publish('chain.changed', [chainGid], payload, { messageId: randomUUID() }).catch((err: unknown) => {
    logger.warn({ err, chain_gid: chainGid }, 'could not announce a changed chain');
  });
}
