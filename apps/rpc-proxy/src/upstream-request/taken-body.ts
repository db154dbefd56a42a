// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage } from 'node:http';

/** Bytes that wait for their reader before the node is held back. */
const WAITING_BYTES_MAX = 98_304;

/**
 * A reply's body, taken in the parser's own calls as `BodyIncoming` takes a request's: as a stream, each short one would
 * cost three listeners and several rounds of the tick queue.
 */
export class TakenBody {
  /** All of it has come. */
  #isEnded = false;
  readonly #res: IncomingMessage;
  readonly #waiting: Buffer[] = [];
  #bytes = 0;
  #failure: Error | undefined;
  #wake: () => void = () => undefined;

  /** @param res of whose body nothing has come yet */
  constructor(res: IncomingMessage) {
    this.#res = res.on('error', (error: Error) => {
      this.#failure = error;
      this.#wake();
    });
    res.push = (piece: Buffer | null): boolean => this.#take(piece);
  }

  /** The next piece; undefined at the end. @throws why the body broke off */
  async next(): Promise<Buffer | undefined> {
    for (;;) {
      const piece = this.#shift();
      if (piece !== undefined || this.#isEnded) return piece;
      if (this.#failure !== undefined) throw this.#failure;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** Nobody reads on. */
  leave(): void {
    if (!this.#isEnded) this.#res.destroy();
  }

  #shift(): Buffer | undefined {
    const piece = this.#waiting.shift();
    if (piece === undefined) return undefined;
    const wasFull = this.#bytes >= WAITING_BYTES_MAX;
    this.#bytes -= piece.length;
    // Once it has ended, the socket is another reply's.
    if (wasFull && !this.#isEnded && this.#bytes < WAITING_BYTES_MAX) this.#res._read(0);
    return piece;
  }

  #take(piece: Buffer | null): boolean {
    // The parser tells the end once more where the connection closes.
    if (this.#isEnded) return false;
    if (piece === null) {
      this.#isEnded = true;
      // node:http is done with the connection then.
      this.#res.emit('end');
    } else {
      this.#waiting.push(piece);
      this.#bytes += piece.length;
    }
    this.#wake();
    return this.#bytes < WAITING_BYTES_MAX;
  }
}
