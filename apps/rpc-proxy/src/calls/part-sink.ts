import type { ReplyHead } from '../upstreams/reply-head.ts';
import type { AnswerSink } from '../cache/in-flight-request.ts';
import { withId, type StoredReply } from '../cache/stored-reply.ts';
import { answerFull } from '../limits/answer-full.ts';
import type { Failure, WholeReply } from '../upstream-request/response-sink.ts';

/** Limit for the answer to one call of a batch. */
const PART_BYTES_MAX = 8 * 1_048_576;

/** Collects the reply to one call of a batch, and hands it over once. */
export class PartSink implements AnswerSink {
  readonly wholeBytesMax = PART_BYTES_MAX;
  readonly #id: Buffer | undefined;
  readonly #done: (body: Buffer) => void;
  readonly #leave: () => void;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #isTooLarge = false;

  /**
   * @param id undefined for a notification, whose reply is empty
   * @param leave cancels an answer that is too large
   */
  constructor(id: Buffer | undefined, done: (body: Buffer) => void, leave: () => void) {
    this.#id = id;
    this.#done = done;
    this.#leave = leave;
  }

  whole({ body }: Pick<WholeReply, 'body'>): void {
    // If a node failed with a page instead of a reply, the call gets an error of the gateway's own.
    const isReply = body.length === 0 ? this.#id === undefined : body[0] === 0x7b;
    if (isReply) this.#done(this.#id === undefined ? EMPTY : body);
    else this.fail('unavailable');
  }

  stored(stored: StoredReply, id: Buffer): void {
    this.#done(withId(stored, id));
  }

  start(_head: ReplyHead, pieces: readonly Buffer[]): boolean {
    for (const piece of pieces) this.data(piece);
    return true;
  }

  data(piece: Buffer): boolean {
    if (this.#isTooLarge) return true;
    this.#bytes += piece.length;
    if (this.#bytes <= PART_BYTES_MAX) this.#pieces.push(Buffer.from(piece));
    else this.#refuse();
    return true;
  }

  end(): void {
    if (!this.#isTooLarge) this.whole({ body: Buffer.concat(this.#pieces) });
  }

  broken(): void {
    if (!this.#isTooLarge) this.fail('unavailable');
  }

  fail(failure: Failure): void {
    this.#done(
      errorPart(
        this.#id,
        failure === 'timeout'
          ? 'no answer within 30 seconds'
          : failure === 'unavailable'
            ? 'network unavailable'
            : answerFull(failure).error,
      ),
    );
  }

  #refuse(): void {
    this.#isTooLarge = true;
    this.#pieces = [];
    this.#leave();
    this.#done(errorPart(this.#id, TOO_LARGE));
  }
}

const EMPTY = Buffer.alloc(0);

const TOO_LARGE = `the answer is too large for a batch: expected at most ${PART_BYTES_MAX} bytes`;

/** The gateway's own answer to one call of a batch. @param id undefined for a notification */
export function errorPart(id: Buffer | undefined, message: string): Buffer {
  if (id === undefined) return EMPTY;
  return Buffer.concat([
    Buffer.from('{"jsonrpc":"2.0","id":'),
    id,
    Buffer.from(`,"error":{"code":-32603,"message":"${message}"}}`),
  ]);
}
