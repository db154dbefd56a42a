// SPDX-License-Identifier: Apache-2.0
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
export const JOINED_BYTES_MAX = 8_192;
