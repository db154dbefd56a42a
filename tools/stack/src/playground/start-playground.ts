// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { SetupError } from '@chainwatch/testing/host';
import type { NodeUrls } from '../../../devnet/local-node.ts';
import { coins } from './coins.ts';

interface PlaygroundOptions {
  readonly port: number;
  /** Of the dashboard: pages of nobody else may ask. */
  readonly origin: string;
  readonly nodeUrls: Readonly<Record<string, NodeUrls>>;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const BODY_BYTES_MAX = 4_096;
const AMOUNT = /^\d{1,6}(\.\d{1,18})?$/;

/**
 * Gives coins of the local chains to the dashboard's Playground and to `chainwatch trigger`, on loopback alone. `GET /` lists the chains,
 * `POST /addresses {chain_gid}` makes an address, `POST /payments {chain_gid, to, amount?, from?}` pays one.
 */
export async function startPlayground(options: PlaygroundOptions): Promise<Server> {
  const server = createServer((req, res) => {
    void answer(req, options).then(({ status, body }) => {
      res.writeHead(status, {
        'Content-Type': 'application/json',
        'Cache-Control': 'no-store',
        'Access-Control-Allow-Origin': options.origin,
        'Access-Control-Allow-Headers': 'Content-Type',
        Vary: 'Origin',
      });
      res.end(JSON.stringify(body));
    });
  });
  server.listen(options.port, '127.0.0.1');
  await once(server, 'listening').catch(() => {
    throw new SetupError(`Port ${options.port} is in use: choose another one with --port-offset.`);
  });
  // The stack runs as long as its processes do.
  server.unref();
  return server;
}

async function answer(req: IncomingMessage, { origin, nodeUrls }: PlaygroundOptions): Promise<Answer> {
  if (req.headers.origin !== undefined && req.headers.origin !== origin)
    return refuse(403, `expected a page of ${origin}`);
  if (req.method === 'OPTIONS') return { status: 200, body: {} };
  const known = [...coins].filter(([gid]) => Object.hasOwn(nodeUrls, gid));
  if (req.method === 'GET' && req.url === '/') {
    const chains = known.map(([chain_gid, { symbol, amount, hasAccounts: has_accounts = false }]) => ({
      chain_gid,
      symbol,
      amount,
      has_accounts,
    }));
    return { status: 200, body: { chains } };
  }
  if (req.method !== 'POST') return refuse(404, 'expected GET / or a POST');
  const body = await readBody(req);
  const [gid, coin] = known.find(([each]) => each === body?.chain_gid) ?? [];
  if (gid === undefined || coin === undefined)
    return refuse(400, 'chain_gid: expected one of the local chains');
  if (req.url === '/addresses') return { status: 201, body: { address: coin.createAddress() } };
  if (req.url !== '/payments') return refuse(404, 'expected /addresses or /payments');
  const { to, amount = coin.amount, from } = body!;
  if (typeof to !== 'string' || typeof amount !== 'string' || !AMOUNT.test(amount))
    return refuse(400, 'expected to, an address, and amount, a decimal number as text');
  if (from !== undefined && (typeof from !== 'string' || coin.hasAccounts !== true))
    return refuse(400, `from: ${gid} pays out of one wallet, expected nothing`);
  try {
    return { status: 201, body: { hash: await coin.send(nodeUrls[gid]!.endpoint_url, to, amount, from) } };
  } catch (error) {
    return refuse(422, error instanceof Error ? error.message : String(error));
  }
}

function refuse(status: number, detail: string): Answer {
  return { status, body: { detail } };
}

async function readBody(req: IncomingMessage): Promise<Readonly<Record<string, unknown>> | undefined> {
  let text = '';
  for await (const chunk of req.setEncoding('utf8')) {
    text += chunk;
    if (text.length > BODY_BYTES_MAX) return undefined;
  }
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? { ...body } : undefined;
  } catch {
    return undefined;
  }
}
