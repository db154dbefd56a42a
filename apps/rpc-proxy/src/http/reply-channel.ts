// SPDX-License-Identifier: Apache-2.0
import type { ServerResponse } from 'node:http';

/**
 * One answer to its client: whole with `send`, or in pieces with `begin`, `write` and `end`. Headers are name, value,
 * name, value; the channel adds those of the connection.
 */
export interface ReplyChannel {
  /** The client left, or the connection was cut. */
  readonly isGone: boolean;
  /** A head was sent: no other answer can be given. */
  readonly isBegun: boolean;
  /** Calls back once nothing of the answer is held any more: the kernel has all of it, or the client is gone. */
  onOut(listener: () => void): void;
  /** @param body belongs to the channel from here on, and must not change */
  send(status: number, headers: readonly string[], body: Buffer): void;
  begin(status: number, headers: readonly string[]): void;
  /** @returns what resolves when the piece is out, or the client is gone; undefined where it is */
  write(piece: Buffer): Promise<void> | undefined;
  end(): void;
  /** Cuts the connection, because the answer is incomplete. */
  destroy(): void;
}

/** Up to this size it is cheaper to append the body to the head as text, in one write. */
const JOINED_BYTES_MAX = 8_192;

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
