import { brotliDecompressSync, constants, gunzipSync, inflateSync } from 'node:zlib';
import type { ScannedCall } from '../json/scan-body.ts';
import {
  findIdAtEnd,
  findIdNearStart,
  findReplyId,
  idsEqual,
  isNull,
  NO_ID,
  scanReply,
  type ScannedReply,
} from '../json/scan-reply.ts';
import { skipSpace, skipValue } from '../json/skip-value.ts';

/** The call that was sent to a node, and the bytes that its offsets refer to. */
export interface Asked {
  readonly body: Buffer;
  readonly call: ScannedCall;
}

/** How far an id is searched for at either end of a streamed reply. */
const END_BYTES = 512;
/** Compressed replies up to this size are decompressed to the end. */
const INFLATED_BYTES_MAX = 16_384;
const OUTPUT_BYTES_MAX = 1_048_576;
/** A truncated body is decompressed as far as it goes. */
const INFLATE_OPTIONS = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: OUTPUT_BYTES_MAX };

/** Whether a reply that is held as a whole may answer `asked`. */
export function fitsWhole(asked: Asked, body: Buffer, encoding: string | undefined): boolean {
  if (encoding === undefined) return isReplyTo(asked, body);
  const plain = body.length <= INFLATED_BYTES_MAX ? inflateReply(body, encoding) : undefined;
  if (plain !== undefined) return isReplyTo(asked, plain);
  return fitsStart(asked, body, encoding) !== false;
}

/** The same from the first bytes of a reply; undefined if they do not decide it. */
export function fitsStart(asked: Asked, bytes: Buffer, encoding: string | undefined): boolean | undefined {
  const first = bytes.subarray(0, END_BYTES);
  const plain = encoding === undefined ? first : inflateReply(first, encoding);
  return plain === undefined ? undefined : startsReplyTo(asked, plain);
}

/** The last bytes of a streamed reply: many nodes put the id there. */
export class TailCheck {
  readonly #asked: Asked;
  readonly #tail = Buffer.allocUnsafe(END_BYTES);
  #length = 0;

  constructor(asked: Asked) {
    this.#asked = asked;
  }

  add(piece: Buffer): void {
    const taken = Math.min(piece.length, END_BYTES);
    const kept = Math.min(this.#length, END_BYTES - taken);
    this.#tail.copyWithin(0, this.#length - kept, this.#length);
    piece.copy(this.#tail, kept, piece.length - taken);
    this.#length = kept + taken;
  }

  /** Read after the last piece. If there is no id here either, there is nothing to compare. */
  get fits(): boolean {
    const tail = this.#tail.subarray(0, this.#length);
    const start = findIdAtEnd(tail);
    return start === NO_ID || isOwnId(this.#asked, { reply: tail, start, end: skipValue(tail, start) });
  }
}

/**
 * Whether a complete reply may answer `asked`: it has that id, or none. A connection that is off by one reply returns
 * somebody else's answers from then on. A null id is accepted in an error only: the node could not read the id.
 * Anything that is not JSON-RPC has nothing to compare.
 */
function isReplyTo(asked: Asked, reply: Buffer): boolean {
  const start = skipSpace(reply, 0);
  if (reply[start] === 0x7b) return isObjectTo(asked, reply, start);
  return reply[start] !== 0x5b;
}

/** The same from the first bytes of a reply: false is certain; undefined means that the id comes later. */
function startsReplyTo(asked: Asked, bytes: Buffer): boolean | undefined {
  const start = skipSpace(bytes, 0);
  if (bytes[start] === 0x5b) return false;
  const idStart = findIdNearStart(bytes, start);
  return idStart === NO_ID
    ? undefined
    : isOwnId(asked, { reply: bytes, start: idStart, end: skipValue(bytes, idStart) });
}

/** Whether the id of a reply is that of the call. */
function isOwnId(
  { body, call: { idStart, idEnd } }: Asked,
  { reply, start, end }: { readonly reply: Buffer; readonly start: number; readonly end: number },
): boolean {
  return idStart === -1 ? isNull(reply, start, end) : idsEqual(body, idStart, idEnd, reply, start, end);
}

function isObjectTo(asked: Asked, reply: Buffer, start: number): boolean {
  const idStart = findReplyId(reply, start);
  if (idStart === NO_ID) return true;
  const idEnd = skipValue(reply, idStart);
  if (isOwnId(asked, { reply, start: idStart, end: idEnd })) return true;
  if (!isNull(reply, idStart, idEnd)) return false;
  // The reply is about something that the node could not read.
  const scanned = scanReply(reply, start);
  return scanned === undefined || isError(reply, scanned);
}

function isError(reply: Buffer, { errorStart, errorEnd }: ScannedReply): boolean {
  return errorStart !== -1 && !isNull(reply, errorStart, errorEnd);
}

/**
 * The decompressed body or, of a partial body, the part that can be read. Undefined if it cannot be read or is too
 * large.
 */
function inflateReply(bytes: Buffer, encoding: string): Buffer | undefined {
  try {
    switch (encoding.toLowerCase()) {
      case 'gzip':
      case 'x-gzip':
        return gunzipSync(bytes, INFLATE_OPTIONS);
      case 'deflate':
        return inflateSync(bytes, INFLATE_OPTIONS);
      case 'br':
        return brotliDecompressSync(bytes, {
          finishFlush: constants.BROTLI_OPERATION_FLUSH,
          maxOutputLength: OUTPUT_BYTES_MAX,
        });
      default:
        return undefined;
    }
  } catch {
    return undefined;
  }
}
