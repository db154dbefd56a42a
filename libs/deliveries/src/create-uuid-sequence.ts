import { randomBytes } from 'node:crypto';

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
    const random = randomBytes(8);
    random[0] = (random[0]! & 0x3f) | 0x80;
    const tail = random.toString('hex');
    return `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(3, '0')}-${tail.slice(0, 4)}-${tail.slice(4)}`;
  };
}

/** The next id of this process. */
export const uuidv7 = createUuidSequence();
