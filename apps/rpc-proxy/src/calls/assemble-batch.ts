import type { ReplyHead } from '../upstreams/reply-head.ts';
import type { ClientReply } from '../http/client-reply.ts';
import { idKeyOf, idsEqual, scanReplies, scanReply, type ScannedReply } from '../json/scan-reply.ts';
import type { ScannedCall } from '../json/scan-body.ts';
import { skipSpace } from '../json/skip-value.ts';
import type { RuledCall } from './ruled-call.ts';

/**
 * The node's reply to a batch, with one reply for each call that has an id, in the order of the calls. Usually they are
 * in order already, and the node's own bytes are returned.
 */
export function assembleBatch(request: Buffer, calls: readonly RuledCall[], reply: Buffer): Buffer {
  const read = readBatch(
    request,
    calls.map(({ call }) => call).filter(({ idStart }) => idStart !== -1),
    reply,
  );
  return read === undefined || read.isInOrder ? reply : join(read.items);
}

/** A node's reply to each call of a batch. */
interface BatchReply {
  readonly items: readonly Buffer[];
  /** The replies stand in the order of the calls, so the body is the answer as it came. */
  readonly isInOrder: boolean;
}

/** The replies to calls that all have ids; undefined if the node's answer is not a batch reply. */
export function readBatch(
  request: Buffer,
  expected: readonly ScannedCall[],
  reply: Buffer,
): BatchReply | undefined {
  const replies = scanReplies(reply);
  if (replies === undefined) {
    const items = spreadSingle(request, expected, reply);
    return items && { items, isInOrder: false };
  }
  if (isInOrder(request, { expected, reply, replies }))
    return { items: replies.map(({ start, end }) => reply.subarray(start, end)), isInOrder: true };
  const byId = groupById(reply, replies);
  return {
    items: expected.map((call) => takeReply(request, { call, reply, byId }) ?? missingReply(request, call)),
    isInOrder: false,
  };
}

function isInOrder(
  request: Buffer,
  {
    expected,
    reply,
    replies,
  }: {
    readonly expected: readonly ScannedCall[];
    readonly reply: Buffer;
    readonly replies: readonly ScannedReply[];
  },
): boolean {
  return (
    expected.length === replies.length &&
    expected.every((call, index) => answers(request, { call, reply, candidate: replies[index]! }))
  );
}

function answers(
  request: Buffer,
  {
    call,
    reply,
    candidate,
  }: { readonly call: ScannedCall; readonly reply: Buffer; readonly candidate: ScannedReply },
): boolean {
  return (
    candidate.idStart !== -1 &&
    idsEqual(request, call.idStart, call.idEnd, reply, candidate.idStart, candidate.idEnd)
  );
}

/** The first reply with the call's id that no earlier call took: an id may occur twice in a batch. */
function takeReply(
  request: Buffer,
  {
    call: { idStart, idEnd },
    reply,
    byId,
  }: {
    readonly call: ScannedCall;
    readonly reply: Buffer;
    readonly byId: ReadonlyMap<string, ScannedReply[]>;
  },
): Buffer | undefined {
  const taken = byId.get(idKeyOf(request, idStart, idEnd))?.shift();
  return taken && reply.subarray(taken.start, taken.end);
}

function groupById(reply: Buffer, replies: readonly ScannedReply[]): Map<string, ScannedReply[]> {
  const byId = new Map<string, ScannedReply[]>();
  for (const candidate of replies) {
    if (candidate.idStart === -1) continue;
    const key = idKeyOf(reply, candidate.idStart, candidate.idEnd);
    const same = byId.get(key);
    if (same === undefined) byId.set(key, [candidate]);
    else same.push(candidate);
  }
  return byId;
}

function missingReply(request: Buffer, call: ScannedCall): Buffer {
  return errorReply(
    Buffer.from('{"code":-32603,"message":"the node did not answer this call of the batch"}'),
    request,
    call,
  );
}

function errorReply(error: Buffer, request: Buffer, { idStart, idEnd }: ScannedCall): Buffer {
  return Buffer.concat([
    Buffer.from('{"jsonrpc":"2.0","id":'),
    request.subarray(idStart, idEnd),
    Buffer.from(',"error":'),
    error,
    Buffer.from('}'),
  ]);
}

/**
 * The node answered a batch with one object: the reply to its only call, or an error about the whole batch, which is
 * repeated for every call.
 */
function spreadSingle(
  request: Buffer,
  expected: readonly ScannedCall[],
  reply: Buffer,
): readonly Buffer[] | undefined {
  const single = scanReply(reply, skipSpace(reply, 0));
  if (single === undefined) return undefined;
  const [first] = expected;
  if (
    expected.length === 1 &&
    first !== undefined &&
    answers(request, { call: first, reply, candidate: single })
  )
    return [reply.subarray(single.start, single.end)];
  if (single.errorStart === -1) return undefined;
  const error = reply.subarray(single.errorStart, single.errorEnd);
  return expected.map((call) => errorReply(error, request, call));
}

const HEAD: ReplyHead = {
  status: 200,
  contentType: 'application/json',
  contentEncoding: undefined,
  retryAfter: undefined,
  contentLength: -1,
};

/** One array of the replies that were collected one by one. Notifications have no reply in it. */
export function respondWithParts(client: ClientReply, parts: readonly (Buffer | undefined)[]): void {
  const replies = parts.filter((part): part is Buffer => part !== undefined && part.length > 0);
  if (replies.length === 0) return client.noContent();
  client.whole({ ...HEAD, body: join(replies) });
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
