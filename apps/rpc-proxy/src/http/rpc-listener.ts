import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { ClientReply } from './client-reply.ts';
import type { BodyPayers } from './door.ts';
import { NodeChannel } from './node-channel.ts';
import { readBody } from './read-body.ts';
import type { RpcHandler } from './rpc-handler.ts';
import type { RpcIncoming } from './rpc-incoming.ts';

/** What needs no key. */
export interface PublicListeners {
  readonly serveList: RequestListener;
  /** @returns false where it is none that is answered */
  readonly servePreflight: (req: IncomingMessage, res: ServerResponse) => boolean;
}

/** Requests that node:http reads: preflights, the list of the networks, and calls in every form that HTTP allows. */
export function createRpcListener(
  handle: RpcHandler,
  payers: BodyPayers,
  { serveList, servePreflight }: PublicListeners,
): RequestListener<typeof RpcIncoming> {
  return (req, res) => {
    if (req.method === 'OPTIONS' && servePreflight(req, res)) return;
    if (req.url === '/' || req.url === '' || req.url?.startsWith('/?')) return serveList(req, res);
    const reply = new ClientReply(new NodeChannel(res));
    readBody(req, payers, (error, body) => handle(req, reply, error, body));
  };
}
