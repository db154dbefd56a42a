import type { RequestListener } from 'node:http';
import { ClientReply } from './client-reply.ts';
import type { BodyPayers } from './door.ts';
import { NodeChannel } from './node-channel.ts';
import { readBody } from './read-body.ts';
import type { RpcHandler } from './rpc-handler.ts';
import type { RpcIncoming } from './rpc-incoming.ts';

/** Requests that node:http reads: the list of the networks, and calls in every form that HTTP allows. */
export function createRpcListener(handle: RpcHandler, payers: BodyPayers, serveList: RequestListener): RequestListener<typeof RpcIncoming> {
  return (req, res) => {
    if (req.url === '/' || req.url === '' || req.url?.startsWith('/?')) return serveList(req, res);
    const reply = new ClientReply(new NodeChannel(res));
    readBody(req, payers, (error, body) => handle(req, reply, error, body));
  };
}
