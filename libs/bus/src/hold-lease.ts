import type { Lease } from './bus.ts';
import { describeError, type BusLogger } from './bus-logger.ts';
import { isWrongRevision, type UseBucket } from './lease-bucket.ts';

const RENEW_MS = 2_000;

interface HoldLeaseOptions {
  readonly name: string;
  readonly key: string;
  /** Names this holder and nobody else. */
  readonly value: string;
  readonly revision: number;
  readonly useBucket: UseBucket;
  readonly logger: BusLogger;
  readonly onEnd: () => void;
}

/** Renews a lease every 2 s until it is released or somebody else holds it. A silent server ends nothing. */
export function holdLease({
  name,
  key,
  value,
  revision: firstRevision,
  useBucket,
  logger,
  onEnd,
}: HoldLeaseOptions): Lease {
  const lost = new AbortController();
  let revision = firstRevision;
  let isOver = false;
  let renewing: Promise<void> | undefined;
  const timer = setInterval(() => {
    renewing ??= renew().finally(() => {
      renewing = undefined;
    });
  }, RENEW_MS);
  timer.unref();

  async function renew(): Promise<void> {
    try {
      revision = await useBucket((bucket) => bucket.update(key, value, revision));
    } catch (error) {
      if (isWrongRevision(error)) await reclaim().catch(logFailure);
      else logFailure(error);
    }
  }

  /** The key is not what we wrote last: an answer got lost, the key expired or was wiped, or somebody else took it. */
  async function reclaim(): Promise<void> {
    const entry = await useBucket((bucket) => bucket.get(key));
    if (entry?.operation === 'PUT') {
      if (entry.string() !== value) return end(true);
      revision = entry.revision;
      return;
    }
    revision = await useBucket((bucket) => bucket.create(key, value));
    logger.warn({ lease: name }, 'a lease that the server had forgotten was taken again');
  }

  function logFailure(error: unknown): void {
    // Lost the race for a forgotten key: the next renewal sees who has it.
    if (!isOver) logger.warn({ lease: name, error: describeError(error) }, 'a lease could not be renewed');
  }

  function end(isLost: boolean): void {
    if (isOver) return;
    isOver = true;
    clearInterval(timer);
    onEnd();
    if (!isLost) return;
    logger.warn({ lease: name }, 'a lease was lost to another owner');
    lost.abort(new Error(`the lease ${name} was lost to another owner`));
  }

  return {
    name,
    lost: lost.signal,
    async release() {
      if (isOver) return;
      end(false);
      await renewing;
      // When this fails the lease expires by itself.
      await useBucket((bucket) => bucket.delete(key, { previousSeq: revision })).catch(() => undefined);
    },
  };
}
