import type { ReplyHead } from '../upstreams/reply-head.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import type { Failure, LargeReply, WholeReply } from './outcome.ts';
import type { UpstreamQuery } from './upstream-query.ts';
import { UpstreamRequest } from './upstream-request.ts';

export interface ResponseSink {
  readonly wholeBytesMax: number;
  whole(reply: WholeReply, upstream?: Upstream): void;
  start(head: ReplyHead, pieces: readonly Buffer[], resume: () => void): boolean;
  data(piece: Buffer): boolean;
  end(upstream?: Upstream): void;
  broken(): void;
  fail(failure: Failure): void;
  onQueued?(): void;
}

/** Delivers the outcome of an upstream request to a sink. */
export function askInto(query: UpstreamQuery, sink: ResponseSink): { abandon(): void } {
  const stop = new AbortController();
  const request = new UpstreamRequest(query, {
    wholeBytesMax: sink.wholeBytesMax,
    signal: stop.signal,
    onQueued: () => sink.onQueued?.(),
  });
  void request.run().then((outcome) => {
    if (outcome.type === 'whole') sink.whole(outcome.reply, outcome.upstream);
    else if (outcome.type === 'failed') sink.fail(outcome.failure);
    else if (outcome.type === 'large') void deliver(outcome, sink);
  });
  return { abandon: () => stop.abort() };
}

async function deliver({ head, pieces, signal, upstream }: LargeReply, sink: ResponseSink): Promise<void> {
  let isBegun = false;
  let resume: () => void = () => undefined;
  try {
    for await (const piece of pieces) {
      const isTaken = isBegun ? sink.data(piece) : sink.start(head, [piece], () => resume());
      isBegun = true;
      if (!isTaken)
        await new Promise<void>((resolve) => {
          resume = resolve;
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
    }
    sink.end(upstream);
  } catch {
    sink.broken();
  }
}
