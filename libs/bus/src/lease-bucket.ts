import { JetStreamApiCodes, JetStreamApiError, type JetStreamClient } from '@nats-io/jetstream';
import { Kvm, type KV } from '@nats-io/kv';

const BUCKET = 'leases';
/** Not renewed for so long, a lease is forgotten by the server. */
const TTL_MS = 6_000;
const BYTES_MAX = 4 * 1024 * 1024;
const WRONG_SEQUENCE = new Set<number>([
  JetStreamApiCodes.StreamWrongLastSequence,
  JetStreamApiCodes.StreamWrongLastSequenceUnknown,
]);

/** Runs `work` on the bucket; on a bucket made anew when the server forgot it. */
export type UseBucket = <T>(work: (bucket: KV) => Promise<T>) => Promise<T>;

export function createLeaseBucket(client: JetStreamClient, replicas: number): UseBucket {
  let opened: Promise<KV> | undefined;
  const open = (): Promise<KV> => {
    // Not direct: a replica of the server that lags would show an old holder.
    opened ??= new Kvm(client).create(BUCKET, {
      ttl: TTL_MS,
      history: 1,
      replicas,
      max_bytes: BYTES_MAX,
      allow_direct: false,
    });
    return opened;
  };
  return async (work) => {
    const isOld = opened !== undefined;
    try {
      return await work(await open());
    } catch (error) {
      if (isWrongRevision(error)) throw error;
      opened = undefined;
      if (!isOld) throw error;
      return work(await open());
    }
  };
}

/** The server refused a write because the key is not (any more) what the writer believes. */
export function isWrongRevision(error: unknown): boolean {
  return error instanceof JetStreamApiError && WRONG_SEQUENCE.has(error.code);
}
