// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import type { ApiDeps } from '../api-deps.ts';

/**
 * Drops what this replica has cached of a changed chain, and hints the change to the services. The database is the
 * truth: while the bus is away, the services find the change by themselves.
 */
export function announceChain(
  { bus, chains, logger }: Pick<ApiDeps, 'bus' | 'chains' | 'logger'>,
  chainGid: string,
): void {
  chains.forget(chainGid);
  const payload = { schema: 1 as const, chain_gid: chainGid };
  // Not awaited: a hint is not worth a client's time, least of all while the bus is away.
  bus
    .publish('chain.changed', { tokens: [chainGid], payload, messageId: randomUUID() })
    .catch((err: unknown) => {
      logger.warn({ err, chain_gid: chainGid }, 'failed to announce changed chain');
    });
}
