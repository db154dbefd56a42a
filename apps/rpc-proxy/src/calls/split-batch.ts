import { Exchange } from '../exchange/exchange.ts';
import type { Failure, Receiver, ReplyHead, WholeReply } from '../exchange/receiver.ts';
import type { RpcRequest } from '../http/rpc-listener.ts';
import { join } from './assemble-batch.ts';
import { demandOf } from './demand-of.ts';
import type { RuledCall } from './serve-request.ts';

const AT_ONCE_MAX = 16;
const HEAD: ReplyHead = { status: 200, contentType: 'application/json', contentEncoding: undefined, retryAfter: undefined, contentLength: -1 };

/** Each call of a batch by itself, some at a time, and one array of the replies in the order of the calls. */
export function splitBatch(request: RpcRequest, calls: readonly RuledCall[]): void {
  const replies: (Buffer | undefined)[] = calls.map(() => undefined);
  const running = new Set<Exchange>();
  let next = 0;
  let open = calls.length;
  let isGone = false;
  const finish = (index: number, exchange: Exchange | undefined, body: Buffer): void => {
    replies[index] = body;
    if (exchange !== undefined) running.delete(exchange);
    open -= 1;
    if (open === 0) respond(request, replies);
    else startNext();
  };
  const startNext = (): void => {
    if (isGone || next >= calls.length) return;
    const index = next++;
    const { call, rule } = calls[index]!;
    const body = Buffer.from(request.body.subarray(call.start, call.end));
    const id = call.idStart === -1 ? undefined : request.body.subarray(call.idStart, call.idEnd);
    const receiver = new PartReceiver(id, (part) => finish(index, exchange, part));
    const exchange = new Exchange({ ...demandOf(request, rule, body, { ...call, paramsStart: -1 }), acceptEncoding: undefined }, receiver);
    running.add(exchange);
    exchange.start();
  };
  request.reply.res.on('close', () => {
    isGone = true;
    for (const exchange of running) exchange.abandon();
  });
  for (let count = Math.min(AT_ONCE_MAX, calls.length); count > 0; count -= 1) startNext();
}

function respond({ reply }: RpcRequest, replies: readonly (Buffer | undefined)[]): void {
  const parts = replies.filter((part): part is Buffer => part !== undefined && part.length > 0);
  if (parts.length === 0) return reply.noContent();
  reply.whole({ ...HEAD, body: join(parts) });
}

/** Collects one reply, however large. */
class PartReceiver implements Receiver {
  readonly wholeBytesMax = Infinity;
  readonly #id: Buffer | undefined;
  readonly #done: (body: Buffer) => void;

  constructor(id: Buffer | undefined, done: (body: Buffer) => void) {
    this.#id = id;
    this.#done = done;
  }

  whole(reply: WholeReply): void {
    // Where a node failed with a page instead of a reply, the call gets an error of its own.
    const isReply = reply.body.length === 0 ? this.#id === undefined : reply.body[0] === 0x7b;
    if (isReply) this.#done(this.#id === undefined ? EMPTY : reply.body);
    else this.fail('unavailable');
  }

  fail(failure: Failure): void {
    if (this.#id === undefined) return this.#done(EMPTY);
    const text = failure === 'timeout' ? 'no answer within 30 seconds' : 'network unavailable';
    this.#done(Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":'), this.#id, Buffer.from(`,"error":{"code":-32603,"message":"${text}"}}`)]));
  }

  start(): boolean {
    return true;
  }
  data(): boolean {
    return true;
  }
  end(): void {
    this.fail('unavailable');
  }
  broken(): void {
    this.fail('unavailable');
  }
}

const EMPTY = Buffer.alloc(0);
