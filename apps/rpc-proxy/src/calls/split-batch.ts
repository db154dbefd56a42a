import type { UpstreamQuery } from '../upstream-request/upstream-query.ts';
import { UpstreamRequest } from '../upstream-request/upstream-request.ts';
import type { RpcRequest } from '../http/rpc-handler.ts';
import { answerFull } from '../limits/answer-full.ts';
import { HeldParts } from '../limits/held-parts.ts';
import { respondWithParts } from './assemble-batch.ts';
import type { CallSharing } from './call-sharing.ts';
import { queryOf, type RuledCall } from './ruled-call.ts';
import { errorPart, PartSink } from './part-sink.ts';
import { serveFilter } from './serve-filter.ts';

const AT_ONCE_MAX = 16;

/** Sends each call of a batch by itself, a few at a time, and answers with one array in the order of the calls. */
export function splitBatch(
  sharing: CallSharing | undefined,
  request: RpcRequest,
  calls: readonly RuledCall[],
): void {
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
    respondWithParts(request.reply, replies);
  };
  // A loop and no recursion, because cached answers come synchronously.
  const start = (): void => {
    if (isStarting) return;
    isStarting = true;
    while (!isGone && running < AT_ONCE_MAX && next < calls.length) {
      const index = next++;
      running += 1;
      const leave = askPart({ sharing, request, ruled: calls[index]! }, (body) => finish(index, body));
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

interface PartCall {
  /** Absent: its answer is not shared. */
  readonly sharing?: CallSharing | undefined;
  readonly request: RpcRequest;
  readonly ruled: RuledCall;
  readonly deadline?: number | undefined;
}

/**
 * Serves one call of a batch as a call of its own.
 * @returns what to do when the client leaves
 */
export function askPart(
  { sharing, request, ruled, deadline }: PartCall,
  done: (body: Buffer) => void,
): () => void {
  const part = new PartSink(idOf(request, ruled), done, () => leave?.());
  const goAlone = (_request: RpcRequest, _ruled: RuledCall, until?: number): (() => void) => {
    const upstreamRequest = new UpstreamRequest(
      { ...partQuery(request, ruled), acceptEncoding: undefined, deadline: until },
      part,
    ).start();
    return () => upstreamRequest.abandon();
  };
  const ask = (): (() => void) | undefined => {
    if (ruled.rule.kind === 'filter') return serveFilter(request, ruled, part);
    return sharing !== undefined && sharing.covers(request, ruled)
      ? sharing.answer({ request, ruled, reply: part }, { goAlone, queryOf: partQuery })
      : goAlone(request, ruled, deadline);
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
