import { randomUUID } from 'node:crypto';
import type { ApiDeps } from './api-deps.ts';

interface ChangedAddress {
  readonly id: string;
  readonly projectId: string;
  readonly chainFamily: string;
  /** Canonical form. */
  readonly address: string;
  readonly isMonitored: boolean;
}

/** Hints that an address was registered or changed. With the bus away, the analyzer finds the row by its transaction id. */
export function announceAddress({ bus, logger }: Pick<ApiDeps, 'bus' | 'logger'>, changed: ChangedAddress): void {
  const payload = {
    schema: 1 as const,
    address_id: changed.id,
    project_id: changed.projectId,
    address: changed.address,
    is_monitored: changed.isMonitored,
  };
  // Not awaited: a hint is not worth a client's time, least of all while the bus is away.
  bus.publish('address.watched', [changed.chainFamily], payload, { messageId: randomUUID() }).catch((err: unknown) => {
    logger.warn({ err, address_id: changed.id }, 'could not announce a changed address');
  });
}
