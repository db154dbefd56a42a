// SPDX-License-Identifier: Apache-2.0
import { hash } from 'node:crypto';
import type { Cache } from '@chainwatch/platform/cache';
import type { StoredReply } from './stored-reply.ts';

export interface SharedStoreOptions {
  readonly cache: Pick<Cache, 'findBytes' | 'setBytes' | 'isReady'>;
  /** How long an answer stays there. */
  readonly ttlSeconds: number;
  /** How long a call waits for Redis before it goes to a node. Default 5. */
  readonly headStartMs?: number | undefined;
}

/** The size of a large block. Larger answers come from a node as fast as from Redis. */
const BYTES_MAX = 262_144;
/** Concurrent writes. Beyond this answers are not stored: a replica that reads history must not fill the connection. */
const WRITES_MAX = 64;
/** After this many late answers in a row, Redis is not asked for a while. */
const LATE_MAX = 5;
const PAUSE_MS = 1_000;
const HEAD_BYTES = 9;

/**
 * Answers that cannot change, stored in Redis for every replica. A call that misses the local cache waits for Redis no
 * longer than the head start, and not at all while Redis is away or slow. Nothing here rejects.
 */
export class SharedStore {
  readonly #options: SharedStoreOptions;
  #writes = 0;
  #lateInRow = 0;
  #pausedUntil = 0;

  constructor(options: SharedStoreOptions) {
    this.#options = options;
  }

  /**
   * @returns undefined at once if Redis cannot be asked; otherwise a promise of what Redis has, or of undefined once
   * the head start is over
   */
  find(key: string): Promise<StoredReply | undefined> | undefined {
    const { cache, headStartMs = 5 } = this.#options;
    if (!cache.isReady || performance.now() < this.#pausedUntil) return undefined;
    return new Promise((resolve) => {
      const late = setTimeout(() => {
        this.#noteLate();
        resolve(undefined);
      }, headStartMs);
      void cache.findBytes(nameOf(key)).then((bytes) => {
        clearTimeout(late);
        if (bytes !== undefined) this.#lateInRow = 0;
        resolve(bytes && decode(bytes));
      });
    });
  }

  set(key: string, reply: StoredReply): void {
    if (reply.body.length > BYTES_MAX || reply.contentType.length > 255 || this.#writes >= WRITES_MAX) return;
    this.#writes += 1;
    void this.#options.cache
      .setBytes(nameOf(key), encode(reply), this.#options.ttlSeconds)
      .then(() => (this.#writes -= 1));
  }

  #noteLate(): void {
    this.#lateInRow += 1;
    if (this.#lateInRow < LATE_MAX) return;
    this.#lateInRow = 0;
    this.#pausedUntil = performance.now() + PAUSE_MS;
  }
}

/** chain | method | SHA-256 of the rest of the key: version and parameters. */
function nameOf(key: string): string {
  const methodEnd = key.indexOf('|', key.indexOf('|') + 1);
  return `rpc:1:${key.slice(0, methodEnd)}|${hash('sha256', key.slice(methodEnd), 'base64url')}`;
}

/** Layout: start and end of the id (32 bits each), length of the content type (8 bits), the content type, the body. */
function encode({ body, idStart, idEnd, contentType }: StoredReply): Buffer {
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + contentType.length + body.length);
  bytes.writeUInt32BE(idStart, 0);
  bytes.writeUInt32BE(idEnd, 4);
  bytes.writeUInt8(contentType.length, 8);
  bytes.write(contentType, HEAD_BYTES, 'latin1');
  body.copy(bytes, HEAD_BYTES + contentType.length);
  return bytes;
}

/** Undefined for bytes that no gateway wrote. */
function decode(bytes: Buffer): StoredReply | undefined {
  if (bytes.length < HEAD_BYTES) return undefined;
  const bodyStart = HEAD_BYTES + bytes.readUInt8(8);
  const [idStart, idEnd] = [bytes.readUInt32BE(0), bytes.readUInt32BE(4)];
  if (bytes.length <= bodyStart || idStart > idEnd || idEnd > bytes.length - bodyStart) return undefined;
  return {
    body: bytes.subarray(bodyStart),
    idStart,
    idEnd,
    contentType: bytes.toString('latin1', HEAD_BYTES, bodyStart),
  };
}
