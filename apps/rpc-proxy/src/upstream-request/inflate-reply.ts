import { brotliDecompressSync, constants, gunzipSync, inflateSync } from 'node:zlib';

const OUTPUT_BYTES_MAX = 1_048_576;

/**
 * The decompressed body or, of a partial body, the part that can be read. Undefined if it cannot be read or is too
 * large.
 */
export function inflateReply(bytes: Buffer, encoding: string): Buffer | undefined {
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

/** A truncated body is decompressed as far as it goes. */
const OPTIONS = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: OUTPUT_BYTES_MAX };
