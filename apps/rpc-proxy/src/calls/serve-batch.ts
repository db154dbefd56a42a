import type { UpstreamQuery } from '../upstream-request/upstream-query.ts';
import { UpstreamRequest } from '../upstream-request/upstream-request.ts';
import type { Failure, ResponseSink, WholeReply } from '../upstream-request/response-sink.ts';
import type { RpcRequest } from '../http/rpc-handler.ts';
import type { MethodKind } from '../methods/method-rule.ts';
import { assembleBatch } from './assemble-batch.ts';
import type { CallSharing } from './call-sharing.ts';
import { queryOf, type RuledCall } from './ruled-call.ts';
import { SharedBatch } from './shared-batch.ts';
import { splitBatch } from './split-batch.ts';

/** Replies that the node did not keep in order are sorted up to this size; larger ones are passed on as they come. */
const WHOLE_BYTES_MAX = 8 * 1_048_576;

/**
 * Sends a batch to one node, in the client's bytes. If the nodes limit batches, or a call is about a filter, each call
 * goes alone: each filter may belong to another node.
 */
export function serveBatch(
  sharing: CallSharing | undefined,
  request: RpcRequest,
  calls: readonly RuledCall[],
): void {
  const isSplit =
    (request.chain.rpc.splitsBatches && calls.length > 0) || calls.some(({ rule }) => rule.kind === 'filter');
  if (isSplit) return splitBatch(sharing, request, calls);
  // After a write in the same batch, cached answers may be out of date, so the node answers all of it.
  const isShared =
    sharing !== undefined &&
    calls.every(({ rule }) => rule.kind === 'read') &&
    calls.some((ruled) => sharing.covers(request, ruled));
  if (isShared)
    return new SharedBatch({ sharing, request, calls, serveWhole: () => serveWhole(request, calls) }).ask();
  serveWhole(request, calls);
}

function serveWhole(request: RpcRequest, calls: readonly RuledCall[]): void {
  const { reply } = request;
  const upstreamRequest = new UpstreamRequest(batchQuery(request, calls), new BatchSink(request, calls));
  reply.onLeave(() => upstreamRequest.abandon());
  upstreamRequest.start();
}

function batchQuery(request: RpcRequest, calls: readonly RuledCall[]): UpstreamQuery {
  const { chain, body, principal, req, quota } = request;
  const asked = { body, calls: calls.map(({ call }) => call), isBatch: true };
  if (calls.length === 1)
    return { ...queryOf(request, { rule: calls[0]!.rule, body, call: calls[0]!.call }), asked };
  return {
    chain,
    quota,
    body,
    asked,
    kind: strictestOf(calls),
    method: 'batch',
    params: '',
    minBlock: chain.minBlockOf(principal.keyId),
    acceptEncoding: calls.length === 0 ? undefined : (req.headers['accept-encoding'] as string | undefined),
  };
}

const STRICTNESS: readonly MethodKind[] = ['read', 'send', 'filter', 'once'];

function strictestOf(calls: readonly RuledCall[]): MethodKind {
  return STRICTNESS[Math.max(0, ...calls.map(({ rule }) => STRICTNESS.indexOf(rule.kind)))]!;
}

class BatchSink implements ResponseSink {
  readonly wholeBytesMax = WHOLE_BYTES_MAX;
  readonly #request: RpcRequest;
  readonly #calls: readonly RuledCall[];

  constructor(request: RpcRequest, calls: readonly RuledCall[]) {
    this.#request = request;
    this.#calls = calls;
  }

  whole(reply: WholeReply): void {
    const { reply: client, body } = this.#request;
    // The node's answer to `[]`, or a compressed one, is passed on as it is.
    if (this.#calls.length === 0 || reply.contentEncoding !== undefined) return client.whole(reply);
    if (this.#calls.every(({ call }) => call.idStart === -1) && reply.status < 300) return client.noContent();
    client.whole({ ...reply, body: assembleBatch(body, this.#calls, reply.body) });
  }

  start: ResponseSink['start'] = (head, pieces, resume) => this.#request.reply.start(head, pieces, resume);
  data: ResponseSink['data'] = (piece) => this.#request.reply.data(piece);
  end(): void {
    this.#request.reply.end();
  }
  broken(): void {
    this.#request.reply.broken();
  }
  fail(failure: Failure): void {
    this.#request.reply.fail(failure);
  }
}
