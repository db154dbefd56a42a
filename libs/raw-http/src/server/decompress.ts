import {
  brotliDecompress,
  brotliDecompressSync,
  gunzip,
  gunzipSync,
  inflate,
  inflateSync,
  type ZlibOptions,
} from 'node:zlib';
import { BodyEncodingError, BodyTooLargeError } from './body-errors.ts';

/** Up to this size, compressed and decompressed, another thread would cost more. */
const SYNC_BYTES_MAX = 65_536;
const EMPTY: Buffer = Buffer.alloc(0);

type Done = (error: BodyEncodingError | BodyTooLargeError | undefined, plain: Buffer) => void;

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

export function isCompressed(encoding: string | undefined): encoding is string {
  return encoding !== undefined && encoding !== 'identity';
}

/** Large bodies are decompressed off the event loop: a body of 1 KiB may become 1 MiB. */
export function decompress(encoding: string, body: Buffer, bytesMax: number, done: Done): void {
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
