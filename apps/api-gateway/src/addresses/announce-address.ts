// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import type { ApiDeps } from '../api-deps.ts';
import type { ChangedAddress } from './changed-address.ts';

type Announcer = Pick<ApiDeps, 'bus' | 'logger'>;

/**
 * Hints to the services that an address was registered or changed. While the bus is away, the analyzer finds the row by
 * its transaction id, and with it all others.
 * @param count how many addresses of its project and family one transaction changed, of which this is the first
 */
export function announceAddress({ bus, logger }: Announcer, changed: ChangedAddress, count = 1): void {
  // Not awaited: a hint is not worth a client's time, least of all while the bus is away.
  publish(bus, changed, count).catch((err: unknown) => {
    logger.warn({ err, address_id: changed.id, count }, 'failed to announce changed addresses');
  });
}

/** One hint for each family of the addresses, which are of one project: it names the first. */
export function announceAddresses(deps: Announcer, changed: readonly ChangedAddress[]): void {
  const families = new Map<string, { readonly first: ChangedAddress; count: number }>();
  for (const address of changed) {
    const family = families.get(address.chainFamily);
    if (family === undefined) families.set(address.chainFamily, { first: address, count: 1 });
    else family.count += 1;
  }
  for (const { first, count } of families.values()) announceAddress(deps, first, count);
}

async function publish(bus: ApiDeps['bus'], changed: ChangedAddress, count: number): Promise<void> {
  const payload = {
    schema: 1 as const,
    address_id: changed.id,
    project_id: changed.projectId,
    address: changed.address,
    is_monitored: changed.isMonitored,
    ...(count > 1 && { count }),
  };
  await bus.publish('address.watched', { tokens: [changed.chainFamily], payload, messageId: randomUUID() });
}
