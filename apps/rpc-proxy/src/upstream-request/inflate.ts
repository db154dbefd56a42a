// SPDX-License-Identifier: Apache-2.0
import { brotliDecompressSync, constants, gunzipSync, inflateSync } from 'node:zlib';

const OUTPUT_BYTES_MAX = 1_048_576;
/** A truncated body is decompressed as far as it goes. */
const OPTIONS = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: OUTPUT_BYTES_MAX };
const READABLE: ReadonlySet<string> = new Set(['gzip', 'x-gzip', 'deflate', 'br', 'identity']);

/**
 * The decompressed body or, of a partial body, the part that can be read. Undefined if it cannot be read or is too
 * large.
 */
export function inflate(bytes: Buffer, encoding: string): Buffer | undefined {
  try {
    switch (encoding.toLowerCase()) {
      case 'gzip':
      case 'x-gzip':
        return gunzipSync(bytes, OPTIONS);
      case 'deflate':
        return inflateSync(bytes, OPTIONS);
      case 'br':
        return brotliDecompressSync(bytes, {
          finishFlush: constants.BROTLI_OPERATION_FLUSH,
          maxOutputLength: OUTPUT_BYTES_MAX,
        });
      default:
        return undefined;
    }
  } catch {
    return undefined;
  }
}

/** What is left of a client's `Accept-Encoding`: a reply that the gateway cannot read is never passed on. */
export function readableEncodings(accept: string | undefined): string | undefined {
  if (accept === undefined) return undefined;
  const codings = accept
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => READABLE.has(coding.split(';', 1)[0]!.trim().toLowerCase()));
  return codings.length === 0 ? undefined : codings.join(', ');
}
