import { hash } from 'node:crypto';
import type { Cache } from '@chainwatch/cache';
import type { StoredReply } from './memory-store.ts';

export interface SharedStoreOptions {
  readonly cache: Pick<Cache, 'findBytes' | 'setBytes' | 'isReady'>;
  /** How long an answer stays there. */
  readonly ttlSeconds: number;
  /** How long a call waits for Redis before it goes to a node. Default 5. */
  readonly headStartMs?: number | undefined;
}

/** What a large block takes; beyond that a node's answer is no slower to get than Redis's. */
const BYTES_MAX = 262_144;
/** Writes at once: what is more is not kept, as a replica that reads history must not fill the connection. */
const WRITES_MAX = 64;
/** Redis that lets calls wait so often is not asked for a while. */
const LATE_MAX = 5;
const PAUSE_MS = 1_000;
const HEAD_BYTES = 9;

/**
 * Answers that cannot change, in Redis for every replica. A call that misses here waits for them no longer than the head
 * start; without Redis, or while it is slow, not at all. Nothing here rejects.
 */
export class SharedStore {
  readonly #options: SharedStoreOptions;
  #writes = 0;
  #lateInRow = 0;
  #pausedUntil = 0;

  constructor(options: SharedStoreOptions) {
    this.#options = options;
  }

  /** @returns undefined at once when there is nobody to ask; else what Redis has, or undefined when the head start is over */
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

/** chain | method | sha-256 of what is left of the key: the version and the parameters. */
function nameOf(key: string): string {
  const methodEnd = key.indexOf('|', key.indexOf('|') + 1);
  return `rpc:1:${key.slice(0, methodEnd)}|${hash('sha256', key.slice(methodEnd), 'base64url')}`;
}

/** Where the id begins and ends (32 bits each), the length of the content type (8 bits), the content type, the body. */
function encode({ body, idStart, idEnd, contentType }: StoredReply): Buffer {
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + contentType.length + body.length);
  bytes.writeUInt32BE(idStart, 0);
  bytes.writeUInt32BE(idEnd, 4);
  bytes.writeUInt8(contentType.length, 8);
  bytes.write(contentType, HEAD_BYTES, 'latin1');
  body.copy(bytes, HEAD_BYTES + contentType.length);
  return bytes;
}

/** Undefined for what no gateway wrote. */
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
