import { StaleConnectionError } from '../upstreams/pooled-connection.ts';
import type { ReplyHead } from '../upstreams/reply-head.ts';
import type { Full, MemoryQuota } from '../limits/tenants.ts';
import type { Ticking } from '../upstreams/clock.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import type { UpstreamQuery } from './upstream-query.ts';
import { isFailure, isTold, judgePathReply, judgeReply, readPauseMs, startsAsJson } from './judge-reply.ts';
import { asKnownTransaction } from './known-transaction.ts';
import { Attempt, type AttemptOwner } from './attempt.ts';
import type { Failure, ResponseSink, WholeReply } from './response-sink.ts';

export const DEADLINE_MS = 30_000;
const ATTEMPTS_MAX = 4;
/** A request that is never repeated does not use a connection that the node may have closed by now. */
const ONCE_IDLE_MS_MAX = 1_000;
const AGAIN_MS = 40;
const AGAIN_MAX = 50;

/**
 * Gets one answer to one query. It picks a node, tries another one after a failure (rpc-gateway.md, trap 5), asks a
 * second one if the first is slow, and reports exactly one outcome to the sink. Sends are never hedged; `once` is never
 * repeated.
 */
export class UpstreamRequest implements AttemptOwner, Ticking {
  readonly wholeBytesMax: number;
  readonly quota: MemoryQuota;
  readonly #query: UpstreamQuery;
  readonly #sink: ResponseSink;
  readonly #deadline: number;
  /** A list, because for so few entries it is cheaper than a set. */
  #attempts: Attempt[] = [];
  #tried: Upstream[] = [];
  #passing: Attempt | undefined;
  #lastReply: WholeReply | undefined;
  #attemptCount = 0;
  #hedgeAt = Infinity;
  #againAt = Infinity;
  #againCount = 0;
  /** Whose limit kept a further attempt from starting. */
  #full: Full | undefined;
  /** From here on only new connections are used. */
  #isFresh = false;
  #isDone = false;

  constructor(query: UpstreamQuery, sink: ResponseSink) {
    this.#query = query;
    this.#sink = sink;
    this.wholeBytesMax = sink.wholeBytesMax;
    this.quota = query.quota;
    const { clock } = query.chain;
    clock.add(this);
    this.#deadline = query.deadline ?? clock.now + DEADLINE_MS;
  }

