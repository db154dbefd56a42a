// SPDX-License-Identifier: Apache-2.0
import type { Full } from '../limits/tenants.ts';
import type { ReplyHead } from '../upstreams/reply-head.ts';
import type { Upstream } from '../upstreams/upstream.ts';

export interface WholeReply extends ReplyHead {
  readonly body: Buffer;
}

/** The values of `Full` mean that no more memory may be held for the caller. */
export type Failure = 'unavailable' | 'timeout' | Full;

/** A reply too large to hold. Whoever gets it reads `pieces` to the end, or cancels. */
export interface LargeReply {
  readonly type: 'large';
  readonly head: ReplyHead;
  /** They throw if the node breaks off, or if the reply turns out to answer another call. */
  readonly pieces: AsyncIterable<Buffer>;
  readonly cancel: () => void;
  /** Sets what is called when it was cancelled, or when its time is over: no more pieces come. */
  readonly onCancel: (listener: () => void) => void;
  readonly upstream: Upstream;
}

/** What asking the nodes brought. */
export type Outcome =
  /** `upstream` is undefined if the reply is a node's failure, for want of a better one. */
  | { readonly type: 'whole'; readonly reply: WholeReply; readonly upstream?: Upstream | undefined }
  | LargeReply
  | { readonly type: 'failed'; readonly failure: Failure }
  /** Nobody waits for it any more. */
  | { readonly type: 'gone' };

export const GONE: Outcome = { type: 'gone' };
