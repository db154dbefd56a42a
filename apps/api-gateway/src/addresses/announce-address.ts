import { randomUUID } from 'node:crypto';
import type { ApiDeps } from '../server/api-deps.ts';

interface ChangedAddress {
  readonly id: string;
  readonly projectId: string;
  readonly chainFamily: string;
  /** Canonical form. */
  readonly address: string;
  readonly isMonitored: boolean;
}

type Announcer = Pick<ApiDeps, 'bus' | 'logger'>;

/**
 * Hints to the services that an address was registered or changed. While the bus is away, the analyzer finds the row by
 * its transaction id.
 */
export function announceAddress(deps: Announcer, changed: ChangedAddress): void {
  announceAddresses(deps, [changed]);
}

/** The same for many addresses, a few at a time; it stops once the bus is away. */
export function announceAddresses({ bus, logger }: Announcer, changed: readonly ChangedAddress[]): void {
  // Not awaited: a hint is not worth a client's time, least of all while the bus is away.
  publishAll(bus, changed).catch((err: unknown) => {
    logger.warn(
      { err, address_id: changed[0]?.id, count: changed.length },
      'could not announce changed addresses',
    );
  });
}

const AT_ONCE = 50;

async function publishAll(bus: ApiDeps['bus'], changed: readonly ChangedAddress[]): Promise<void> {
  for (let start = 0; start < changed.length; start += AT_ONCE) {
    await Promise.all(changed.slice(start, start + AT_ONCE).map((address) => publish(bus, address)));
  }
}

async function publish(bus: ApiDeps['bus'], changed: ChangedAddress): Promise<void> {
  const payload = {
    schema: 1 as const,
    address_id: changed.id,
    project_id: changed.projectId,
    address: changed.address,
    is_monitored: changed.isMonitored,
  };
  await bus.publish('address.watched', [changed.chainFamily], payload, { messageId: randomUUID() });
}
