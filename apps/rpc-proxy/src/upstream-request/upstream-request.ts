// SPDX-License-Identifier: Apache-2.0
import { StaleConnectionError } from '../upstreams/node-connection.ts';
import type { ReplyHead } from '../upstreams/reply-head.ts';
import type { Full } from '../limits/tenants.ts';
import type { Ticking } from '../upstreams/clock.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { ATTEMPTS_MAX, NodeChoice, findUnknown, isOlder } from './node-choice.ts';
import type { UpstreamQuery } from './upstream-query.ts';
import {
  isError,
  isFailure,
  isTold,
  judgePathReply,
  judgeReply,
  readPauseMs,
  withoutPage,
} from './judge-reply.ts';
import { findKnownTransaction } from './known-transaction.ts';
import {
  Attempt,
  ForeignReplyError,
  type AttemptOutcome,
  failureOf,
  traceAttempts,
  type TraceAttempt,
} from './attempt.ts';
import { isRefusal, type Plain, withoutEncoding } from './reply-form.ts';
import { GONE, type Failure, type Outcome, type WholeReply } from './outcome.ts';

export const DEADLINE_MS = 30_000;
/** A request that is never repeated does not use a connection that the node may have closed by now. */
const ONCE_IDLE_MS_MAX = 1_000;
const AGAIN_MS = 40;

export interface UpstreamRequestOptions {
  /** Larger replies come in pieces. */
  readonly wholeBytesMax: number;
  /** Looked at with each tick of the clock. A write continues: whether it takes effect must not depend on who waits. */
  readonly client: { readonly isGone: boolean };
  /** The request waits behind others of the caller, or for what its key has seen, so nobody else should wait for it. */
  readonly onQueued?: (() => void) | undefined;
}

/**
 * Gets one answer to one query. It picks a node, tries another one after a failure (rpc-gateway.md, trap 5), asks a
 * second one if the first is slow, and brings exactly one outcome. Sends are never hedged; `once` is never repeated.
 */
export class UpstreamRequest implements Ticking {
  readonly #query: UpstreamQuery;
  readonly #options: UpstreamRequestOptions;
  readonly #deadline: number;
  #resolve: (outcome: Outcome) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;
  /** A list, because for so few entries it is cheaper than a set. */
  #attempts: Attempt[] = [];
  readonly #choice: NodeChoice;
  /** The attempt whose reply is passed on in pieces. */
  #passing: Attempt | undefined;
  #lastReply: WholeReply | undefined;
  /** Attempts whose bytes were sent and that brought no answer of the node. */
  #sentCount = 0;
  #hedgeAt = Infinity;
  #againAt = Infinity;
  #againCount = 0;
  /** Whose limit kept a further attempt from starting. */
  #full: Full | undefined;
  /** From here on only new connections are used. */
  #isFresh = false;
  /** It waits for a node that has reached what the key has seen. */
  #isBehind = false;
  /** A node did not know a block that the key has seen. */
  #isSeenUnknown = false;
  readonly #traceAttempt: TraceAttempt | undefined;
  place: number | undefined;
  #isDone = false;

  constructor(query: UpstreamQuery, options: UpstreamRequestOptions) {
    this.#query = query;
    this.#options = options;
    this.#choice = new NodeChoice(query);
    this.#traceAttempt = traceAttempts(query.method);
    this.#deadline = query.deadline ?? query.chain.clock.now + DEADLINE_MS;
  }

