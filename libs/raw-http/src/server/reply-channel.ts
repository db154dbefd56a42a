/**
 * The way of one answer to its client: whole with `send`, or in pieces with `begin`, `write` and `end`. Headers are name,
 * value, name, value; those of the connection are the channel's own.
 */
export interface ReplyChannel {
  /** The client left, or the connection was cut. */
  readonly isGone: boolean;
  /** There is a head already: no other answer can be given. */
  readonly isBegun: boolean;
  /** @param body the channel's from here on, and not changed any more */
  send(status: number, headers: readonly string[], body: Buffer): void;
  /** The first pieces, lent as those of `write`; `resume` is called when those are done with for which false was returned. */
  begin(status: number, headers: readonly string[], pieces: readonly Buffer[], resume: () => void): boolean;
  /** True: the piece is done with. False: it is needed until `resume`. */
  write(piece: Buffer): boolean;
  end(): void;
  /** Cuts the connection: what is out is no whole answer. */
  destroy(): void;
  /** What to do when the client leaves before its answer is out; the last one given counts. */
  onLeave(leave: () => void): void;
  /** Told once that nothing of the answer is held any more: the kernel has all of it, or the client is gone. */
  watcher: { tellOut(): void } | undefined;
  /** What the kernel did not take yet. */
  readonly unsentBytes: number;
}

/** Up to here a body is cheaper as text behind its head, in one write. */
export const JOINED_BYTES_MAX = 8_192;
