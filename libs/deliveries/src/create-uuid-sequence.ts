import { randomUUID } from 'node:crypto';

/**
 * UUIDv7 (RFC 9562 §5.7) that grow with every call in this process: rows that wait in the database come back in the
 * order in which they were made. The 12 bits behind the time count within a millisecond, and borrow from the next.
 */
export function createUuidSequence(now: () => number = Date.now): () => string {
  let lastMs = 0;
  let counter = 0;
  return () => {
    const ms = Math.max(now(), lastMs);
    counter = ms === lastMs ? counter + 1 : 0;
    lastMs = counter > 0xfff ? ms + 1 : ms;
    if (counter > 0xfff) counter = 0;
    const time = lastMs.toString(16).padStart(12, '0');
    // Variant and random bits are those of version 4, which Node makes many at a time.
    return `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(3, '0')}-${randomUUID().slice(19)}`;
  };
}

/** The next id of this process. */
export const uuidv7 = createUuidSequence();
