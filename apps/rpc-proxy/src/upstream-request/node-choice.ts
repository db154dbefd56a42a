// SPDX-License-Identifier: Apache-2.0
import { kindTold } from '../chains/told-height.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import type { Attempt } from './attempt.ts';
import type { UpstreamQuery } from './upstream-query.ts';
import { UNKNOWN_BYTES_MAX } from '@chainwatch/chain-core';
import type { WholeReply } from './outcome.ts';
import { isRefusal } from './reply-form.ts';

export const ATTEMPTS_MAX = 4;

/** Which nodes were asked one query, and which one is asked next. */
export class NodeChoice {
  /** Number of attempts. */
  count = 0;
  readonly #query: UpstreamQuery;
  /** A list, because for so few entries it is cheaper than a set. */
  #tried: Upstream[] = [];

  constructor(query: UpstreamQuery) {
    this.#query = query;
  }

  /** The node to ask next. `behind`: those that are left have not reached what the key has seen. */
  get next(): Upstream | 'behind' | undefined {
    const { chain, session, upstream, first, method, params } = this.#query;
    if (upstream !== undefined) return this.#tried.includes(upstream) ? undefined : upstream;
    return chain.pick(this.#tried, {
      session,
      first,
      checksReply: kindTold(chain, method, params) !== 'block',
    });
  }

  get isOver(): boolean {
    return this.count >= ATTEMPTS_MAX;
  }

  get canHedge(): boolean {
    return !this.isOver && this.#query.chain.canHedge(this.#tried, this.#query.session);
  }

  /** The node is asked now. */
  note(upstream: Upstream): void {
    this.#tried.push(upstream);
    this.count += 1;
  }

  /** The node was not asked after all. */
  takeBack(upstream: Upstream): void {
    this.#tried = this.#tried.filter((tried) => tried !== upstream);
    this.count -= 1;
  }

  /** Each node may be asked again. */
  startOver(): void {
    this.#tried = [];
  }

  /** Whether a call that was sent may go to a node again: never what is neither a read nor signed. */
  mayGoAgain({ isSent }: Attempt): boolean {
    const { kind } = this.#query;
    return kind === 'read' || kind === 'send' || !isSent;
  }

  /**
   * Whether another node can answer in the place of a lost one. Where all were asked, one that serves is asked again instead
   * of one that will not answer, or that was not asked yet.
   * @param lost the lost attempts
   * @param areAll no other one is in flight
   */
  canReplace(attempt: Attempt, lost: readonly Attempt[], areAll: boolean): boolean {
    const { chain } = this.#query;
    if (!this.mayGoAgain(attempt) || this.isOver) return false;
    const { next } = this;
    if (next === 'behind') return false;
    // A node that is down is the last resort, and so is the one that has the call.
    if (next !== undefined) return !next.isDown || chain.lost.isHopeless(attempt);
    if (!areAll || !(attempt.isQueued || chain.lost.isHopeless(attempt))) return false;
    const tried = this.#tried;
    this.#tried = lost.map(({ upstream }) => upstream);
    const again = this.next;
    if (again !== undefined && again !== 'behind' && chain.serves(again)) return true;
    this.#tried = tried;
    return false;
  }
}

/** Why another node is asked although this one answered: it does not know what the key has sent, or has seen. */
type Unknown = 'sent' | 'seen';

export function findUnknown(
  { chain, session, view, method, params, kind }: UpstreamQuery,
  { body }: WholeReply,
): Unknown | undefined {
  if (body.length > UNKNOWN_BYTES_MAX || chain.upstreams.length < 2 || kind !== 'read') return undefined;
  const asked = chain.rpc.blockReaders.get(method)?.askedOf?.(params);
  const isSeen = asked !== undefined && asked <= session.number;
  if (!isSeen && !(view === 'transaction' && session.hasWritten)) return undefined;
  const isUnknown = chain.rpc.transactions.isUnknown(body.toString('latin1'));
  if (isSeen) return isUnknown || isRefusal(body) ? 'seen' : undefined;
  return isUnknown ? 'sent' : undefined;
}

/**
 * Whether a reply is older than what the key has seen. What it tells of its node is learned in any case.
 * @param reply without its content encoding; it may be the beginning of a large one
 */
export function isOlder(query: UpstreamQuery, upstream: Upstream, reply: WholeReply): boolean {
  const { chain, session, method, params } = query;
  const kind = kindTold(chain, method, params);
  const number = chain.rpc.blockReaders.get(method)?.read(reply.body, params);
  if (number === undefined || reply.contentEncoding !== undefined) return false;
  if (kind !== 'head' && kind !== 'block') {
    if (number < session.heightOf(kind)) return true;
    session.raise(number, kind);
    return false;
  }
  if (upstream.head === undefined || number > upstream.head.number) chain.learnHead(upstream, number);
  // The node has the block, so its head is at least that high, and answers cached for an earlier head are out of
  // date.
  if (kind === 'block' || !session.isAheadOf(number)) return false;
  // Its earlier head is not believed any more: otherwise this node would be picked again and again while the others
  // have not reported.
  if (upstream.head !== undefined && number < upstream.head.number) chain.learnHead(upstream, number);
  return true;
}
