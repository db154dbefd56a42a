import { isAscii } from 'node:buffer';

/** Larger bodies are rare; their memory is not kept. */
const SCRATCH_BYTES_MAX = 32 * 1024 * 1024;

let scratch = Buffer.allocUnsafeSlow(1 << 20);

/** A body in the pieces that it came in. They are joined only when somebody reads the body. */
export class BodyBytes {
  readonly length: number;
  readonly #chunks: readonly Buffer[];

  constructor(chunks: readonly Buffer[]) {
    this.#chunks = chunks;
    this.length = chunks.reduce((size, chunk) => size + chunk.length, 0);
  }

  /** Writes the whole body to `target` from `at` on. */
  copyTo(target: Uint8Array, at: number): void {
    for (const chunk of this.#chunks) {
      target.set(chunk, at);
      at += chunk.length;
    }
  }

  /** A part that is known to be ASCII. */
  slice(from: number, to: number): string {
    let text = '';
    let at = 0;
    for (const chunk of this.#chunks) {
      const end = at + chunk.length;
      if (from < end && to > at)
        text += chunk.toString('latin1', Math.max(from - at, 0), Math.min(to - at, chunk.length));
      at = end;
    }
    return text;
  }

  toString(): string {
    return decode(this.#join());
  }

  /** Valid until the next call: blocks are megabytes, and fresh memory for each costs more than the copy. */
  #join(): Buffer {
    if (this.length > SCRATCH_BYTES_MAX) return Buffer.concat(this.#chunks, this.length);
    if (this.length > scratch.length)
      scratch = Buffer.allocUnsafeSlow(Math.min(SCRATCH_BYTES_MAX, this.length * 2));
    this.copyTo(scratch, 0);
    return scratch.subarray(0, this.length);
  }
}

/**
 * Answers about blocks are ASCII, which is decoded by a plain copy; only other texts need the UTF-8 decoder.
 */
function decode(bytes: Buffer): string {
  return isAscii(bytes) ? bytes.toString('latin1') : bytes.toString('utf8');
}
