// SPDX-License-Identifier: Apache-2.0
import { withId, type Answer } from '../cache/stored-reply.ts';
import { isNull, scanReply } from '../json/scan-reply.ts';
import { skipSpace } from '../json/skip-value.ts';
import { answerFull } from '../limits/answer-full.ts';
import { sayRefused } from '../upstream-request/judge-reply.ts';
import type { Failure, WholeReply } from '../upstream-request/outcome.ts';

/** Limit for the answer to one call of a batch. */
export const PART_BYTES_MAX = 8 * 1_048_576;

/** The reply to one call of a batch. Empty for a notification. */
export interface Part {
  readonly body: Buffer;
  /** The gateway itself answers with an error. */
  readonly isFailure: boolean;
}

/** @param id undefined for a notification */
export function toPart(answer: Answer, id: Buffer | undefined): Part {
  switch (answer.type) {
    case 'whole':
      return id === undefined ? NO_PART : fitReply(answer.reply, id);
    case 'stored':
      return { body: withId(answer.stored, answer.id), isFailure: false };
    case 'large':
      answer.cancel();
      return errorPart(id, toError(TOO_LARGE));
    case 'failed':
      return failurePart(id, answer.failure);
    case 'gone':
      return NO_PART;
  }
}

const EMPTY = Buffer.alloc(0);
/** The reply to a notification. */
export const NO_PART: Part = { body: EMPTY, isFailure: false };

const TOO_LARGE = `the answer is too large for a batch: expected at most ${PART_BYTES_MAX} bytes`;

/**
 * A node's reply as a part of an array. An error that does not say which call it is about gets the call's id. Of anything
 * but a reply (a page, an object without an id, a reply that is cut) only the status is told.
 */
function fitReply({ status, body }: WholeReply, id: Buffer): Part {
  const reply = scanReply(body, skipSpace(body, 0));
  if (reply !== undefined && skipSpace(body, reply.end) === body.length) {
    const { idStart, idEnd, errorStart, errorEnd } = reply;
    if (idStart !== -1 && (!isNull(body, idStart, idEnd) || isNull(id, 0, id.length)))
      return { body, isFailure: false };
    if (body[errorStart] === 0x7b)
      return { ...errorPart(id, body.subarray(errorStart, errorEnd)), isFailure: false };
  }
  return status < 400 ? failurePart(id, 'unavailable') : errorPart(id, toError(sayRefused(status)));
}

/** The gateway's own answer to one call of a batch. @param id undefined for a notification */
export function failurePart(id: Buffer | undefined, failure: Failure): Part {
  if (failure === 'timeout') return errorPart(id, toError('no answer within 30 seconds'));
  return errorPart(
    id,
    toError(failure === 'unavailable' ? 'network unavailable' : answerFull(failure).error),
  );
}

function toError(message: string): Buffer {
  return Buffer.from(`{"code":-32603,"message":"${message}"}`);
}

function errorPart(id: Buffer | undefined, error: Buffer): Part {
  if (id === undefined) return { body: EMPTY, isFailure: true };
  const pieces = [
    Buffer.from('{"jsonrpc":"2.0","id":'),
    id,
    Buffer.from(',"error":'),
    error,
    Buffer.from('}'),
  ];
  return { body: Buffer.concat(pieces), isFailure: true };
}
