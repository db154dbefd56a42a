// SPDX-License-Identifier: Apache-2.0
import type { ServerResponse } from 'node:http';
import { JOINED_BYTES_MAX, type ReplyChannel } from './reply-channel.ts';

/** One answer through node:http. */
export class PlainChannel implements ReplyChannel {
  readonly #res: ServerResponse;
  /** Ends the wait for a piece that the kernel does not take. */
  #stopWaiting: (() => void) | undefined;

  readonly #written = (): void => this.#stopWaiting?.();

  constructor(res: ServerResponse) {
    this.#res = res;
  }

  get isGone(): boolean {
    return this.#res.destroyed;
  }

  get isBegun(): boolean {
    return this.#res.headersSent;
  }

  onOut(listener: () => void): void {
    if (this.isGone) listener();
    else this.#res.once('close', listener);
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

  begin(status: number, headers: readonly string[]): void {
    this.#res.writeHead(status, headers as string[]);
    if (this.#res.socket === null) this.#putHead();
    this.#res.once('close', () => this.#stopWaiting?.());
  }

  write(piece: Buffer): Promise<void> | undefined {
    if (this.isGone) return undefined;
    const { socket } = this.#res;
    // Corked here, because `write` itself would hold the data back until the next turn.
    socket?.cork();
    this.#res.write(piece, this.#written);
    socket?.uncork();
    return this.#res.writableLength > 0 ? new Promise((resolve) => (this.#stopWaiting = resolve)) : undefined;
  }

  end(): void {
    this.#res.end();
  }

  destroy(): void {
    this.#res.destroy();
  }

  /**
   * If a `100 Continue` waits too, node:http would put the head of an answer in bytes before everything that waits;
   * this puts it after.
   */
  #putHead(): void {
    this.#res.flushHeaders();
  }
}
