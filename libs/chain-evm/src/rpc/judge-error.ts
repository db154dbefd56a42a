import type { RpcError, RpcVerdict } from '@chainwatch/chain-core';

const RATE_LIMITED =
  /rate.?limit|too many requests|request limit|compute units|(daily|monthly) (request|quota)|capacity .{0,80}exceeded/i;
// geth, erigon, nethermind, besu, and a proxy without a node.
const NOT_HERE =
  /missing trie node|header not found|block not found|^block 0x\w+ not found|unknown block|state (is )?(unavailable|not available|pruned)|historical state|no state available|service unavailable/i;
/** Where what a node means stands at the latest: the texts are strangers', and their length costs. */
const TEXT_MAX = 1_024;
/** What a contract says is its author's choice. */
const REVERTED = /revert|VM exception/i;

/** Codes mean what each client wants them to mean: the text tells. */
export function judgeError({ code, message }: RpcError): RpcVerdict {
  if (code === 429) return 'busy';
  if (code === 3 || typeof message !== 'string') return 'answer';
  const text = message.slice(0, TEXT_MAX);
  if (REVERTED.test(text)) return 'answer';
  if (RATE_LIMITED.test(text)) return 'busy';
  return NOT_HERE.test(text) ? 'unable' : 'answer';
}
