import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { BodyTaker, RpcIncoming } from './rpc-incoming.ts';

export const BODY_BYTES_MAX = 1_048_576;
/** What a sender of a too large body may go on with before the connection is cut. */
const DISCARDED_BYTES_MAX = 16 * BODY_BYTES_MAX;

const EMPTY: Buffer = Buffer.alloc(0);

export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';
}

class BodyEncodingError extends Error {
  override readonly name = 'BodyEncodingError';
}

/** Calls back once with the body as it is behind its compression. A sender that leaves is not told of. */
export function readBody(req: RpcIncoming, done: (error: BodyTooLargeError | BodyEncodingError | undefined, body: Buffer) => void): void {
  req.taker = new BodyReader(req, done);
}

class BodyReader implements BodyTaker {
  readonly #req: RpcIncoming;
  readonly #done: Parameters<typeof readBody>[1];
  #body: Buffer = EMPTY;
  #more: Buffer[] | undefined;
  #bytes = 0;

  constructor(req: RpcIncoming, done: Parameters<typeof readBody>[1]) {
    this.#req = req;
    this.#done = done;
  }

  take(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#bytes > BODY_BYTES_MAX) {
      if (this.#bytes > DISCARDED_BYTES_MAX) this.#req.destroy();
    } else if (this.#body.length === 0) this.#body = piece;
    else (this.#more ??= [this.#body]).push(piece);
  }

  end(): void {
    // Answered behind the body, so that the sender reads the answer and not a cut connection.
    if (this.#bytes > BODY_BYTES_MAX) return this.#done(new BodyTooLargeError(), EMPTY);
    const body = this.#more === undefined ? this.#body : Buffer.concat(this.#more, this.#bytes);
    const encoding = this.#req.headers['content-encoding'];
    if (encoding === undefined || encoding === 'identity') return this.#done(undefined, body);
    let plain: Buffer;
    try {
      plain = decompress(encoding.toLowerCase(), body);
    } catch (error) {
      const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
      return this.#done(isTooLarge ? new BodyTooLargeError() : new BodyEncodingError(), EMPTY);
    }
    this.#done(undefined, plain);
  }
}

function decompress(encoding: string, body: Buffer): Buffer {
  const options = { maxOutputLength: BODY_BYTES_MAX };
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return gunzipSync(body, options);
    case 'deflate':
      return inflateSync(body, options);
    case 'br':
      return brotliDecompressSync(body, options);
    default:
      throw new BodyEncodingError();
  }
}
