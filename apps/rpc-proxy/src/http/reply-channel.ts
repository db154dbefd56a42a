export interface ReplyStart {
  readonly status: number;
  readonly headers: readonly string[];
}

/**
 * One answer to its client: whole with `send`, or in pieces with `begin`, `write` and `end`. Headers are name, value,
 * name, value; the channel adds those of the connection.
 */
export interface ReplyChannel {
  /** The client left, or the connection was cut. */
  readonly isGone: boolean;
  /** A head was sent: no other answer can be given. */
  readonly isBegun: boolean;
  /** @param body belongs to the channel from here on, and must not change */
  send(status: number, headers: readonly string[], body: Buffer): void;
  /**
   * Sends the first pieces, lent like those of `write`; `resume` is called when pieces for which false was returned are
   * done with.
   */
  begin(start: ReplyStart, pieces: readonly Buffer[], resume: () => void): boolean;
  /** True: the piece is done with. False: it is needed until `resume`. */
  write(piece: Buffer): boolean;
  end(): void;
  /** Cuts the connection, because the answer is incomplete. */
  destroy(): void;
  /** Sets what to do if the client leaves before its answer is out; replaces what was set before. */
  onLeave(leave: () => void): void;
  /** Told once when nothing of the answer is held any more: the kernel has all of it, or the client is gone. */
  watcher: { tellOut(): void } | undefined;
  /** Bytes that the kernel has not taken yet. */
  readonly unsentBytes: number;
}

/** Up to this size it is cheaper to append the body to the head as text, in one write. */
export const JOINED_BYTES_MAX = 8_192;
