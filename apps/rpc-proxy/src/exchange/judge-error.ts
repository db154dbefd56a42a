import type { ChainFamilyName } from '@chainwatch/chain-core';

/**
 * `answer`: the client's; `busy`: the node has enough for now; `unable`: the node cannot say, another one may
 * (rpc-gateway.md, trap 5). What is no answer of the node itself is `broken`.
 */
export type Verdict = 'answer' | 'busy' | 'unable' | 'broken';

const UNABLE_CODES: Readonly<Record<ChainFamilyName, ReadonlySet<number>>> = {
  // Codes mean what each client wants them to mean: there the text tells.
  evm: new Set(),
  // Warm-up, initial download, not connected to anybody or shutting down.
  bitcoin: new Set([-28, -10, -9]),
  // Node unhealthy, minimum slot not reached, block not available, its status not available yet, cleaned up already.
  solana: new Set([-32005, -32016, -32004, -32014, -32001]),
  tron: new Set(),
};

const RATE_LIMITED =
  /rate.?limit|too many requests|request limit|compute units|(daily|monthly) (request|quota)|capacity .{0,80}exceeded/i;
// geth, erigon, nethermind, besu, and a proxy without a node.
const NOT_HERE =
  /missing trie node|header not found|block not found|^block 0x\w+ not found|unknown block|state (is )?(unavailable|not available|pruned)|historical state|no state available|service unavailable/i;
/** Where what a node means stands at the latest: the texts are strangers', and their length costs. */
const TEXT_MAX = 1_024;
/** What a contract says is its author's choice. */
const REVERTED = /revert|VM exception/i;

/** What a node's JSON-RPC error asks for. */
export function judgeError(
  family: ChainFamilyName,
  { code, message }: { readonly code?: unknown; readonly message?: unknown },
): Verdict {
  if (typeof code === 'number' && UNABLE_CODES[family].has(code)) return 'unable';
  if (family !== 'evm') return 'answer';
  if (code === 429) return 'busy';
  if (code === 3 || typeof message !== 'string') return 'answer';
  const text = message.slice(0, TEXT_MAX);
  if (REVERTED.test(text)) return 'answer';
  if (RATE_LIMITED.test(text)) return 'busy';
  return NOT_HERE.test(text) ? 'unable' : 'answer';
}

/** Beyond that no error is looked for: nodes' errors are short. */
export const ERROR_BYTES_MAX = 16_384;

/**
 * What java-tron writes under status 200 instead of an answer: its rate limiter, on both interfaces; during maintenance;
 * and of a node that was configured without the call, as text or as hexadecimal text.
 */
export function judgeTronText(body: Buffer): Verdict {
  if (body.length > ERROR_BYTES_MAX) return 'answer';
  if (body.includes('"Error"')) {
    if (body.includes('lack of computing resources')) return 'busy';
    return body.includes('MaintenanceUnavailableException') ? 'unable' : 'answer';
  }
  return body.includes('CONTRACT_VALIDATE_ERROR') &&
    (body.includes(UNSUPPORTED) || body.includes(UNSUPPORTED_HEX))
    ? 'unable'
    : 'answer';
}

const UNSUPPORTED = 'this node does not support';
const UNSUPPORTED_HEX = Buffer.from(UNSUPPORTED).toString('hex');
