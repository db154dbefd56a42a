import { ChunkedReader } from './chunked-reader.ts';
import { CR, LF, MalformedReplyError, mayBeReply, readReplyHead, type WireHead } from './read-reply-head.ts';

/** Receives the parts of a reply, in this order. Bytes are lent for the duration of the call only. */
export interface ReplySink {
  onHead(head: WireHead): void;
  onBody(bytes: Buffer, start: number, end: number): void;
  /** @param isClean nothing followed the reply */
  onReplyEnd(isClean: boolean): void;
}

const HEAD_BYTES_MAX = 65_536;
const EMPTY: Buffer = Buffer.alloc(0);

/** `idle` while no reply is expected. */
type State = 'idle' | 'head' | 'length' | 'chunked' | 'close';

/** Reads the replies of one connection one after another, in whatever pieces their bytes come (RFC 9112). */
export class ReplyReader {
  readonly #sink: ReplySink;
  #state: State = 'idle';
  /** Bytes left of a body with a length. */
  #left = 0;
  /** The beginning of an incomplete head. */
  #kept: Buffer = EMPTY;
  #keptBytes = 0;
  #chunks: ChunkedReader | undefined;

  constructor(sink: ReplySink) {
    this.#sink = sink;
  }

  /** A request was sent: a reply is expected. */
  expect(): void {
    this.#state = 'head';
  }

  /** The sink is not called any more. */
  stop(): void {
    this.#state = 'idle';
    this.#forget();
  }

  /** @throws MalformedReplyError, also if no reply is expected */
  read(bytes: Buffer, end: number): void {
    if (this.#state === 'idle') throw new MalformedReplyError('expected nothing before a request');
    let at = 0;
    while (at < end) {
      switch (this.#state) {
        case 'head':
          at = this.#readHead(bytes, at, end);
          break;
        case 'length':
          at = this.#readLength(bytes, at, end);
          break;
        case 'chunked':
          at = this.#readChunks(bytes, at, end);
          break;
        case 'close':
          this.#sink.onBody(bytes, at, end);
          return;
        default:
          return;
      }
    }
  }

  /**
   * The server has closed its side.
   * @returns whether the reply ends that way
   */
  end(): boolean {
    if (this.#state !== 'close') return false;
    this.#finish(true);
    return true;
  }

  #readHead(bytes: Buffer, start: number, end: number): number {
    if (this.#keptBytes > 0) return this.#readKeptHead(bytes, start, end);
    const headEnd = findHeadEnd(bytes, start, end);
    if (headEnd === -1) {
      this.#keep(bytes, start, end);
      if (this.#keptBytes > HEAD_BYTES_MAX) throw tooLong();
      if (!mayBeReply(bytes, start, end)) throw new MalformedReplyError('expected HTTP/1.1');
      return end;
    }
    this.#begin(readReplyHead(bytes, start, headEnd), headEnd === end);
    return headEnd;
  }

  /**
   * Reads more of a head that has begun.
   * @returns where it ends in the new bytes
   */
  #readKeptHead(bytes: Buffer, start: number, end: number): number {
    const before = this.#keptBytes;
    const kept = this.#keep(bytes, start, end);
    const headEnd = findHeadEnd(kept, Math.max(0, before - 3), this.#keptBytes);
    if ((headEnd === -1 ? this.#keptBytes : headEnd) > HEAD_BYTES_MAX) throw tooLong();
    if (headEnd === -1) return end;
    const head = readReplyHead(kept, 0, headEnd);
    this.#forget();
    const at = start + headEnd - before;
    this.#begin(head, at === end);
    return at;
  }

  #keep(bytes: Buffer, start: number, end: number): Buffer {
    const length = this.#keptBytes + end - start;
    if (this.#kept.length < length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(1_024, length * 2));
      this.#kept.copy(larger, 0, 0, this.#keptBytes);
      this.#kept = larger;
    }
    bytes.copy(this.#kept, this.#keptBytes, start, end);
    this.#keptBytes = length;
    return this.#kept;
  }

  #forget(): void {
    this.#kept = EMPTY;
    this.#keptBytes = 0;
  }

  /** @param isAll nothing that has arrived follows the head */
  #begin(head: WireHead, isAll: boolean): void {
    if (head.status === 101) throw new MalformedReplyError('expected no other protocol');
    // An informational response; the reply follows it.
    if (head.status < 200) return;
    this.#state = head.framing === 'none' ? 'head' : head.framing;
    this.#left = head.contentLength;
    if (head.framing === 'chunked') (this.#chunks ??= new ChunkedReader()).begin();
    this.#sink.onHead(head);
    if (head.framing === 'none' && this.#state === 'head') this.#finish(isAll);
  }

  #readLength(bytes: Buffer, start: number, end: number): number {
    const to = Math.min(end, start + this.#left);
    this.#left -= to - start;
    this.#sink.onBody(bytes, start, to);
    // The sink may have stopped the reader.
    if (this.#left === 0 && this.#state === 'length') this.#finish(to === end);
    return to;
  }

  #readChunks(bytes: Buffer, start: number, end: number): number {
    const chunks = this.#chunks!;
    let at = chunks.read(bytes, start, end);
    const count = Math.min(end - at, chunks.left);
    if (count > 0) {
      chunks.take(count);
      this.#sink.onBody(bytes, at, at + count);
      at += count;
    }
    if (chunks.isDone && this.#state === 'chunked') this.#finish(at === end);
    return at;
  }

  #finish(isClean: boolean): void {
    this.#state = 'idle';
    this.#sink.onReplyEnd(isClean);
  }
}

function tooLong(): MalformedReplyError {
  return new MalformedReplyError(`expected a head of at most ${HEAD_BYTES_MAX} bytes`);
}

/**
 * The place after the empty line; -1 if there is none yet. A head that ends in bare line feeds is found as well, and is
 * then refused by readReplyHead.
 */
function findHeadEnd(bytes: Buffer, start: number, end: number): number {
  for (let at = start; at < end - 1; at += 1) {
    if (bytes[at] !== LF) continue;
    if (bytes[at + 1] === LF) return at + 2;
    if (bytes[at + 1] === CR && at + 2 < end && bytes[at + 2] === LF) return at + 3;
  }
  return -1;
}
