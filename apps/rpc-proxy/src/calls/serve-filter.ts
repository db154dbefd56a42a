import type { ReplyHead } from '@chainwatch/raw-http';
import type { Filter, FilterOwner } from '../chains/filter-book.ts';
import { Exchange } from '../exchange/exchange.ts';
import type { Receiver, WholeReply } from '../exchange/receiver.ts';
import type { RpcRequest } from '../http/rpc-handler.ts';
import { scanReply } from '../json/scan-reply.ts';
import { skipSpace, skipString } from '../json/skip-value.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { demandOf } from './demand-of.ts';
import type { RuledCall } from './serve-request.ts';

/**
 * A call about a filter. One that makes a filter goes to any node, and its answer names an id of the gateway's own; one that
 * names a filter goes to the node that has it, under the node's id. For an id that is not this key's, and where the node is
 * gone, the answer is what a node says of a filter that it does not know.
 * @returns what to do when the client leaves
 */
export function serveFilter(request: RpcRequest, ruled: RuledCall, receiver: Receiver): () => void {
  const asking = new FilterCall(request, ruled, receiver);
  asking.start().catch(() => receiver.fail('unavailable'));
  return () => asking.leave();
}

class FilterCall {
  readonly #request: RpcRequest;
  readonly #ruled: RuledCall;
  readonly #receiver: Receiver;
  #exchange: Exchange | undefined;
  #isGone = false;

  constructor(request: RpcRequest, ruled: RuledCall, receiver: Receiver) {
    this.#request = request;
    this.#ruled = ruled;
    this.#receiver = receiver;
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
    this.#ask(own, filter.upstream, this.#receiver);
    if (rule.method === filters.ends) this.#request.chain.filters.remove(this.#owner, id);
  }

  leave(): void {
    this.#isGone = true;
    this.#exchange?.abandon();
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
    // Nobody could ask for what it finds.
    if (this.#ruled.call.idStart === -1) return this.#receiver.whole({ ...HEAD, body: EMPTY });
    if (!filters.hasRoom(this.#owner))
      return this.#answer(
        '"error":{"code":-32005,"message":"too many filters in use: uninstall some, or wait until they are forgotten"}',
      );
    this.#ask(
      body,
      undefined,
      new MadeFilter(this.#receiver, (upstream, nodeId) => filters.add(this.#owner, { upstream, nodeId })),
    );
  }

  #ask(body: Buffer, upstream: Upstream | undefined, receiver: Receiver): void {
    const { rule, call } = this.#ruled;
    this.#exchange = new Exchange(
      {
        ...demandOf(this.#request, rule, this.#request.body, call),
        body,
        upstream,
        acceptEncoding: undefined,
      },
      receiver,
    ).start();
  }

  #answer(outcome: string): void {
    const { body } = this.#request;
    const { idStart, idEnd } = this.#ruled.call;
    if (idStart === -1) return this.#receiver.whole({ ...HEAD, body: EMPTY });
    this.#receiver.whole({
      ...HEAD,
      body: Buffer.concat([
        Buffer.from('{"jsonrpc":"2.0","id":'),
        body.subarray(idStart, idEnd),
        Buffer.from(`,${outcome}}`),
      ]),
    });
  }
}

/** Passes on what a node says to a call that makes a filter, with another id in place of the node's. */
class MadeFilter implements Receiver {
  readonly wholeBytesMax: number;
  readonly #receiver: Receiver;
  readonly #add: (upstream: Upstream, nodeId: string) => Promise<string | undefined>;

  constructor(receiver: Receiver, add: (upstream: Upstream, nodeId: string) => Promise<string | undefined>) {
    this.wholeBytesMax = receiver.wholeBytesMax;
    this.#receiver = receiver;
    this.#add = add;
  }

  whole(reply: WholeReply, upstream?: Upstream): void {
    const { body } = reply;
    const scanned = scanReply(body, skipSpace(body, 0));
    if (upstream === undefined || scanned === undefined || scanned.resultStart === -1)
      return this.#receiver.whole(reply, upstream);
    const { resultStart, resultEnd } = scanned;
    this.#add(upstream, body.toString('utf8', resultStart, resultEnd))
      .then((id) => {
        if (id === undefined) return this.#receiver.fail('unavailable');
        this.#receiver.whole(
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
      .catch(() => this.#receiver.fail('unavailable'));
  }

  start: Receiver['start'] = (head, pieces, resume) => this.#receiver.start(head, pieces, resume);
  data: Receiver['data'] = (piece) => this.#receiver.data(piece);
  end: Receiver['end'] = (upstream) => this.#receiver.end(upstream);
  broken: Receiver['broken'] = () => this.#receiver.broken();
  fail: Receiver['fail'] = (failure) => this.#receiver.fail(failure);
}

const EMPTY = Buffer.alloc(0);
const HEAD: ReplyHead = {
  status: 200,
  contentType: 'application/json',
  contentEncoding: undefined,
  retryAfter: undefined,
  contentLength: -1,
};

/** Where the first of a list of parameters starts; -1 where that is no text. */
function findFirstString(body: Buffer, paramsStart: number): number {
  if (paramsStart === -1 || body[paramsStart] !== 0x5b) return -1;
  const at = skipSpace(body, paramsStart + 1);
  return body[at] === 0x22 ? at : -1;
}
