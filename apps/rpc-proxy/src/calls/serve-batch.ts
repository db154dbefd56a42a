import type { ReplyHead } from '@chainwatch/raw-http';
import type { RpcRequest } from '../http/rpc-handler.ts';
import { answerFull } from '../limits/answer-full.ts';
import { HeldParts } from '../limits/held-parts.ts';
import { UpstreamRequest } from '../upstream-request/upstream-request.ts';
import type { UpstreamQuery } from '../upstream-request/upstream-query.ts';
import type { CallSharing } from './call-sharing.ts';
import { errorPart, PartSink } from './part-sink.ts';
import { queryOf, type RuledCall } from './ruled-call.ts';
import { serveFilter } from './serve-filter.ts';

const AT_ONCE_MAX = 16;

const HEAD: ReplyHead = {
  status: 200,
  contentType: 'application/json',
  contentEncoding: undefined,
  retryAfter: undefined,
  contentLength: -1,
};

/** JSON-RPC 2.0, section 6: what answers an empty batch. */
const EMPTY_BATCH = Buffer.from(
  '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: expected a batch of at least one call"}}',
);

/**
 * Serves each call of a batch as a call of its own, a few at a time, and answers with one array in the order of the calls.
 * A batch with a write goes call by call, and to the nodes alone: what stands behind the write sees it.
 */
export function serveBatch(
  sharing: CallSharing | undefined,
  request: RpcRequest,
  calls: readonly RuledCall[],
): void {
  if (calls.length === 0) return request.reply.whole({ ...HEAD, body: EMPTY_BATCH });
  const hasWrite = calls.some(({ rule: { kind } }) => kind === 'send' || kind === 'once');
  const [shared, atOnce] = hasWrite ? [undefined, 1] : [sharing, AT_ONCE_MAX];
  const replies: (Buffer | undefined)[] = calls.map(() => undefined);
  const leaves = new Map<number, () => void>();
  let next = 0;
  let running = 0;
  let open = calls.length;
  let isStarting = false;
  let isGone = false;
  const held = new HeldParts(request.quota);
  const finish = (index: number, body: Buffer): void => {
    // A write goes on without its client.
    if (isGone) return;
    const full = held.take(body);
    replies[index] =
      full === undefined ? body : errorPart(idOf(request, calls[index]!), answerFull(full).error);
    leaves.delete(index);
    running -= 1;
    open -= 1;
    if (open > 0) return start();
    held.release();
    respond(request, replies);
  };
  // A loop and no recursion, because cached answers come synchronously.
  const start = (): void => {
    if (isStarting) return;
    isStarting = true;
    while (!isGone && running < atOnce && next < calls.length) {
      const index = next++;
      running += 1;
      const leave = servePart(shared, { request, ruled: calls[index]! }, (body) => finish(index, body));
      if (replies[index] === undefined) leaves.set(index, leave);
    }
    isStarting = false;
  };
  request.reply.onLeave(() => {
    isGone = true;
    held.release();
    for (const leave of leaves.values()) leave();
  });
  start();
}

/** Notifications have no reply in the array. */
function respond({ reply }: RpcRequest, parts: readonly (Buffer | undefined)[]): void {
  const replies = parts.filter((part): part is Buffer => part !== undefined && part.length > 0);
  if (replies.length === 0) return reply.noContent();
  const pieces = replies.flatMap((part, index) => (index === 0 ? [part] : [COMMA, part]));
  reply.whole({ ...HEAD, body: Buffer.concat([OPEN, ...pieces, CLOSE]) });
}

const OPEN = Buffer.from('[');
const COMMA = Buffer.from(',');
const CLOSE = Buffer.from(']');

/** @returns what to do when the client leaves */
function servePart(
  sharing: CallSharing | undefined,
  { request, ruled }: { readonly request: RpcRequest; readonly ruled: RuledCall },
  done: (body: Buffer) => void,
): () => void {
  const part = new PartSink(idOf(request, ruled), done, () => leave?.());
  const goAlone = (_request: RpcRequest, _ruled: RuledCall, deadline?: number): (() => void) => {
    const query = { ...partQuery(request, ruled), acceptEncoding: undefined, deadline };
    const upstreamRequest = new UpstreamRequest(query, part).start();
    return () => upstreamRequest.abandon();
  };
  const ask = (): (() => void) | undefined => {
    if (ruled.rule.kind === 'filter') return serveFilter(request, ruled, part);
    return sharing?.covers(request, ruled) === true
      ? sharing.answer({ request, ruled, reply: part }, { goAlone, queryOf: partQuery })
      : goAlone(request, ruled);
  };
  const leave = ask();
  return () => leave?.();
}

function idOf({ body }: RpcRequest, { call }: RuledCall): Buffer | undefined {
  return call.idStart === -1 ? undefined : body.subarray(call.idStart, call.idEnd);
}

function partQuery(request: RpcRequest, { call, rule }: RuledCall): UpstreamQuery {
  return {
    ...queryOf(request, { rule, body: request.body, call }),
    body: Buffer.from(request.body.subarray(call.start, call.end)),
  };
}
