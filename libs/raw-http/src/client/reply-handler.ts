import type { WireHead } from './read-reply-head.ts';

/** The connection of a reply, as the receiver of the reply sees it. */
export interface ReplySource {
  /** Continues after `onBody` returned false. */
  resume(): void;
  /** The reply is no longer wanted. This also ends the connection. */
  abort(): void;
}

/** Is told what happens to one request. */
export interface ReplyHandler {
  /** The request is sent now: from here on the server may have acted. */
  onSend(source: ReplySource): void;
  onHead(head: WireHead): void;
  /** Where to read the next bytes to, instead of the buffer that all connections share. */
  readonly buffer: Buffer | undefined;
  /**
   * Bytes are lent for the duration of the call only, unless the buffer is the handler's own. False: deliver nothing
   * until `resume`, except what has already arrived.
   */
  onBody(bytes: Buffer, start: number, end: number): boolean;
  /**
   * Asked when the reply is complete; `onComplete` follows. False: the reply answers another request, and the
   * connection must not be reused.
   */
  isOwnReply(): boolean;
  onComplete(): void;
  /** Called instead of `onComplete`, at any time. */
  onError(error: Error): void;
}
