import { BodyHeldError, BodyTooLargeError, type BodyError } from './body-errors.ts';
import type { BodyIncoming, BodyTaker } from './body-incoming.ts';
import type { BodyPayers, Payer } from './body-payers.ts';
import { decompress, isCompressed } from './decompress.ts';

export const BODY_BYTES_MAX = 1_048_576;
/** How much of a too large body is discarded before the connection is cut. */
const DISCARDED_BYTES_MAX = 16 * BODY_BYTES_MAX;
/** How much of a stranger's body is waited for: a client that sends a short one reads the answer. */
const STRANGER_BYTES_MAX = 16_384;

const EMPTY: Buffer = Buffer.alloc(0);

type Done<Full extends string> = (error: BodyError<Full> | undefined, body: Buffer) => void;

/** Calls back once with the decompressed body. If the client leaves first, there is no call. */
export function readBody<Full extends string>(
  req: BodyIncoming,
  payers: BodyPayers<Full>,
  done: Done<Full>,
): void {
  req.taker = new BodyReader(req, payers, done);
}

/** Nothing is kept or decompressed before the payer is known; a stranger's body is empty. */
class BodyReader<Full extends string> implements BodyTaker {
  readonly #req: BodyIncoming;
  readonly #done: Done<Full>;
  readonly #encoding: string | undefined;
  #payer: Payer<Full>;
  #whose: 'asked' | 'known' | 'stranger' = 'asked';
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** Bytes of the pieces, taken from the payer. */
  #held = 0;
  #isEnded = false;
  #isDone = false;

  constructor(req: BodyIncoming, payers: BodyPayers<Full>, done: Done<Full>) {
    this.#req = req;
    this.#done = done;
    this.#encoding = req.headers['content-encoding']?.toLowerCase();
    const known = payers.find(req);
    this.#payer = known ?? payers.payerOf(req);
    if (known !== undefined) this.#whose = 'known';
    else void payers.ask(req).then((payer) => this.#admit(payer));
  }

  take(piece: Buffer): boolean {
    this.#bytes += piece.length;
    if (this.#isDone) return false;
    if (this.#whose === 'stranger')
      return this.#bytes <= STRANGER_BYTES_MAX || this.#finish(undefined, EMPTY);
    if (this.#bytes > BODY_BYTES_MAX) {
      this.#drop();
      if (this.#bytes > DISCARDED_BYTES_MAX) this.#req.destroy();
      return true;
    }
    const full = this.#payer.take(piece.length);
    if (full !== undefined) return this.#finish(new BodyHeldError(full), EMPTY);
    if (this.#pieces.push(piece) === 1) this.#req.once('close', () => this.#drop());
    this.#held += piece.length;
    return this.#whose === 'known' || this.#bytes <= STRANGER_BYTES_MAX;
  }

  end(): void {
    this.#isEnded = true;
    if (this.#isDone || this.#whose === 'asked') return;
    if (this.#whose === 'stranger') return void this.#finish(undefined, EMPTY);
    // Answered after the body, so that the client reads the answer instead of an error of its connection.
    if (this.#bytes > BODY_BYTES_MAX) return void this.#finish(new BodyTooLargeError(), EMPTY);
    const body = this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces);
    if (!isCompressed(this.#encoding)) return void this.#finish(undefined, body);
    const full = this.#payer.take(BODY_BYTES_MAX);
    if (full !== undefined) return void this.#finish(new BodyHeldError(full), EMPTY);
    decompress(this.#encoding, body, BODY_BYTES_MAX, (error, plain) => {
      this.#payer.release(BODY_BYTES_MAX);
      this.#finish(error, plain);
    });
  }

  /** The payer has been found, or there is none. */
  #admit(payer: Payer<Full> | undefined): void {
    if (this.#isDone || this.#req.destroyed) return;
    const pieces = this.#pieces;
    const bytes = this.#held;
    this.#drop();
    this.#whose = payer === undefined ? 'stranger' : 'known';
    if (payer !== undefined) {
      const full = payer.take(bytes);
      if (full !== undefined) return void this.#finish(new BodyHeldError(full), EMPTY);
      this.#payer = payer;
      this.#pieces = pieces;
      this.#held = bytes;
    } else if (this.#bytes > STRANGER_BYTES_MAX) return void this.#finish(undefined, EMPTY);
    if (this.#isEnded) this.end();
    else this.#req.readOn();
  }

  #drop(): void {
    this.#payer.release(this.#held);
    this.#held = 0;
    this.#pieces = [];
  }

  /** @returns false: stop reading */
  #finish(error: BodyError<Full> | undefined, body: Buffer): false {
    if (this.#isDone) return false;
    this.#isDone = true;
    this.#drop();
    if (!this.#req.destroyed) this.#done(error, body);
    return false;
  }
}
