import type { ReplyHandler } from './pooled-connection.ts';
import type { QueuedCall } from '../limits/call-queue.ts';

/** One request to a node. */
export interface RequestMessage {
  readonly body: Buffer;
  /** The path after the address of the node's HTTP interface: `/wallet/getnowblock`. */
  readonly rest?: string;
  readonly verb?: 'POST' | 'GET';
  readonly acceptEncoding?: string | undefined;
}

/** A request to one node, as its connections see it. */
export interface UpstreamAttempt extends ReplyHandler, QueuedCall {
  /** The request to send, while it waits. */
  request: RequestMessage | undefined;
  isQueued: boolean;
  readonly isSent: boolean;
  /** Connections that have been idle for longer are not used. */
  readonly idleMsMax: number;
  /** The node answers nobody. */
  tellSilent(): void;
}
