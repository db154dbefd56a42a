// SPDX-License-Identifier: Apache-2.0
import {
  brotliDecompress,
  brotliDecompressSync,
  gunzip,
  gunzipSync,
  inflate,
  inflateSync,
  type ZlibOptions,
} from 'node:zlib';
import {
  BodyEncodingError,
  BodyHeldError,
  BodyTooLargeError,
  type BodyError,
  type BodyPayers,
  type Payer,
} from './http-request.ts';
import type { BodyIncoming, BodyTaker } from './body-incoming.ts';

export const BODY_BYTES_MAX = 1_048_576;
/** How much of a too large body is discarded before the connection is cut. */
const DISCARDED_BYTES_MAX = 16 * BODY_BYTES_MAX;
/** How much of a stranger's body is waited for: a client that sends a short one reads the answer. */
const STRANGER_BYTES_MAX = 16_384;
/** Up to this size, compressed and decompressed, decompressing in another thread would cost more. */
const SYNC_BYTES_MAX = 65_536;

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
    decompress(this.#encoding, {
      body,
      bytesMax: BODY_BYTES_MAX,
      done: (error, plain) => {
        this.#payer.release(BODY_BYTES_MAX);
        this.#finish(error, plain);
      },
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

type Decompressed = (error: BodyEncodingError | BodyTooLargeError | undefined, plain: Buffer) => void;

interface Coder {
  readonly unpackSync: (body: Buffer, options: ZlibOptions) => Buffer;
  readonly unpack: (
    body: Buffer,
    options: ZlibOptions,
    done: (error: Error | null, plain: Buffer) => void,
  ) => void;
}

const GZIP: Coder = { unpackSync: gunzipSync, unpack: gunzip };
const CODERS: ReadonlyMap<string, Coder> = new Map(
  Object.entries({
    gzip: GZIP,
    'x-gzip': GZIP,
    deflate: { unpackSync: inflateSync, unpack: inflate },
    br: { unpackSync: brotliDecompressSync, unpack: brotliDecompress },
  }),
);

function isCompressed(encoding: string | undefined): encoding is string {
  return encoding !== undefined && encoding !== 'identity';
}

/** Large bodies are decompressed off the event loop: a body of 1 KiB may become 1 MiB. */
function decompress(
  encoding: string,
  { body, bytesMax, done }: { readonly body: Buffer; readonly bytesMax: number; readonly done: Decompressed },
): void {
  const coder = CODERS.get(encoding);
  if (coder === undefined) return done(new BodyEncodingError(), EMPTY);
  const { unpackSync, unpack } = coder;
  if (body.length <= SYNC_BYTES_MAX) {
    let plain: Buffer;
    try {
      plain = unpackSync(body, { maxOutputLength: SYNC_BYTES_MAX });
    } catch (error) {
      if (!isTooLarge(error)) return done(new BodyEncodingError(), EMPTY);
      return unpackBeside();
    }
    return done(undefined, plain);
  }
  unpackBeside();

  function unpackBeside(): void {
    unpack(body, { maxOutputLength: bytesMax }, (error, plain) => {
      if (error === null) done(undefined, plain);
      else done(isTooLarge(error) ? new BodyTooLargeError() : new BodyEncodingError(), EMPTY);
    });
  }
}

function isTooLarge(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
}
