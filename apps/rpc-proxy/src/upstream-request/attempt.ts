import type { ReplyHead } from '../upstreams/reply-head.ts';
import type { ReplySource } from '../upstreams/pooled-connection.ts';
import type { Full, MemoryQuota } from '../limits/tenants.ts';
import type { RequestMessage, UpstreamAttempt } from '../upstreams/types.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { type Asked, fitsStart, fitsWhole, TailCheck } from './reply-check.ts';
import type { WholeReply } from './response-sink.ts';

/** Memory reserved for an answer before anything of it is known. */
const EXPECTED_BYTES = 131_072;
const FIRST_BYTES = 512;

/** Starts an attempt and decides what follows from it. */
export interface AttemptOwner {
  readonly wholeBytesMax: number;
  /** The quota of the caller, which pays for what is held of the answer. */
  readonly quota: MemoryQuota;
  onWhole(attempt: Attempt, reply: WholeReply): void;
  /**
   * More than `wholeBytesMax` arrived; the rest follows through `onData` and `onEnd`. Pieces are lent for the duration
   * of the call or, if it returns false, until `resume`.
   */
  onLarge(attempt: Attempt, head: ReplyHead, pieces: readonly Buffer[]): boolean;
  onData(attempt: Attempt, piece: Buffer): boolean;
  onEnd(attempt: Attempt): void;
  onError(attempt: Attempt, error: Error): void;
  /** Called instead of all others: the reply answers another call, and its connection is gone. */
  onForeign(attempt: Attempt, head: ReplyHead): void;
  onSilent(attempt: Attempt): void;
  /** Called instead of an answer: there is no room for it. */
  onFull(attempt: Attempt, full: Full): void;
}

interface AttemptStart {
  readonly upstream: Upstream;
  readonly now: number;
  /** Undefined if replies have no ids. */
  readonly asked: Asked | undefined;
}

/** One request to one node. A reply is held until it is complete, or too large to hold; nothing is parsed here. */
export class Attempt implements UpstreamAttempt {
  readonly upstream: Upstream;
  /** When it was sent; before that, when it began to wait. */
  startedAt: number;
  /** The request to send, while it waits. */
  request: RequestMessage | undefined;
  /** Other calls of the same key or workspace are ahead of it. */
  isQueued = false;
  /** Bytes were sent: from here on the node may have acted. */
  isSent = false;
  /** Connections that have been idle for longer are not used. */
  idleMsMax = Infinity;
  isPassing = false;
  isDone = false;
  #owner: AttemptOwner;
  readonly #asked: Asked | undefined;
  #source: ReplySource | undefined;
  #head: ReplyHead | undefined;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #whole: Buffer | undefined;
  #tail: TailCheck | undefined;
  #isForeign = false;
  /** Bytes taken from the quota, and how many of them are for the answer. */
  #held = 0;
  #room = 0;

  constructor(owner: AttemptOwner, { upstream, now, asked }: AttemptStart) {
    this.upstream = upstream;
    this.startedAt = now;
    this.#owner = owner;
    this.#asked = asked;
  }

  get quota(): MemoryQuota {
    return this.#owner.quota;
  }

  /** Reserves memory for the request and the expected answer until the attempt is done. */
  reserve(bodyBytes: number): Full | undefined {
    const room = Math.min(EXPECTED_BYTES, this.#owner.wholeBytesMax);
    const full = this.quota.take(bodyBytes + room);
    if (full !== undefined) return full;
    this.#held = bodyBytes + room;
    this.#room = room;
    return undefined;
  }

  /** Continues after `onData` returned false. */
  resume(): void {
    if (!this.isDone) this.#source?.resume();
  }

  /** The owner no longer wants the attempt. */
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
    this.request = undefined;
    this.startedAt = this.upstream.clock.now;
  }

  onHead(head: ReplyHead): void {
    this.upstream.lastHeardAt = this.upstream.clock.now;
    this.#head = head;
  }

