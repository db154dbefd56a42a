import { randomUUID } from 'node:crypto';
import type { JetStreamClient } from '@nats-io/jetstream';
import type { Lease, LeaseStore } from './bus.ts';
import { BusUnavailableError } from './bus-unavailable-error.ts';
import { describeError, type BusLogger } from './bus-logger.ts';
import { holdLease } from './hold-lease.ts';
import { createLeaseBucket, isWrongRevision, type UseBucket } from './lease-bucket.ts';

interface LeaseStoreOptions {
  readonly client: JetStreamClient;
  readonly replicas: number;
  readonly logger: BusLogger;
}

export interface ClosableLeaseStore extends LeaseStore {
  /** Releases everything that is held. */
  close(): Promise<void>;
}

export function createLeaseStore({ client, replicas, logger }: LeaseStoreOptions): ClosableLeaseStore {
  const held = new Set<Lease>();
  const useBucket = createLeaseBucket(client, replicas);
  return {
    async tryAcquire(name, owner) {
      const key = leaseKey(name);
      // The nonce tells this holder from an earlier one of the same owner, and an answer that was lost from a refusal.
      const value = JSON.stringify({ owner, nonce: randomUUID() });
      const revision = await createKey(useBucket, key, value);
      if (revision === undefined) return undefined;
      const lease = holdLease({
        name,
        key,
        value,
        revision,
        useBucket,
        logger,
        onEnd: () => held.delete(lease),
      });
      held.add(lease);
      return lease;
    },
    async close() {
      await Promise.all([...held].map((lease) => lease.release()));
    },
  };
}

/** Undefined: somebody holds it. No answer is no such word. */
async function createKey(useBucket: UseBucket, key: string, value: string): Promise<number | undefined> {
  try {
    return await useBucket((bucket) => bucket.create(key, value));
  } catch (error) {
    if (isWrongRevision(error)) return undefined;
    throw new BusUnavailableError(`leases cannot be asked for: ${describeError(error)}`, error);
  }
}

/** Keys take letters, digits and -/_=. only; chain ids hold a colon. */
function leaseKey(name: string): string {
  return name.replace(/[^\w/.-]/g, (character) => `=${character.codePointAt(0)?.toString(16)}`);
}
