import type { ReplyHead } from '../upstreams/reply-head.ts';
import type { Filter, FilterOwner } from '../chains/filter-registry.ts';
import type { WholeReply } from '../upstream-request/outcome.ts';
import { askInto, type ResponseSink } from '../upstream-request/response-sink.ts';
import type { RpcRequest } from '../http/rpc-handler.ts';
import { scanReply } from '../json/scan-reply.ts';
import { skipSpace, skipString } from '../json/skip-value.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { queryOf, type RuledCall } from './ruled-call.ts';

/**
 * A call about a filter. A call that makes a filter goes to any node, and its answer carries an id of the gateway's
 * own. A call that names a filter goes to the node that has it, under the node's id. If the id is not this key's, or
 * the node is gone, the client gets the answer that a node gives for an unknown filter.
 * @returns what to do when the client leaves
 */
export function serveFilter(request: RpcRequest, ruled: RuledCall, sink: ResponseSink): () => void {
  const asking = new FilterCall(request, ruled, sink);
  asking.start().catch(() => sink.fail('unavailable'));
  return () => asking.leave();
}

class FilterCall {
  readonly #request: RpcRequest;
  readonly #ruled: RuledCall;
  readonly #sink: ResponseSink;
  #upstreamRequest: { abandon(): void } | undefined;
  #isGone = false;

  constructor(request: RpcRequest, ruled: RuledCall, sink: ResponseSink) {
    this.#request = request;
    this.#ruled = ruled;
    this.#sink = sink;
  }

  async start(): Promise<void> {
    const { body } = this.#request;
    const { call, rule } = this.#ruled;
    const { filters } = this.#request.chain.rpc;
    if (filters === undefined) throw new Error(`expected a family with filters, got ${rule.method}`);
    if (filters.makes.test(rule.method)) return this.#make(body.subarray(call.start, call.end));
    const idStart = findFirstString(body, call.paramsStart);
    if (idStart === -1)
      return this.#answer('"error":{"code":-32602,"message":"invalid params: expected the id of a filter"}');
    const idEnd = skipString(body, idStart);
    const id = body.toString('latin1', idStart + 1, idEnd - 1);
    const filter = await this.#find(id);
    if (this.#isGone) return;
    if (filter === undefined) return this.#answer(filters.unknownAnswer(rule.method));
    const own = Buffer.concat([
      body.subarray(call.start, idStart),
      Buffer.from(filter.nodeId),
      body.subarray(idEnd, call.end),
    ]);
    this.#ask(own, filter.upstream, this.#sink);
    if (rule.method === filters.ends) this.#request.chain.filters.remove(this.#owner, id);
  }

  leave(): void {
    this.#isGone = true;
    this.#upstreamRequest?.abandon();
  }

  get #owner(): FilterOwner {
    const { chain, principal } = this.#request;
    return { chainGid: chain.network.gid, keyId: principal.keyId };
  }

  async #find(id: string): Promise<Filter | undefined> {
    const { chain } = this.#request;
    return chain.filters.find(
      this.#owner,
      id,
      chain.upstreams.filter(({ isDown, isWrongChain }) => !isDown && !isWrongChain),
    );
  }

  #make(body: Buffer): void {
    const { filters } = this.#request.chain;
    // Without an id for its answer, nobody could use the filter.
    if (this.#ruled.call.idStart === -1) return this.#sink.whole({ ...HEAD, body: EMPTY });
    if (!filters.hasRoom(this.#owner))
      return this.#answer(
        '"error":{"code":-32005,"message":"too many filters in use: uninstall some, or wait until they are forgotten"}',
      );
    this.#ask(
      body,
      undefined,
      new MadeFilter(this.#sink, (upstream, nodeId) => filters.add(this.#owner, { upstream, nodeId })),
    );
  }

  #ask(body: Buffer, upstream: Upstream | undefined, sink: ResponseSink): void {
    const { rule, call } = this.#ruled;
    this.#upstreamRequest = askInto(
      {
        ...queryOf(this.#request, { rule, body: this.#request.body, call }),
        body,
        upstream,
        acceptEncoding: undefined,
      },
      sink,
    );
  }

  #answer(outcome: string): void {
    const { body } = this.#request;
    const { idStart, idEnd } = this.#ruled.call;
    if (idStart === -1) return this.#sink.whole({ ...HEAD, body: EMPTY });
    this.#sink.whole({
      ...HEAD,
      body: Buffer.concat([
        Buffer.from('{"jsonrpc":"2.0","id":'),
        body.subarray(idStart, idEnd),
        Buffer.from(`,${outcome}}`),
      ]),
    });
  }
}

/** Passes on the node's answer to a call that makes a filter, with the gateway's id in place of the node's. */
class MadeFilter implements ResponseSink {
  readonly wholeBytesMax: number;
  readonly #sink: ResponseSink;
  readonly #add: (upstream: Upstream, nodeId: string) => Promise<string | undefined>;

  constructor(sink: ResponseSink, add: (upstream: Upstream, nodeId: string) => Promise<string | undefined>) {
    this.wholeBytesMax = sink.wholeBytesMax;
    this.#sink = sink;
    this.#add = add;
  }

  whole(reply: WholeReply, upstream?: Upstream): void {
    const { body } = reply;
    const scanned = scanReply(body, skipSpace(body, 0));
    if (upstream === undefined || scanned === undefined || scanned.resultStart === -1)
      return this.#sink.whole(reply, upstream);
    const { resultStart, resultEnd } = scanned;
    this.#add(upstream, body.toString('utf8', resultStart, resultEnd))
      .then((id) => {
        if (id === undefined) return this.#sink.fail('unavailable');
        this.#sink.whole(
          {
            ...reply,
            body: Buffer.concat([
              body.subarray(0, resultStart),
              Buffer.from(`"${id}"`),
              body.subarray(resultEnd),
            ]),
          },
          upstream,
        );
      })
      .catch(() => this.#sink.fail('unavailable'));
  }

  start: ResponseSink['start'] = (head, pieces, resume) => this.#sink.start(head, pieces, resume);
  data: ResponseSink['data'] = (piece) => this.#sink.data(piece);
  end: ResponseSink['end'] = (upstream) => this.#sink.end(upstream);
  broken: ResponseSink['broken'] = () => this.#sink.broken();
  fail: ResponseSink['fail'] = (failure) => this.#sink.fail(failure);
}

const EMPTY = Buffer.alloc(0);
const HEAD: ReplyHead = {
  status: 200,
  contentType: 'application/json',
  contentEncoding: undefined,
  retryAfter: undefined,
  contentLength: -1,
};

/** Where the first parameter of a list starts; -1 if it is not a string. */
function findFirstString(body: Buffer, paramsStart: number): number {
  if (paramsStart === -1 || body[paramsStart] !== 0x5b) return -1;
  const at = skipSpace(body, paramsStart + 1);
  return body[at] === 0x22 ? at : -1;
}
