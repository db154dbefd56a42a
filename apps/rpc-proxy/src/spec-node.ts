// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request as it arrived at the node. */
export interface Seen {
  readonly body: string;
  readonly bytes: Buffer;
  readonly headers: IncomingMessage['headers'];
  readonly rawHeaders: readonly string[];
  readonly url: string;
  readonly method: string;
  readonly isHealth: boolean;
}

export type Answer = (seen: Seen, res: ServerResponse, req: IncomingMessage) => void;

/** A spec's node. It answers the gateway's health questions as told, and everything else with `answer`. */
export interface SpecNode {
  readonly url: string;
  readonly port: number;
  readonly server: Server;
  /** Requests, without the gateway's own questions. */
  readonly seen: Seen[];
  answer: Answer;
  /** Method → result; undefined refuses the question. */
  health: Record<string, (params: readonly unknown[]) => unknown>;
  /** Refuses everything, including the gateway's questions, as a provider does when a key has expired. */
  refusal: { readonly status: number; readonly body: string } | undefined;
  /** Accepts requests and answers none, like a stopped process. */
  isSilent: boolean;
  stop(): Promise<void>;
}

export async function startSpecNode(
  answer: Answer = answerResult('"0x1"'),
  options: { chainId?: number; head?: number } = {},
): Promise<SpecNode> {
  const node: Pick<SpecNode, 'answer' | 'health' | 'refusal' | 'seen' | 'isSilent'> = {
    answer,
    refusal: undefined,
    isSilent: false,
    seen: [],
    health: healthyAnswers(options),
  };
  const server = createServer((req, res) => {
    const pieces: Buffer[] = [];
    req.on('data', (piece: Buffer) => pieces.push(piece));
    req.on('end', () => {
      const bytes = Buffer.concat(pieces);
      const body = bytes.toString();
      // Only the gateway's own questions look like this; the specs' clients never send them.
      const health = findHealth(body, node.health) ?? findWalletHealth(req.url!, body, node.health);
      const seen: Seen = {
        body,
        bytes,
        headers: req.headers,
        rawHeaders: req.rawHeaders,
        url: req.url!,
        method: req.method!,
        isHealth: health !== undefined,
      };
      if (node.isSilent) return;
      if (node.refusal !== undefined) {
        if (health === undefined) node.seen.push(seen);
        return sendJson(res, { body: node.refusal.body, status: node.refusal.status });
      }
      if (health !== undefined) return void res.setHeader('content-type', 'application/json').end(health);
      node.seen.push(seen);
      node.answer(seen, res, req);
    });
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return Object.assign(node, {
    url: `http://127.0.0.1:${port}`,
    port,
    server,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

/** The answers of a healthy node of any family. */
function healthyAnswers({
  chainId = 1,
  head = 100,
}: {
  chainId?: number;
  head?: number;
}): SpecNode['health'] {
  const block = (number: number) => ({
    number: `0x${number.toString(16)}`,
    hash: `0x${number.toString(16).padStart(64, '0')}`,
  });
  return {
    eth_chainId: () => `0x${chainId.toString(16)}`,
    eth_getBlockByNumber: ([tag]) => block(tag === 'latest' ? head : head - 10),
    getblockhash: ([height]) =>
      height === 0
        ? '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f'
        : '00000000000000000019f112ec0a9982926f1258cdcc558dd7c3b7e5dc7fa148',
    getbestblockhash: () => 'ab'.repeat(32),
    getblockcount: () => head,
    getGenesisHash: () => '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
    getSlot: () => head,
    getVersion: () => ({}),
    getblock: ([number]) => ({
      blockID: `${'0'.repeat(56)}${(number === 0 ? chainId : head).toString(16).padStart(8, '0')}`,
      block_header: { raw_data: number === 0 ? {} : { number: head } },
    }),
  };
}

/** The gateway's questions have exactly these bytes; the specs' clients use other ids. */
function findHealth(body: string, health: SpecNode['health']): string | undefined {
  const match = /^\{"jsonrpc":"2\.0","id":"health","method":"(\w+)","params":(.*)\}$/.exec(body);
  if (match === null) return undefined;
  const result = health[match[1]!]?.(JSON.parse(match[2]!) as unknown[]);
  return JSON.stringify(
    result === undefined
      ? { jsonrpc: '2.0', id: 'health', error: { code: -32601, message: 'the method does not exist' } }
      : { jsonrpc: '2.0', id: 'health', result },
  );
}

/** Health of TRON's HTTP interface; it answers `{}` for what it does not have. */
function findWalletHealth(url: string, body: string, health: SpecNode['health']): string | undefined {
  if (!/\/wallet\/getblock(\?|$)/.test(url) || !/^\{("id_or_num":"0",)?"detail":false\}$/.test(body))
    return undefined;
  return JSON.stringify(health.getblock?.([body.includes('id_or_num') ? 0 : 'latest']) ?? {});
}

/** Answers each call with this raw result and the call's own id. */
export function answerResult(result: string): Answer {
  return ({ body }, res) => {
    const id = /"id"\s*:\s*("(?:[^"\\]|\\.)*"|[^,}\s]+)/.exec(body)?.[1] ?? 'null';
    sendJson(res, { body: `{"jsonrpc":"2.0","id":${id},"result":${result}}` });
  };
}

export function sendJson(
  res: ServerResponse,
  {
    body,
    status = 200,
    headers = {},
  }: { readonly body: string | Buffer; readonly status?: number; readonly headers?: Record<string, string> },
): void {
  res
    .writeHead(status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      ...headers,
    })
    .end(body);
}
