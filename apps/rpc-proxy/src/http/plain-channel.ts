import type { ServerResponse } from 'node:http';
import { JOINED_BYTES_MAX, type ReplyChannel, type ReplyStart } from './reply-channel.ts';

/** One answer through node:http. */
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
   * A small body goes out with its head as one text, in one write. `end` with a body would write three pieces (head,
   * body, end), and their way through the streams and the kernel costs as much as a whole request.
   */
  send(status: number, headers: readonly string[], body: Buffer): void {
    // If the body is not complete, its rest is not waited for: the answer is the connection's last one.
    const { socket } = this.#res.writeHead(
      status,
      this.#res.req.complete ? (headers as string[]) : [...headers, 'Connection', 'close'],
    );
    // Without a socket, the answer waits behind earlier replies of the same connection.
    if (socket === null) this.#putHead();
    if (socket === null || body.length === 0 || body.length > JOINED_BYTES_MAX)
      return void this.#res.end(body);
    socket.cork();
    this.#res.write(body.toString('latin1', 0, body.length), 'latin1');
    socket.uncork();
    this.#res.end();
  }

  begin({ status, headers }: ReplyStart, pieces: readonly Buffer[], resume: () => void): boolean {
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
    // Corked here, because `write` itself would hold the data back until the next turn.
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

  /**
   * If a `100 Continue` waits too, node:http would put the head of an answer in bytes before everything that waits;
   * this puts it after.
   */
  #putHead(): void {
    this.#res.flushHeaders();
  }
}
