import { scanReplies, scanReply, spansEqual, type ScannedReply } from '../json/scan-reply.ts';
import type { ScannedCall } from '../json/scan-call.ts';
import { skipSpace } from '../json/skip-value.ts';
import type { RuledCall } from './serve-request.ts';

/**
 * The node's reply to a batch with one reply for each call that has an id, in the order of the calls. The node's own
 * bytes wherever they are in order already, which is the rule.
 */
export function assembleBatch(request: Buffer, calls: readonly RuledCall[], reply: Buffer): Buffer {
  const expected = calls.map(({ call }) => call).filter(({ idStart }) => idStart !== -1);
  const replies = scanReplies(reply);
  if (replies === undefined) return spreadSingle(request, expected, reply);
  if (isInOrder(request, expected, reply, replies)) return reply;
  return join(expected.map((call) => takeReply(request, call, reply, replies) ?? missingReply(request, call)));
}

function isInOrder(request: Buffer, expected: readonly ScannedCall[], reply: Buffer, replies: readonly ScannedReply[]): boolean {
  return expected.length === replies.length && expected.every((call, index) => answers(request, call, reply, replies[index]!));
}

function answers(request: Buffer, call: ScannedCall, reply: Buffer, candidate: ScannedReply): boolean {
  return candidate.idStart !== -1 && spansEqual(request, call.idStart, call.idEnd, reply, candidate.idStart, candidate.idEnd);
}

/** The first reply with the call's id that no earlier call took: ids may stand there twice. */
function takeReply(request: Buffer, call: ScannedCall, reply: Buffer, replies: ScannedReply[]): Buffer | undefined {
  const index = replies.findIndex((candidate) => answers(request, call, reply, candidate));
  if (index === -1) return undefined;
  const [{ start, end }] = replies.splice(index, 1) as [ScannedReply];
  return reply.subarray(start, end);
}

function missingReply(request: Buffer, call: ScannedCall): Buffer {
  return errorReply(Buffer.from('{"code":-32603,"message":"the node did not answer this call of the batch"}'), request, call);
}

function errorReply(error: Buffer, request: Buffer, { idStart, idEnd }: ScannedCall): Buffer {
  return Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":'), request.subarray(idStart, idEnd), Buffer.from(',"error":'), error, Buffer.from('}')]);
}

/** One object for a batch: the reply to its only call, or an error about the whole, which is then every call's. */
function spreadSingle(request: Buffer, expected: readonly ScannedCall[], reply: Buffer): Buffer {
  const single = scanReply(reply, skipSpace(reply, 0));
  if (single === undefined) return reply;
  const [first] = expected;
  if (expected.length === 1 && first !== undefined && answers(request, first, reply, single)) return join([reply.subarray(single.start, single.end)]);
  if (single.errorStart === -1) return reply;
  const error = reply.subarray(single.errorStart, single.errorEnd);
  return join(expected.map((call) => errorReply(error, request, call)));
}

export function join(items: readonly Buffer[]): Buffer {
  const parts: Buffer[] = [OPEN];
  for (const [index, item] of items.entries()) {
    if (index > 0) parts.push(COMMA);
    parts.push(item);
  }
  parts.push(CLOSE);
  return Buffer.concat(parts);
}

const OPEN = Buffer.from('[');
const COMMA = Buffer.from(',');
const CLOSE = Buffer.from(']');
