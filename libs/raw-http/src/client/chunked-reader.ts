import { COLON, CR, IS_TOKEN, IS_VALUE, isBlank, LF, MalformedReplyError } from './read-reply-head.ts';

/** A size with its extensions, and all trailers, may not be longer than these. */
const SIZE_LINE_BYTES_MAX = 4_096;
const TRAILER_BYTES_MAX = 65_536;
/** Largest chunk: 2^48 - 1 bytes. */
const SIZE_MAX = 0xffff_ffff_ffff;

type State =
  | 'size'
  | 'extension'
  | 'size-end'
  | 'data'
  | 'data-cr'
  | 'data-lf'
  | 'line'
  | 'name'
  | 'value'
  | 'value-end'
  | 'last'
  | 'done';

/**
 * Reads a chunked body (RFC 9112, section 7.1), in whatever pieces it comes. Extensions and trailers are checked and
 * dropped.
 */
export class ChunkedReader {
  #state: State = 'size';
  #size = 0;
  #digits = 0;
  #lineBytes = 0;

  get isDone(): boolean {
    return this.#state === 'done';
  }

  /** Bytes of the current chunk that have not been taken; 0 between chunks. */
  get left(): number {
    return this.#state === 'data' ? this.#size : 0;
  }

  begin(): void {
    this.#state = 'size';
    this.#size = this.#digits = this.#lineBytes = 0;
  }

  /** Marks `count` bytes of the chunk as taken. */
  take(count: number): void {
    this.#size -= count;
    if (this.#size === 0) this.#state = 'data-cr';
  }

  /**
   * Reads what stands between chunks.
   * @returns where data starts, or the first byte after the body, or `end`
   * @throws MalformedReplyError
   */
  read(bytes: Buffer, start: number, end: number): number {
    let at = start;
    while (at < end && this.#state !== 'data' && this.#state !== 'done') {
      this.#state = this.#next(bytes[at]!);
      at += 1;
    }
    return at;
  }

  #next(byte: number): State {
    switch (this.#state) {
      case 'size':
        return this.#nextOfSize(byte);
      case 'extension':
        this.#count(SIZE_LINE_BYTES_MAX);
        return byte === CR ? 'size-end' : expect(IS_VALUE[byte] === 1, 'extension');
      case 'size-end':
        this.#lineBytes = 0;
        return expect(byte === LF, this.#size === 0 ? 'line' : 'data');
      case 'data-cr':
        return expect(byte === CR, 'data-lf');
      case 'data-lf':
        this.#digits = 0;
        return expect(byte === LF, 'size');
      case 'last':
        return expect(byte === LF, 'done');
      case 'data':
      case 'done':
        throw new MalformedReplyError('expected nothing between chunks');
      default:
        return this.#nextOfTrailers(byte, this.#state);
    }
  }

  #nextOfSize(byte: number): State {
    const digit = valueOf(byte);
    if (digit === -1) {
      if (this.#digits === 0) throw new MalformedReplyError('expected the size of a chunk');
      return byte === CR ? 'size-end' : expect(byte === 0x3b || isBlank(byte), 'extension');
    }
    this.#count(SIZE_LINE_BYTES_MAX);
    this.#size = this.#digits === 0 ? digit : this.#size * 16 + digit;
    if (this.#size > SIZE_MAX) throw new MalformedReplyError('expected a chunk of possible size');
    this.#digits += 1;
    return 'size';
  }

  #nextOfTrailers(byte: number, state: 'line' | 'name' | 'value' | 'value-end'): State {
    this.#count(TRAILER_BYTES_MAX);
    if (state === 'line' && byte === CR) return 'last';
    if (state === 'name' && byte === COLON) return 'value';
    if (state === 'line' || state === 'name') return expect(IS_TOKEN[byte] === 1, 'name');
    if (state === 'value-end') return expect(byte === LF, 'line');
    return byte === CR ? 'value-end' : expect(IS_VALUE[byte] === 1, 'value');
  }

  #count(max: number): void {
    this.#lineBytes += 1;
    if (this.#lineBytes > max) throw new MalformedReplyError(`expected at most ${max} bytes around a chunk`);
  }
}

function expect(isAsExpected: boolean, next: State): State {
  if (!isAsExpected) throw new MalformedReplyError('expected a chunked body');
  return next;
}

function valueOf(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
