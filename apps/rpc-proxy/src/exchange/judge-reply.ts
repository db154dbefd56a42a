import type { ChainFamilyName } from '@chainwatch/chain-core';
import { isNull, scanReply } from '../json/scan-reply.ts';
import { skipSpace } from '../json/skip-value.ts';
import type { WholeReply } from './receiver.ts';

/**
 * `answer`: the client's; `busy`: the node has enough for now; `unable`: the node cannot say, another one may
 * (rpc-gateway.md, trap 5). What is no answer of the node itself is `broken`.
 */
export type Verdict = 'answer' | 'busy' | 'unable' | 'broken';

// Solana: node unhealthy, minimum slot not reached, block not available, block status not available yet.
const UNABLE_CODES: Readonly<Record<ChainFamilyName, ReadonlySet<number>>> = {
  evm: new Set(),
  bitcoin: new Set([-28]),
  solana: new Set([-32005, -32016, -32004, -32014]),
  tron: new Set(),
};
/** Beyond that no error is looked for: nodes' errors of this kind are short. */
const ERROR_BYTES_MAX = 16_384;

export function judgeReply(family: ChainFamilyName, reply: WholeReply): Verdict {
  const { status, body } = reply;
  if (status === 429) return 'busy';
  if (status >= 200 && status < 300) return reply.contentEncoding === undefined ? judgeBody(family, body) : 'answer';
  if (status === 503 && family === 'bitcoin' && body.includes('Work queue depth exceeded')) return 'busy';
  // Bitcoin Core's errors come with 500 or 404: a JSON-RPC error is an answer whatever its status is.
  const isJson = isJsonRpc(body);
  if (status >= 500) return isJson ? judgeBody(family, body) : 'broken';
  // A wrong path, a refused credential: of this node, not of the call.
  return isJson ? judgeBody(family, body) : status === 400 || status === 413 || status === 415 ? 'answer' : 'broken';
}

function isJsonRpc(body: Buffer): boolean {
  const first = body[skipSpace(body, 0)];
  return (first === 0x7b || first === 0x5b) && (body.includes('"error"') || body.includes('"result"'));
}

function judgeBody(family: ChainFamilyName, body: Buffer): Verdict {
  const unable = UNABLE_CODES[family];
  if (unable.size === 0 || body.length > ERROR_BYTES_MAX || !body.includes('"error"')) return 'answer';
  const reply = scanReply(body, skipSpace(body, 0));
  if (reply === undefined || reply.errorStart === -1 || isNull(body, reply.errorStart, reply.errorEnd)) return 'answer';
  const code = findCode(body.toString('utf8', reply.errorStart, reply.errorEnd));
  return code !== undefined && unable.has(code) ? 'unable' : 'answer';
}

function findCode(error: string): number | undefined {
  try {
    const { code } = JSON.parse(error) as { code?: unknown };
    return typeof code === 'number' ? code : undefined;
  } catch {
    return undefined;
  }
}