  start(): this {
    if (!this.#startAttempt()) this.#giveUp('unavailable');
    return this;
  }

  /** The sink is gone. A write continues: whether it takes effect must not depend on who waits. */
  abandon(): void {
    if (this.#isDone) return;
    if (this.#query.kind !== 'read' && this.#query.kind !== 'filter' && this.#passing === undefined) return;
    this.#finish();
  }

  tick(now: number): void {
    if (now >= this.#deadline) {
      if (this.#passing !== undefined) return this.#break();
      return this.#giveUp('timeout');
    }
    if (this.#passing !== undefined) return;
    if (now >= this.#againAt) {
      this.#againAt = Infinity;
      this.#tried = [];
      if (!this.#startAttempt()) this.#giveUp('unavailable');
      return;
    }
    if (now >= this.#hedgeAt) this.#hedge(now);
    for (const attempt of this.#attempts) this.#query.chain.watchSilence(attempt, now);
  }

  onWhole(attempt: Attempt, reply: WholeReply): void {
    this.#drop(attempt);
    const { chain, method } = this.#query;
    const { upstream } = attempt;
    const verdict = (chain.servedPaths === undefined ? judgeReply : judgePathReply)(chain.rpc, reply);
    if (isTold(reply) || verdict === 'unable') this.#lastReply = reply;
    if (verdict === 'broken') {
      upstream.fail(`answered with status ${reply.status}`, attempt.startedAt);
      chain.count(upstream, 'error');
      return this.#goOn(attempt, reply);
    }
    upstream.succeed();
    upstream.latencies.record(method, chain.clock.now - attempt.startedAt);
    if (verdict === 'busy') upstream.pausedUntil = chain.clock.now + readPauseMs(reply.retryAfter);
    if (verdict !== 'answer') {
      chain.count(upstream, verdict);
      return this.#goOn(attempt, reply);
    }
    if (this.#isBackwards(upstream, reply)) return this.#waitForward(reply);
    chain.count(upstream, 'ok');
    chain.raiseMinBlock(this.#query.minBlock, upstream);
    if (this.#query.kind === 'send' || this.#query.kind === 'once') chain.noteWrite();
    this.#finish();
    const isSecondSend = this.#attemptCount > 1 && this.#query.kind === 'send';
    this.#sink.whole(
      (isSecondSend ? asKnownTransaction(chain.rpc, { method, body: this.#query.body, reply }) : undefined) ??
        reply,
      upstream,
    );
  }

  onLarge(attempt: Attempt, head: ReplyHead, pieces: readonly Buffer[]): boolean {
    const { chain } = this.#query;
    // Large failures are pages of a proxy in front of the node.
    if (isFailure(head.status) || (head.status >= 400 && !startsAsJson(pieces[0]!))) {
      attempt.cancel();
      this.#drop(attempt);
      this.#goOn(attempt, undefined);
      return true;
    }
    this.#passing = attempt;
    for (const other of this.#attempts) if (other !== attempt) other.cancel();
    attempt.upstream.succeed();
    chain.count(attempt.upstream, 'ok');
    chain.raiseMinBlock(this.#query.minBlock, attempt.upstream);
    return this.#sink.start(head, pieces, () => attempt.resume());
  }

  onData(_attempt: Attempt, piece: Buffer): boolean {
    return this.#sink.data(piece);
  }

  onEnd(attempt: Attempt): void {
    this.#finish();
    this.#sink.end(attempt.upstream);
  }

  onError(attempt: Attempt, error: Error): void {
    this.#drop(attempt);
    if (error instanceof StaleConnectionError && attempt !== this.#passing && !this.#isFresh)
      return this.#goOnFresh(attempt);
    attempt.upstream.fail(error.message, attempt.startedAt);
    this.#query.chain.count(attempt.upstream, 'error');
    if (attempt === this.#passing) return this.#break();
    this.#goOn(attempt, undefined);
  }

  /**
   * The node had closed a kept connection, which is not a failure of the node. A query that may be repeated is sent
   * over a new connection.
   */
  #goOnFresh(attempt: Attempt): void {
    this.#query.chain.count(attempt.upstream, 'stale');
    this.#isFresh = true;
    if (this.#query.kind === 'read') {
      this.#tried = this.#tried.filter((tried) => tried !== attempt.upstream);
      this.#attemptCount -= 1;
    }
    this.#goOn(attempt, undefined);
  }

  /**
   * Nothing of a foreign reply reaches the client. The node may be healthy, so it is asked again if there is no other
   * one.
   */
  onForeign(attempt: Attempt, { status, retryAfter }: ReplyHead): void {
    this.#drop(attempt);
    const { chain } = this.#query;
    chain.count(attempt.upstream, 'mismatch');
    if (status === 429) attempt.upstream.pausedUntil = chain.clock.now + readPauseMs(retryAfter);
    if (attempt === this.#passing) return this.#break();
    this.#goOn(attempt, undefined, ATTEMPTS_MAX);
  }

  /** The node turned out to be silent: give the attempt up if another node can answer. */
  onSilent(attempt: Attempt): void {
    if (this.#isDone || attempt === this.#passing || attempt.isDone) return;
    if (!this.#mayGoAgain(attempt) || this.#pick() === undefined) return;
    this.#drop(attempt);
    attempt.cancel();
    this.#query.chain.count(attempt.upstream, 'error');
    this.#goOn(attempt, undefined);
  }

  /** Another attempt may still bring an answer. */
  onFull(attempt: Attempt, full: Full): void {
    this.#drop(attempt);
    if (this.#attempts.length === 0) this.#giveUp(full);
  }

  #startAttempt(): boolean {
    const { chain } = this.#query;
    const upstream = this.#pick();
    if (upstream === undefined) {
      if (!chain.isStarting) return false;
      this.#againAt = chain.clock.now + 2;
      return true;
    }
    const attempt = new Attempt(this, { upstream, now: chain.clock.now, asked: this.#query.asked });
    this.#full = attempt.reserve(this.#query.body.length);
    if (this.#full !== undefined) return false;
    this.#tried.push(upstream);
    this.#attemptCount += 1;
    this.#attempts.push(attempt);
    this.#hedgeAt =
      this.#mayHedge && this.#attempts.length === 1 && chain.upstreams.length > 1
        ? attempt.startedAt + upstream.latencies.hedgeDelayMs(this.#query.method)
        : Infinity;
    if (this.#isFresh) attempt.idleMsMax = 0;
    else if (this.#query.kind === 'once') attempt.idleMsMax = ONCE_IDLE_MS_MAX;
    upstream.send(attempt, this.#query);
    if (this.#attempts.every(({ isQueued }) => isQueued)) this.#sink.onQueued?.();
    return true;
  }

  #pick(): Upstream | undefined {
    const { chain, minBlock, upstream, first } = this.#query;
    if (upstream !== undefined) return this.#tried.includes(upstream) ? undefined : upstream;
    return chain.pick(this.#tried, minBlock, first);
  }

  get #mayHedge(): boolean {
    return this.#query.kind === 'read' && this.#query.first === undefined;
  }

  #hedge(now: number): void {
    const { chain, method } = this.#query;
    const [attempt] = this.#attempts;
    // A call that still waits for its turn does not show that the node is slow.
    if (
      attempt !== undefined &&
      (!attempt.isSent || now < attempt.startedAt + attempt.upstream.latencies.hedgeDelayMs(method))
    )
      return;
    this.#hedgeAt = Infinity;
    if (this.#attemptCount >= ATTEMPTS_MAX || !chain.canHedge(this.#tried, this.#query.minBlock)) return;
    chain.hedges.take();
    for (const slow of this.#attempts) chain.count(slow.upstream, 'slow');
    if (!this.#startAttempt()) this.#full = undefined;
  }

  /** An attempt failed. If no other attempt is in flight, the next node is asked. */
  #goOn(attempt: Attempt, reply: WholeReply | undefined, attemptsOfLastMax = 2): void {
    if (this.#isDone) return;
    if (this.#attempts.length > 0) return;
    if (this.#mayGoAgain(attempt) && this.#attemptCount < ATTEMPTS_MAX) {
      if (this.#startAttempt()) return;
      // There is no other node. The failure may have come from a connection that was already closed, so the node is
      // tried once more.
      if (reply === undefined && this.#attemptCount < attemptsOfLastMax && !attempt.upstream.isDown) {
        this.#tried = [];
        if (this.#startAttempt()) return;
      }
    }
    this.#giveUp('unavailable');
  }

  #mayGoAgain(attempt: Attempt): boolean {
    const { kind } = this.#query;
    return kind === 'read' || kind === 'send' || !attempt.isSent;
  }

  #isBackwards(upstream: Upstream, reply: WholeReply): boolean {
    const { chain, minBlock, method, params } = this.#query;
    const reader = chain.rpc.blockReaders.get(method);
    if (reader === undefined || reply.contentEncoding !== undefined) return false;
    const number = reader.read(reply.body, params);
    if (number === undefined) return false;
    if (upstream.head === undefined || number > upstream.head.number) chain.learnHead(upstream, number);
    // The node has the block, so its head is at least that high, and answers cached for an earlier head are out of
    // date.
    if (reader.tells === 'block') return false;
    if (this.#againCount >= AGAIN_MAX || !chain.isBehind(minBlock, upstream, number)) return false;
    // Its earlier head is not believed any more: otherwise this node would be picked again and again while the others
    // have not reported.
    if (upstream.head !== undefined && number < upstream.head.number) chain.learnHead(upstream, number);
    return true;
  }

  #waitForward(reply: WholeReply): void {
    this.#lastReply = reply;
    if (this.#attempts.length > 0) return;
    this.#againCount += 1;
    this.#attemptCount = 0;
    // Another node may know the block already.
    this.#againAt = this.#query.chain.clock.now + (this.#againCount === 1 ? 0 : AGAIN_MS);
  }

  #giveUp(failure: Failure): void {
    if (this.#isDone) return;
    const reply = this.#lastReply;
    this.#finish();
    if (reply !== undefined) this.#sink.whole(reply);
    else this.#sink.fail(this.#full ?? failure);
  }

  #break(): void {
    this.#finish();
    this.#sink.broken();
  }

  #drop(attempt: Attempt): void {
    const index = this.#attempts.indexOf(attempt);
    if (index !== -1) this.#attempts.splice(index, 1);
  }

  #finish(): void {
    this.#isDone = true;
    this.#query.chain.clock.remove(this);
    for (const attempt of this.#attempts) attempt.cancel();
    this.#attempts = [];
  }
}
