import type { AnswerReceiver } from '../cache/flight.ts';
import { withId, type StoredReply } from '../cache/memory-store.ts';
import type { Failure, ReplyHead, WholeReply } from '../exchange/receiver.ts';

/** Collects the reply to one call of a batch, however large, and tells it once. */
export class PartReceiver implements AnswerReceiver {
  readonly wholeBytesMax = Infinity;
  readonly #id: Buffer | undefined;
  readonly #done: (body: Buffer) => void;
  #pieces: Buffer[] = [];

  /** @param id undefined for a notification, whose reply is empty */
  constructor(id: Buffer | undefined, done: (body: Buffer) => void) {
    this.#id = id;
    this.#done = done;
  }

  whole({ body }: Pick<WholeReply, 'body'>): void {
    // Where a node failed with a page instead of a reply, the call gets an error of its own.
    const isReply = body.length === 0 ? this.#id === undefined : body[0] === 0x7b;
    if (isReply) this.#done(this.#id === undefined ? EMPTY : body);
    else this.fail('unavailable');
  }

  stored(stored: StoredReply, id: Buffer): void {
    this.#done(withId(stored, id));
  }

  start(_head: ReplyHead, pieces: readonly Buffer[]): boolean {
    this.#pieces = pieces.map((piece) => Buffer.from(piece));
    return true;
  }

  data(piece: Buffer): boolean {
    this.#pieces.push(Buffer.from(piece));
    return true;
  }

  end(): void {
    this.whole({ body: Buffer.concat(this.#pieces) });
  }

  broken(): void {
    this.fail('unavailable');
  }

  fail(failure: Failure): void {
    if (this.#id === undefined) return this.#done(EMPTY);
    const text = failure === 'timeout' ? 'no answer within 30 seconds' : 'network unavailable';
    this.#done(Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":'), this.#id, Buffer.from(`,"error":{"code":-32603,"message":"${text}"}}`)]));
  }
}

const EMPTY = Buffer.alloc(0);
