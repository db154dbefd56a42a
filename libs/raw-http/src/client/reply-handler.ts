import type { WireHead } from './read-reply-head.ts';

/** The connection that a reply comes over, for the one who waits for it. */
export interface ReplySource {
  /** Goes on after `onBody` returned false. */
  resume(): void;
  /** The reply is not wanted any more: the connection goes with it. */
  abort(): void;
}

/** Told what becomes of one request. */
export interface ReplyHandler {
  /** The request goes out now: from here on the server may have acted. */
  onSend(source: ReplySource): void;
  onHead(head: WireHead): void;
  /** Where to read the bytes that come next, instead of what all connections share. */
  readonly buffer: Buffer | undefined;
  /** The bytes are lent for the call only, unless the buffer is the handler's own. False: no more until `resume`, besides what has arrived. */
  onBody(bytes: Buffer, start: number, end: number): boolean;
  /** The whole reply came, and `onComplete` follows. False: it answers another request, and the connection must not carry one more. */
  isOwnReply(): boolean;
  onComplete(): void;
  /** Instead of `onComplete`, at any time. */
  onError(error: Error): void;
}
