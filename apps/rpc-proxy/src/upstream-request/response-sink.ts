import type { ReplyHead } from '../upstreams/reply-head.ts';
import type { Full } from '../limits/tenants.ts';
import type { Upstream } from '../upstreams/upstream.ts';

export interface WholeReply extends ReplyHead {
  readonly body: Buffer;
}

/** The values of `Full` mean that no more memory may be held for the caller. */
export type Failure = 'unavailable' | 'timeout' | Full;

/**
 * Receives the outcome of one upstream request, exactly one of: a complete reply, a start followed by data, a failure.
 */
export interface ResponseSink {
  /** Larger replies come in pieces. */
  readonly wholeBytesMax: number;
  whole(reply: WholeReply, upstream?: Upstream): void;
  /** The first pieces of a large reply, lent like those of `data`; `resume` is called later if this returned false. */
  start(head: ReplyHead, pieces: readonly Buffer[], resume: () => void): boolean;
  /** One more piece, lent for the duration of the call or, if it returns false, until `resume`. */
  data(piece: Buffer): boolean;
  end(upstream?: Upstream): void;
  /** The node broke off after `start`. */
  broken(): void;
  fail(failure: Failure): void;
  /** The request waits behind others of the caller, so nobody else should wait for it. */
  onQueued?(): void;
}
