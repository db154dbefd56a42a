import { randomUUID } from 'node:crypto';
import type { JetStreamClient } from '@nats-io/jetstream';
import { Kvm, type KV } from '@nats-io/kv';
import type { Lease, LeaseStore } from './bus.ts';
import { describeError, type BusLogger } from './bus-logger.ts';
import { holdLease } from './hold-lease.ts';

const BUCKET = 'leases';
/** Not renewed for so long, a lease is forgotten by the server. */
export const LEASE_TTL_MS = 6_000;

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
  // create() also makes the bucket again when the server forgot it.
  const openBucket = (): Promise<KV> => new Kvm(client).create(BUCKET, { ttl: LEASE_TTL_MS, history: 1, replicas, max_bytes: 4 * 1024 * 1024 });
  return {
    async tryAcquire(name, owner) {
      const key = leaseKey(name);
      // The nonce tells this holder from an earlier one of the same owner, and an answer that was lost from a refusal.
      const value = JSON.stringify({ owner, nonce: randomUUID() });
      const revision = await createKey(openBucket, key, value, logger);
      if (revision === undefined) return undefined;
      const lease = holdLease({ name, key, value, revision, openBucket, logger, onEnd: () => held.delete(lease) });
      held.add(lease);
      return lease;
    },
    async close() {
      await Promise.all([...held].map((lease) => lease.release()));
    },
  };
}

async function createKey(openBucket: () => Promise<KV>, key: string, value: string, logger: BusLogger): Promise<number | undefined> {
  try {
    const bucket = await openBucket();
    return await bucket.create(key, value);
  } catch (error) {
    if (!isWrongRevision(error)) logger.warn({ key, error: describeError(error) }, 'a lease could not be asked for');
    return undefined;
  }
}

/** The server refused a write because the key is not (any more) what the writer believes. */
export function isWrongRevision(error: unknown): boolean {
  return describeError(error).includes('wrong last sequence');
}

/** Keys take letters, digits and -/_=. only; chain ids hold a colon. */
function leaseKey(name: string): string {
  return name.replace(/[^\w/.-]/g, (character) => `=${character.codePointAt(0)?.toString(16)}`);
}
