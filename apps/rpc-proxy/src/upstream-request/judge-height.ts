// SPDX-License-Identifier: Apache-2.0
import { UNKNOWN_BYTES_MAX } from '@chainwatch/chain-core';
import { kindTold } from '../chains/told-height.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import type { WholeReply } from './outcome.ts';
import { isRefusal } from './reply-form.ts';
import type { UpstreamQuery } from './upstream-query.ts';

/** Why another node is asked although this one answered: it does not know what the key has sent, or has seen. */
export type Unknown = 'sent' | 'seen';

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
