import { findIdAtEnd, NO_ID } from '../json/find-reply-id.ts';
import { skipValue } from '../json/skip-value.ts';
import { inflateReply } from './inflate-reply.ts';
import { isOwnId, isReplyTo, startsReplyTo, type Asked } from './is-reply-to.ts';

/** How far an id is searched for at either end of a streamed reply. */
const END_BYTES = 512;
/** Compressed replies up to this size are decompressed to the end. */
const INFLATED_BYTES_MAX = 16_384;

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
    return start === NO_ID || isOwnId(this.#asked, tail, start, skipValue(tail, start));
  }
}
