import type { RequestListener } from 'node:http';
import { startHttpServer } from '@chainwatch/http';
import type { HttpServer } from '@chainwatch/http';

const body = JSON.stringify({ error: 'rpc gateway is not configured in this build' });

/** Answers every request that this build has no RPC gateway, in the gateway's own error shape (interface.md). */
export function startRpcProxy(options: { port: number }): Promise<HttpServer> {
  return startHttpServer(refuse, options);
}

const refuse: RequestListener = (req, res) => {
  // The body is read to its end, so that the client sees the answer and not a cut connection.
  req.resume();
  res.writeHead(503, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }).end(body);
};
