import { BaseError } from '@chainwatch/problem';
import type { ReplyHead } from './reply-head.ts';

/** The pool as its connections see it. */
export interface ConnectionOwner {
  onConnected(connection: PooledConnection): void;
  /** The reply is complete, and the connection can carry another request. */
  onFree(connection: PooledConnection): void;
  /** Called once, with the reason. */
  onGone(connection: PooledConnection, error: Error): void;
}

/** One connection of a pool. */
export interface PooledConnection {
  /** When the connection becomes too old to be reused. */
  freshUntil: number;
  /** When it last became free. */
  idleSince: number;
  readonly bornAt: number;
  readonly isConnected: boolean;
  /** How long after its last reply it may be reused. */
  readonly keepAliveMs: number;
  /** Sends head and body unchanged. */
  send(handler: ReplyHandler, head: string, body: Buffer): void;
  destroy(error: Error): void;
}

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
  onHead(head: ReplyHead): void;
  /** The piece is the handler's from here on. False: deliver nothing until `resume`, except what has already arrived. */
  onBody(piece: Buffer): boolean;
  /**
   * Asked when the reply is complete; `onComplete` follows. False: the reply answers another request, and the
   * connection must not be reused.
   */
  isOwnReply(): boolean;
  onComplete(): void;
  /** Called instead of `onComplete`, at any time. */
  onError(error: Error): void;
}

/**
 * A kept connection was lost before the first byte of the reply: the server had closed it, perhaps before the request
 * arrived.
 */
export class StaleConnectionError extends BaseError {
  readonly code = 'stale_connection';
  readonly retryable = true;
  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}
