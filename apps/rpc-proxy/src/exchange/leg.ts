import type { Upstream } from '../upstreams/upstream.ts';
import type { ReplyHandler, ReplySource } from '../wire/reply-handler.ts';
import type { ReplyHead, WholeReply } from './receiver.ts';

/** Who started a leg and decides about it. */
export interface LegOwner {
  readonly wholeBytesMax: number;
  onWhole(leg: Leg, reply: WholeReply): void;
  /** More than `wholeBytesMax` arrived. True: pass on what comes, with `onData` and `onEnd`. */
  onLarge(leg: Leg, head: ReplyHead, pieces: readonly Buffer[]): boolean;
  onData(leg: Leg, piece: Buffer): boolean;
  onEnd(leg: Leg): void;
  onError(leg: Leg, error: Error): void;
  onSilent(leg: Leg): void;
}

/** One request to one node. Replies are kept until they are whole or too large to keep; nothing is parsed here. */
export class Leg implements ReplyHandler {
  readonly upstream: Upstream;
  readonly startedAt: number;
  /** Bytes went out: from here on the node may have acted. */
  isSent = false;
  isPassing = false;
  isDone = false;
  #owner: LegOwner;
  #source: ReplySource | undefined;
  #head: ReplyHead | undefined;
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(upstream: Upstream, owner: LegOwner, now: number) {
    this.upstream = upstream;
    this.startedAt = now;
    this.#owner = owner;
  }

  /** Goes on after `onData` returned false. */
  resume(): void {
    if (!this.isDone) this.#source?.resume();
  }

  /** The owner does not want it any more. */
  cancel(): void {
    if (this.isDone) return;
    this.#finish();
    if (this.#source === undefined) this.upstream.withdraw(this);
    else this.#source.abort();
  }

  tellSilent(): void {
    this.#owner.onSilent(this);
  }

  onSend(source: ReplySource): void {
    this.#source = source;
    this.isSent = true;
  }

  onHead(head: ReplyHead): void {
    this.upstream.lastHeardAt = this.upstream.clock.now;
    this.#head = head;
  }

  onBody(bytes: Buffer, start: number, end: number): boolean {
    this.upstream.lastHeardAt = this.upstream.clock.now;
    if (this.isDone) return true;
    const piece = copyOf(bytes, start, end);
    if (this.isPassing) return this.#owner.onData(this, piece);
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    if (this.#bytes <= this.#owner.wholeBytesMax) return true;
    this.isPassing = true;
    const pieces = this.#pieces;
    this.#pieces = [];
    return this.#owner.onLarge(this, this.#head!, pieces);
  }

  onComplete(): void {
    if (this.isDone) return;
    this.#finish();
    if (this.isPassing) return this.#owner.onEnd(this);
    const body = this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces, this.#bytes);
    const { status, contentType, contentEncoding, retryAfter, contentLength } = this.#head!;
    // Named one by one: a spread with a member more is a slow path of V8.
    this.#owner.onWhole(this, { status, contentType, contentEncoding, retryAfter, contentLength, body });
  }

  onError(error: Error): void {
    if (this.isDone) return;
    this.#finish();
    this.#owner.onError(this, error);
  }

  #finish(): void {
    this.isDone = true;
    this.upstream.legs.delete(this);
  }
}

function copyOf(bytes: Buffer, start: number, end: number): Buffer {
  const copy = Buffer.allocUnsafe(end - start);
  bytes.copy(copy, 0, start, end);
  return copy;
}
