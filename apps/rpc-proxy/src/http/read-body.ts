import type { IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';

export const BODY_BYTES_MAX = 1_048_576;
/** What a sender of a too large body may go on with before the connection is cut. */
const DISCARDED_BYTES_MAX = 16 * BODY_BYTES_MAX;

export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';
}

class BodyEncodingError extends Error {
  override readonly name = 'BodyEncodingError';
}

/** Calls back once with the body as it is behind its compression. A sender that leaves is not told of. */
export function readBody(req: IncomingMessage, done: (error: BodyTooLargeError | BodyEncodingError | undefined, body: Buffer) => void): void {
  const pieces: Buffer[] = [];
  let bytes = 0;
  req.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes <= BODY_BYTES_MAX) pieces.push(piece);
    else if (bytes > DISCARDED_BYTES_MAX) req.destroy();
  });
  req.on('end', () => {
    // Answered behind the body, so that the sender reads the answer and not a cut connection.
    if (bytes > BODY_BYTES_MAX) return done(new BodyTooLargeError(), EMPTY);
    const body = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces, bytes);
    const encoding = req.headers['content-encoding'];
    if (encoding === undefined || encoding === 'identity') return done(undefined, body);
    let plain: Buffer;
    try {
      plain = decompress(encoding.toLowerCase(), body);
    } catch (error) {
      const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
      return done(isTooLarge ? new BodyTooLargeError() : new BodyEncodingError(), EMPTY);
    }
    done(undefined, plain);
  });
}

const EMPTY = Buffer.alloc(0);

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
