import type { OpenSocket } from '@chainwatch/outbound';
import type { ReplyHandler } from './reply-handler.ts';

/** The pool, as its connections know it. */
export interface ConnectionOwner {
  onConnected(connection: PooledConnection): void;
  /** Done with a reply, and fit for another request. */
  onFree(connection: PooledConnection): void;
  /** Told once, with the reason. */
  onGone(connection: PooledConnection, error: Error): void;
}

/** One connection of a pool, whoever reads and writes HTTP over it. */
export interface PooledConnection {
  /** When it is too old to be used again. */
  freshUntil: number;
  /** When it became free last. */
  idleSince: number;
  readonly bornAt: number;
  readonly isConnected: boolean;
  /** How long after its last reply it may be used again. */
  readonly keepAliveMs: number;
  /** Sends head and body, as they are. */
  send(handler: ReplyHandler, head: string, body: Buffer): void;
  destroy(error: Error): void;
}

/** Throws where the address may not be dialled. */
export type ConnectionClass = new (
  openSocket: OpenSocket,
  owner: ConnectionOwner,
  now: number,
) => PooledConnection;
