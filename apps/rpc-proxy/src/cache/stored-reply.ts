// SPDX-License-Identifier: Apache-2.0
import type { CacheRule } from '@chainwatch/chain-core';
import type { Outcome, WholeReply } from '../upstream-request/outcome.ts';
import { idsEqual, isNull, scanReply, spansEqual } from '../json/scan-reply.ts';
import { skipSpace } from '../json/skip-value.ts';
import { holdsFailure } from './find-failure.ts';

/** A node's whole reply, and where its id stands, so that another call's id can replace it. */
export interface StoredReply {
  readonly body: Buffer;
  readonly idStart: number;
  readonly idEnd: number;
  readonly contentType: string;
}

/** An earlier answer, or the answer to another call, and the id of this one. */
export interface StoredAnswer {
  readonly type: 'stored';
  readonly stored: StoredReply;
  readonly id: Buffer;
}

/** What a call is answered with. */
export type Answer = Outcome | StoredAnswer;

/**
 * The reply in a form that can be sent under other ids: only a result, under the id that was sent, with no failure of
 * the node in it. Undefined for everything else, because an error may concern only the caller.
 * @param rule of the call's method
 */
export function toStored(
  { status, body, contentType, contentEncoding }: WholeReply,
  id: Buffer,
  rule: CacheRule | undefined,
): StoredReply | undefined {
  if (status !== 200 || contentEncoding !== undefined) return undefined;
  const reply = scanReply(body, skipSpace(body, 0));
  if (reply === undefined || skipSpace(body, reply.end) < body.length) return undefined;
  const { idStart, idEnd, resultStart, resultEnd, errorStart, errorEnd } = reply;
  if (resultStart === -1 || (errorStart !== -1 && !isNull(body, errorStart, errorEnd))) return undefined;
  if (idStart === -1 || !idsEqual(body, idStart, idEnd, id, 0, id.length)) return undefined;
  if (holdsFailure(body.subarray(resultStart, resultEnd), rule?.isFact)) return undefined;
  return { body, idStart, idEnd, contentType };
}

/** The reply's body with another call's id. */
export function withId({ body, idStart, idEnd }: StoredReply, id: Buffer): Buffer {
  // Clients that do not count their calls send the same id each time.
  if (spansEqual(body, idStart, idEnd, id, 0, id.length)) return body;
  const bytes = Buffer.allocUnsafe(body.length - (idEnd - idStart) + id.length);
  body.copy(bytes, 0, 0, idStart);
  id.copy(bytes, idStart);
  body.copy(bytes, idStart + id.length, idEnd);
  return bytes;
}