  onBody(piece: Buffer): boolean {
    this.upstream.lastHeardAt = this.upstream.clock.now;
    this.#bytes += piece.length;
    const full = this.isPassing ? undefined : this.#makeRoom();
    if (full !== undefined) {
      this.cancel();
      this.#owner.onFull(this, full);
      return true;
    }
    if (this.isPassing) return this.#pass(piece);
    this.#pieces.push(piece);
    if (this.#bytes <= this.#owner.wholeBytesMax) return true;
    this.isPassing = true;
    const pieces = this.#pieces;
    this.#pieces = [];
    if (!this.#fitsSoFar(pieces)) return this.#refuse();
    return this.#owner.onLarge(this, this.#head!, pieces);
  }

  /**
   * Checks the complete reply.
   * @returns false if it answers another call; the connection's next replies would too
   */
  isOwnReply(): boolean {
    if (this.isDone || this.#asked === undefined) return true;
    if (this.isPassing) this.#isForeign = this.#tail?.fits === false;
    else {
      this.#whole = this.#join();
      this.#isForeign = !fitsWhole(this.#asked, this.#whole, this.#head!.contentEncoding);
    }
    return !this.#isForeign;
  }

  onComplete(): void {
    if (this.isDone) return;
    this.#finish();
    const body = this.isPassing ? undefined : (this.#whole ?? this.#join());
    if (this.#isForeign) return this.#owner.onForeign(this, this.#head!);
    if (body === undefined) return this.#owner.onEnd(this);
    const { status, contentType, contentEncoding, retryAfter, contentLength } = this.#head!;
    // Members are named one by one: a spread plus one more member is a slow path of V8.
    this.#owner.onWhole(this, { status, contentType, contentEncoding, retryAfter, contentLength, body });
  }

  onError(error: Error): void {
    if (this.isDone) return;
    this.#finish();
    this.#owner.onError(this, error);
  }

  /** Reserves memory for what has arrived and what the node announced, before it is held. */
  #makeRoom(): Full | undefined {
    const wanted = Math.max(this.#bytes, Math.min(this.#head!.contentLength, this.#owner.wholeBytesMax));
    if (wanted <= this.#room) return undefined;
    const room = Math.max(wanted, Math.min(this.#room * 2, this.#owner.wholeBytesMax));
    const full = this.quota.take(room - this.#room);
    if (full !== undefined) return full;
    this.#held += room - this.#room;
    this.#room = room;
    return undefined;
  }

  #pass(piece: Buffer): boolean {
    if (this.#tail !== undefined) {
      this.#tail.add(piece);
      // Checked before the last bytes go out: a client that has received the full length has an answer.
      if (this.#bytes === this.#head!.contentLength && !this.#tail.fits) return this.#refuse();
    }
    return this.#owner.onData(this, piece);
  }

  /**
   * Checks the id of a reply too large to hold: by its first bytes or, if the id is not among them, later by its last
   * ones.
   */
  #fitsSoFar(pieces: readonly Buffer[]): boolean {
    if (this.#asked === undefined) return true;
    const { contentEncoding, contentLength } = this.#head!;
    const fits = fitsStart(
      this.#asked,
      pieces[0]!.length >= FIRST_BYTES ? pieces[0]! : Buffer.concat(pieces).subarray(0, FIRST_BYTES),
      contentEncoding,
    );
    if (fits !== undefined || contentEncoding !== undefined) return fits !== false;
    this.#tail = new TailCheck(this.#asked);
    for (const piece of pieces) this.#tail.add(piece);
    return this.#bytes !== contentLength || this.#tail.fits;
  }

  #refuse(): true {
    this.cancel();
    this.#owner.onForeign(this, this.#head!);
    return true;
  }

  /** One buffer that the sink may keep. */
  #join(): Buffer {
    const [first] = this.#pieces;
    return first !== undefined && this.#pieces.length === 1
      ? first
      : Buffer.concat(this.#pieces, this.#bytes);
  }

  #finish(): void {
    this.isDone = true;
    this.quota.release(this.#held);
    this.#held = 0;
    this.upstream.finish(this);
  }
}
