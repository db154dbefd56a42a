// SPDX-License-Identifier: Apache-2.0
import type { RpcError, RpcVerdict } from '@chainwatch/chain-core';

const RATE_LIMITED =
  /rate.?limit|too many requests|request limit|compute units|(daily|monthly) (request|quota)|capacity .{0,80}exceeded/i;
// geth, erigon, nethermind, besu, and a proxy without a node.
const NOT_HERE =
  /missing trie node|header not found|block not found|^block 0x\w+ not found|unknown block|state (is )?(unavailable|not available|pruned)|historical state|no state available|service unavailable/i;
/** Only this much of a text is searched: texts come from strangers, and searching a long one costs time. */
const TEXT_MAX = 1_024;
/** The text of a revert is chosen by the contract's author, so it says nothing about the node. */
const REVERTED = /revert|VM exception/i;

/** Judges by the text, because every client uses the codes in its own way. */
export function judgeError({ code, message }: RpcError): RpcVerdict {
  if (code === 429) return 'busy';
  if (code === 3 || typeof message !== 'string') return 'answer';
  const text = message.slice(0, TEXT_MAX);
  if (REVERTED.test(text)) return 'answer';
  if (RATE_LIMITED.test(text)) return 'busy';
  return NOT_HERE.test(text) ? 'unable' : 'answer';
}
