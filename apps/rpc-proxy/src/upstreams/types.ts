import type { ReplyHandler } from '@chainwatch/raw-http';
import type { QueuedCall } from '../limits/call-queue.ts';

/** What goes to a node. */
export interface RequestMessage {
  readonly body: Buffer;
  /** Behind the address of the node's HTTP interface: `/wallet/getnowblock`. */
  readonly rest?: string;
  readonly verb?: 'POST' | 'GET';
  readonly acceptEncoding?: string | undefined;
}

/** A request to one node, as its connections see it. */
export interface UpstreamAttempt extends ReplyHandler, QueuedCall {
  /** What is sent, while it waits. */
  request: RequestMessage | undefined;
  isQueued: boolean;
  readonly isSent: boolean;
  /** Connections that were idle for longer are not used for it. */
  readonly idleMsMax: number;
  /** The node says nothing to anybody. */
  tellSilent(): void;
}