  /** Brings the one outcome. Called once. */
  run(): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      if (this.#isUnwanted) return resolve(GONE);
      this.#resolve = resolve;
      this.#reject = reject;
      this.#query.chain.clock.add(this);
      if (!this.#startAttempt()) this.#giveUp('unavailable');
    });
  }

  get #isUnwanted(): boolean {
    return this.#options.client.isGone && (!this.#isWrite || this.#passing !== undefined);
  }

  tick(now: number): void {
    if (this.#isUnwanted) return this.#end(GONE);
    if (now >= this.#deadline) {
      // Its pieces end with an error.
      if (this.#passing !== undefined) return this.#finish();
      return this.#giveUp(this.#isBehind ? 'unavailable' : 'timeout');
    }
    if (this.#passing !== undefined) return;
    if (now >= this.#againAt) {
      this.#againAt = Infinity;
      this.#choice.startOver();
      if (!this.#startAttempt()) this.#giveUp('unavailable');
      return;
    }
    if (now >= this.#hedgeAt) this.#hedge(now);
    this.#leaveLost(now);
  }

  async #follow(attempt: Attempt): Promise<void> {
    try {
      const endSpan = this.#traceAttempt?.(attempt.upstream);
      const outcome = await attempt.run(this.#query);
      endSpan?.(this.#attempts.includes(attempt) ? failureOf(outcome) : undefined);
      this.#settle(attempt, outcome);
    } catch (error) {
      this.#reject(error);
    }
  }

  #settle(attempt: Attempt, outcome: AttemptOutcome): void {
    // An attempt that was given up.
    if (!this.#attempts.includes(attempt)) return;
    this.#attempts = this.#attempts.filter((other) => other !== attempt);
    switch (outcome.type) {
      case 'whole':
        return this.#judge(attempt, outcome.reply, outcome.plain);
      case 'broken':
        return this.#goOnAfterError(
          attempt,
          new Error(`answered with no reply under status ${outcome.head.status}`),
        );
      case 'large':
        return this.#passOn(attempt, outcome);
      case 'foreign':
        return this.#goOnAfterForeign(attempt, outcome.head);
      case 'full':
        // Another attempt may still bring an answer.
        return this.#attempts.length === 0 ? this.#giveUp(outcome.full) : undefined;
      case 'error':
        return this.#goOnAfterError(attempt, outcome.error);
    }
  }

  #judge(attempt: Attempt, sent: WholeReply, plain: Plain | undefined): void {
    const { chain, method } = this.#query;
    const { upstream } = attempt;
    const read = withoutEncoding(sent, plain);
    // What is passed on may be compressed; errors are short.
    const reply = isError(sent.status) ? read : sent;
    const verdict = (this.#isPath ? judgePathReply : judgeReply)(chain.rpc, read);
    if (verdict !== 'answer' && (verdict === 'unable' || isTold(read, this.#isPath))) this.#lastReply = reply;
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
    const unknown = findUnknown(this.#query, read);
    if (unknown !== undefined) {
      chain.count(upstream, 'unable');
      this.#lastReply = reply;
      this.#isSeenUnknown ||= unknown === 'seen';
      return this.#goOn(attempt, reply);
    }
    if (isOlder(this.#query, upstream, read)) return this.#waitForward();
    chain.count(upstream, 'ok');
    this.#query.session.raise(upstream.head?.number);
    if (this.#isWrite && !isRefusal(read.body)) this.#noteTaken(upstream);
    this.#end({ type: 'whole', reply, upstream });
  }

  #passOn(attempt: Attempt, large: AttemptOutcome & { readonly type: 'large' }): void {
    const { chain } = this.#query;
    const { head, pieces, over } = large;
    // Large failures are pages of a proxy in front of the node.
    if (isFailure(head.status)) {
      attempt.cancel();
      return this.#goOn(attempt, undefined);
    }
    const start: WholeReply = { ...head, contentEncoding: undefined, body: large.plain.bytes };
    if (isOlder(this.#query, attempt.upstream, start)) {
      attempt.cancel();
      return this.#waitForward();
    }
    for (const other of this.#attempts) other.cancel();
    this.#attempts = [attempt];
    this.#passing = attempt;
    attempt.upstream.succeed();
    chain.count(attempt.upstream, 'ok');
    this.#query.session.raise(attempt.upstream.head?.number);
    if (this.#isWrite) this.#noteTaken(attempt.upstream);
    void over.then((error) => {
      // Otherwise the caller, or the deadline, ended it.
      if (error !== undefined && !this.#isDone) this.#noteFailure(attempt, head, error);
      this.#finish();
    });
    this.#resolve({
      type: 'large',
      head,
      pieces,
      cancel: () => this.#finish(),
      onCancel: (listener) => (attempt.onCancel = listener),
      upstream: attempt.upstream,
    });
  }

  #noteFailure(attempt: Attempt, head: ReplyHead, error: Error): void {
    if (error instanceof ForeignReplyError) return this.#noteForeign(attempt, head);
    attempt.upstream.fail(error.message, attempt.startedAt);
    this.#query.chain.count(attempt.upstream, 'error');
  }

  #goOnAfterError(attempt: Attempt, error: Error): void {
    if (error instanceof StaleConnectionError && !this.#isFresh) return this.#goOnFresh(attempt);
    attempt.upstream.fail(error.message, attempt.startedAt);
    this.#query.chain.count(attempt.upstream, 'error');
    this.#goOn(attempt, undefined);
  }

  /**
   * The node had closed a kept connection, which is not a failure of the node. A query that may be repeated is sent
   * over a new connection.
   */
  #goOnFresh(attempt: Attempt): void {
    this.#query.chain.count(attempt.upstream, 'stale');
    this.#isFresh = true;
    if (this.#query.kind === 'read') this.#choice.takeBack(attempt.upstream);
    this.#goOn(attempt, undefined);
  }

  /**
   * Nothing of a foreign reply reaches the client. The node may be healthy, so it is asked again if there is no other
   * one.
   */
  #goOnAfterForeign(attempt: Attempt, head: ReplyHead): void {
    this.#noteForeign(attempt, head);
    this.#goOn(attempt, undefined, ATTEMPTS_MAX);
  }

  #noteForeign({ upstream }: Attempt, { status, retryAfter }: ReplyHead): void {
    const { chain } = this.#query;
    chain.count(upstream, 'mismatch');
    if (status === 429) upstream.pausedUntil = chain.clock.now + readPauseMs(retryAfter);
  }

  /** Nodes turned out to be silent or out of service: their attempts are given up where another node can answer. */
  #leaveLost(now: number): void {
    const { chain } = this.#query;
    const lost = this.#attempts.filter((attempt) => chain.lost.has(attempt, now));
    for (const attempt of lost) {
      const areAll = this.#attempts.every((other) => lost.includes(other));
      if (!this.#choice.canReplace(attempt, lost, areAll)) continue;
      this.#attempts = this.#attempts.filter((other) => other !== attempt);
      attempt.cancel();
      chain.count(attempt.upstream, 'error');
      this.#goOn(attempt, undefined);
    }
    if (this.#lastReply === undefined || this.#attempts.length === 0) return;
    // A node's error is a better answer than none, except that a block which the key has seen is unknown.
    if (this.#isSeenUnknown && this.#choice.next === 'behind') return;
    if (this.#attempts.every((attempt) => chain.lost.isHopeless(attempt))) this.#giveUp('unavailable');
  }

  #startAttempt(): boolean {
    const { chain, quota, asked } = this.#query;
    const upstream = this.#choice.next;
    if (upstream === 'behind') {
      // Another node would be asked for a better answer only. That a block which the key has seen is unknown is none.
      if (this.#lastReply !== undefined && !this.#isSeenUnknown) return false;
      chain.hurryHealth();
      this.#isBehind = true;
      this.#againAt = chain.clock.now + AGAIN_MS;
      this.#options.onQueued?.();
      return true;
    }
    this.#isBehind = false;
    if (upstream === undefined) {
      if (!chain.isStarting) return false;
      this.#againAt = chain.clock.now + 2;
      return true;
    }
    const { wholeBytesMax } = this.#options;
    const attempt = new Attempt({ upstream, quota, asked, wholeBytesMax, idleMsMax: this.#idleMsMax });
    this.#full = attempt.reserve(this.#query.body.length);
    if (this.#full !== undefined) return false;
    this.#choice.note(upstream);
    this.#attempts.push(attempt);
    this.#hedgeAt =
      this.#mayHedge && this.#attempts.length === 1 && chain.upstreams.length > 1
        ? attempt.startedAt + upstream.latencies.hedgeDelayMs(this.#query.method)
        : Infinity;
    void this.#follow(attempt);
    if (this.#attempts.every(({ isQueued }) => isQueued)) this.#options.onQueued?.();
    return true;
  }

  get #idleMsMax(): number {
    if (this.#isFresh) return 0;
    return this.#query.kind === 'once' ? ONCE_IDLE_MS_MAX : Infinity;
  }

  get #isWrite(): boolean {
    return this.#query.kind !== 'read' && this.#query.kind !== 'filter';
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
    if (!this.#choice.canHedge) return;
    const slow = [...this.#attempts];
    if (!this.#startAttempt()) return void (this.#full = undefined);
    chain.hedges.take();
    for (const { upstream } of slow) chain.count(upstream, 'slow');
  }

  /** An attempt failed. If no other attempt is in flight, the next node is asked. */
  #goOn(attempt: Attempt, reply: WholeReply | undefined, attemptsOfLastMax = 2): void {
    if (this.#isDone) return;
    if (attempt.isSent) this.#sentCount += 1;
    if (this.#attempts.length > 0) return;
    if (this.#choice.mayGoAgain(attempt) && !this.#choice.isOver) {
      if (this.#startAttempt()) return;
      // There is no other node. The failure may have come from a connection that was already closed, so the node is
      // tried once more.
      if (reply === undefined && this.#choice.count < attemptsOfLastMax && !attempt.upstream.isDown) {
        this.#choice.startOver();
        if (this.#startAttempt()) return;
      }
    }
    this.#giveUp('unavailable');
  }

  /**
   * The node took a write: the key reads there what no other node may know yet. A transaction for the public network goes
   * to the nodes that the operator marked as well; nobody waits for them.
   */
  #noteTaken(upstream: Upstream): void {
    const { chain, method, session } = this.#query;
    if (this.#query.upstream !== undefined) return;
    session.noteWrite(upstream.name);
    if (!chain.rpc.transactions.broadcasts.test(method)) return;
    for (const other of chain.upstreams) {
      if (other === upstream || other.source.broadcast !== true || !chain.serves(other)) continue;
      const query: UpstreamQuery = { ...this.#query, upstream: other, kind: 'once', deadline: undefined };
      void new UpstreamRequest(query, { ...this.#options, onQueued: undefined }).run().catch(this.#reject);
    }
  }

  /** Nothing of an older answer is passed on, however long it takes until a node has a newer one. */
  #waitForward(): void {
    if (this.#attempts.length > 0) return;
    this.#isBehind = true;
    this.#againCount += 1;
    this.#choice.count = 0;
    // Another node may know the block already.
    this.#againAt = this.#query.chain.clock.now + (this.#againCount === 1 ? 0 : AGAIN_MS);
    if (this.#againCount > 1) this.#options.onQueued?.();
  }

  #giveUp(failure: Failure): void {
    if (this.#isDone) return;
    this.#sentCount += this.#attempts.filter(({ isSent }) => isSent).length;
    const reply = this.#isBehind ? undefined : this.#lastReply;
    this.#end(
      reply === undefined ? { type: 'failed', failure: this.#full ?? failure } : { type: 'whole', reply },
    );
  }

  #end(outcome: Outcome): void {
    this.#finish();
    const seen =
      outcome.type === 'whole' && isError(outcome.reply.status)
        ? { ...outcome, reply: withoutPage(outcome.reply, this.#isPath) }
        : outcome;
    if (this.#mayBeSent(seen)) void this.#endKnown(seen);
    else this.#resolve(seen);
  }

  /** A node that gave no answer of its own got the transaction. After the only send, an answer is the node's. */
  #mayBeSent(outcome: Outcome): outcome is Outcome & { readonly type: 'whole' | 'failed' } {
    const { kind, upstream } = this.#query;
    if (this.#sentCount === 0 || !this.#isSigned || upstream !== undefined) return false;
    if (outcome.type === 'whole') return kind === 'send' || outcome.reply.status >= 500;
    return outcome.type === 'failed';
  }

  async #endKnown(outcome: Outcome & { readonly type: 'whole' | 'failed' }): Promise<void> {
    const last = outcome.type === 'whole' && this.#query.kind === 'send' ? outcome : undefined;
    const known = await findKnownTransaction(this.#query, last).catch(() => undefined);
    if (known?.upstream !== undefined) this.#query.session.noteWrite(known.upstream.name);
    this.#resolve(known === undefined ? outcome : { type: 'whole', ...known });
  }

  get #isSigned(): boolean {
    const { kind, method, chain } = this.#query;
    return kind === 'send' || chain.rpc.transactions.broadcasts.test(method);
  }

  get #isPath(): boolean {
    return this.#query.chain.servedPaths !== undefined;
  }

  #finish(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#query.chain.clock.remove(this);
    // Whatever came of it: a node may have acted although no answer came.
    if (this.#isWrite) this.#query.chain.noteWrite(this.#isSigned);
    for (const attempt of this.#attempts) attempt.cancel();
    this.#attempts = [];
  }
}
