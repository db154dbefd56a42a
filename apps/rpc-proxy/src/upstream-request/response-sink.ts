import type { ReplyHead } from '@chainwatch/raw-http';
import type { Full } from '../limits/memory-quota.ts';
import type { Upstream } from '../upstreams/upstream.ts';

export interface WholeReply extends ReplyHead {
  readonly body: Buffer;
}

/** The last ones: no more may be held for who asks. */
export type Failure = 'unavailable' | 'timeout' | Full;

/** Takes what one upstream request brings: a whole reply, or a start with data behind it, or a failure. Exactly one of them. */
export interface ResponseSink {
  /** Larger replies come in pieces. */
  readonly wholeBytesMax: number;
  whole(reply: WholeReply, upstream?: Upstream): void;
  /** The first pieces of a large reply, lent as those of `data`; `resume` goes on after false was returned. */
  start(head: ReplyHead, pieces: readonly Buffer[], resume: () => void): boolean;
  /** One more, lent for the call; or, where false is returned, until `resume`. */
  data(piece: Buffer): boolean;
  end(upstream?: Upstream): void;
  /** The node broke off behind `start`. */
  broken(): void;
  fail(failure: Failure): void;
  /** The question waits for others of who asks: nobody else should wait for it. */
  onQueued?(): void;
}
