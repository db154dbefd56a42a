import type { AnswerSink } from '../cache/in-flight-request.ts';
import { withId, type StoredReply } from '../cache/stored-reply.ts';
import { isNull, scanReply } from '../json/scan-reply.ts';
import { skipSpace } from '../json/skip-value.ts';
import { answerFull } from '../limits/answer-full.ts';
import { sayRefused } from '../upstream-request/judge-reply.ts';
import type { Failure, WholeReply } from '../upstream-request/outcome.ts';
import type { Upstream } from '../upstreams/upstream.ts';

/** Limit for the answer to one call of a batch. */
const PART_BYTES_MAX = 8 * 1_048_576;

/** Brings the reply to one call of a batch, once. */
export class PartSink implements AnswerSink {
  readonly wholeBytesMax = PART_BYTES_MAX;
  readonly #id: Buffer | undefined;
  readonly #done: (body: Buffer, upstream?: Upstream) => void;
  readonly #leave: () => void;

  /**
   * @param id undefined for a notification, whose reply is empty
   * @param leave cancels an answer that is too large
   */
  constructor(id: Buffer | undefined, done: (body: Buffer, upstream?: Upstream) => void, leave: () => void) {
    this.#id = id;
    this.#done = done;
    this.#leave = leave;
  }

  whole(reply: WholeReply, upstream?: Upstream): void {
    this.#done(this.#id === undefined ? EMPTY_PART : toPart(reply, this.#id), upstream);
  }

  stored(stored: StoredReply, id: Buffer): void {
    this.#done(withId(stored, id));
  }

  /** Only what is larger than `wholeBytesMax` comes in pieces. */
  start(): boolean {
    this.#leave();
    this.#done(errorPart(this.#id, toError(TOO_LARGE)));
    return true;
  }

  data(): boolean {
    return true;
  }

  end(): void {}

  broken(): void {}

  fail(failure: Failure): void {
    this.#done(failurePart(this.#id, failure));
  }
}

/** The reply to a notification. */
export const EMPTY_PART = Buffer.alloc(0);

const TOO_LARGE = `the answer is too large for a batch: expected at most ${PART_BYTES_MAX} bytes`;

/**
 * A node's reply as a part of an array. An error that does not say which call it is about gets the call's id. Of anything
 * but a reply (a page, an object without an id, a reply that is cut) only the status is told.
 */
function toPart({ status, body }: WholeReply, id: Buffer): Buffer {
  const reply = scanReply(body, skipSpace(body, 0));
  if (reply !== undefined && skipSpace(body, reply.end) === body.length) {
    const { idStart, idEnd, errorStart, errorEnd } = reply;
    if (idStart !== -1 && (!isNull(body, idStart, idEnd) || isNull(id, 0, id.length))) return body;
    if (body[errorStart] === 0x7b) return errorPart(id, body.subarray(errorStart, errorEnd));
  }
  return status < 400 ? failurePart(id, 'unavailable') : errorPart(id, toError(sayRefused(status)));
}

/** The gateway's own answer to one call of a batch. @param id undefined for a notification */
export function failurePart(id: Buffer | undefined, failure: Failure): Buffer {
  if (failure === 'timeout') return errorPart(id, toError('no answer within 30 seconds'));
  return errorPart(
    id,
    toError(failure === 'unavailable' ? 'network unavailable' : answerFull(failure).error),
  );
}

function toError(message: string): Buffer {
  return Buffer.from(`{"code":-32603,"message":"${message}"}`);
}

function errorPart(id: Buffer | undefined, error: Buffer): Buffer {
  if (id === undefined) return EMPTY_PART;
  return Buffer.concat([
    Buffer.from('{"jsonrpc":"2.0","id":'),
    id,
    Buffer.from(',"error":'),
    error,
    Buffer.from('}'),
  ]);
}
