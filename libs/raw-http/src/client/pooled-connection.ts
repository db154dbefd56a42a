import type { OpenSocket } from '@chainwatch/outbound';
import type { ReplyHandler } from './reply-handler.ts';

/** The pool as its connections see it. */
export interface ConnectionOwner {
  onConnected(connection: PooledConnection): void;
  /** The reply is complete, and the connection can carry another request. */
  onFree(connection: PooledConnection): void;
  /** Called once, with the reason. */
  onGone(connection: PooledConnection, error: Error): void;
}

/** One connection of a pool, whichever HTTP implementation drives it. */
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

/** The constructor throws if the address is forbidden. */
export type ConnectionClass = new (
  openSocket: OpenSocket,
  owner: ConnectionOwner,
  now: number,
) => PooledConnection;
