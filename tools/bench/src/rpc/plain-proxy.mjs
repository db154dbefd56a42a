// SPDX-License-Identifier: Apache-2.0
/** `node plain-proxy.mjs <port> <target port>`: the shortest proxy that Node can be. */
import { Agent, createServer, request } from 'node:http';

const agent = new Agent({ keepAlive: true, maxSockets: 256 });
createServer((req, res) => {
  const headers = {
    'content-type': 'application/json',
    'content-length': req.headers['content-length'] ?? 0,
  };
  const upstream = request(
    { agent, host: '127.0.0.1', port: Number(process.argv[3]), method: req.method, path: '/', headers },
    (reply) => {
      res.writeHead(reply.statusCode, {
        'content-type': reply.headers['content-type'],
        'content-length': reply.headers['content-length'] ?? 0,
      });
      reply.pipe(res);
    },
  );
  upstream.on('error', () => res.destroy());
  req.pipe(upstream);
}).listen({ port: Number(process.argv[2]), host: '127.0.0.1', backlog: 4_096 });
