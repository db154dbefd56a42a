import type { ServerResponse } from 'node:http';
import { JOINED_BYTES_MAX, type ReplyChannel } from './reply-channel.ts';

/** An answer over node:http. */
export class PlainChannel implements ReplyChannel {
  watcher: { tellOut(): void } | undefined;
  readonly #res: ServerResponse;
  #leave: (() => void) | undefined;
  #isWaiting = false;
  #written: (() => void) | undefined;

  constructor(res: ServerResponse) {
    this.#res = res;
    res.on('close', () => {
      if (!res.writableFinished) this.#leave?.();
      this.watcher?.tellOut();
    });
  }

  get isGone(): boolean {
    return this.#res.destroyed;
  }

  get unsentBytes(): number {
    return this.#res.writableLength;
  }

  get isBegun(): boolean {
    return this.#res.headersSent;
  }

  /**
   * A small body goes out with its head as one text, in one write. `end` with a body would make three pieces of it: the
   * head, the body and an end, whose way through the streams and the kernel costs as much as a request of our own.
   */
  send(status: number, headers: readonly string[], body: Buffer): void {
    // What comes of a body behind its answer is not waited for.
    const { socket } = this.#res.writeHead(
      status,
      this.#res.req.complete ? (headers as string[]) : [...headers, 'Connection', 'close'],
    );
    // Without a socket it waits behind earlier replies on the same connection.
    if (socket === null) this.#putHead();
    if (socket === null || body.length === 0 || body.length > JOINED_BYTES_MAX)
      return void this.#res.end(body);
    socket.cork();
    this.#res.write(body.toString('latin1', 0, body.length), 'latin1');
    socket.uncork();
    this.#res.end();
  }

  begin(status: number, headers: readonly string[], pieces: readonly Buffer[], resume: () => void): boolean {
    this.#res.writeHead(status, headers as string[]);
    this.#written = () => {
      if (!this.#isWaiting || this.#res.writableLength > 0) return;
      this.#isWaiting = false;
      resume();
    };
    const { socket } = this.#res;
    if (socket === null) this.#putHead();
    socket?.cork();
    for (const piece of pieces) this.write(piece);
    socket?.uncork();
    this.#isWaiting = this.#res.writableLength > 0;
    return !this.#isWaiting;
  }

  write(piece: Buffer): boolean {
    const { socket } = this.#res;
    // Held back by us, it is not held back until the next turn by `write` itself.
    socket?.cork();
    this.#res.write(piece, this.#written);
    socket?.uncork();
    this.#isWaiting = this.#res.writableLength > 0;
    return !this.#isWaiting;
  }

  end(): void {
    this.#res.end();
  }

  destroy(): void {
    this.#res.destroy();
  }

  onLeave(leave: () => void): void {
    this.#leave = leave;
  }

  /** Behind a `100 Continue` that waits as well: node:http puts the head of an answer in bytes before all that waits. */
  #putHead(): void {
    this.#res.flushHeaders();
  }
}
