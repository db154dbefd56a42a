import { brotliDecompressSync, constants, gunzipSync, inflateSync } from 'node:zlib';

const OUTPUT_BYTES_MAX = 1_048_576;

/** What a compressed body says, or its beginning what the body begins with; undefined where that cannot be read, or is too much. */
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

/** A body that breaks off is read as far as it goes. */
const OPTIONS = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: OUTPUT_BYTES_MAX };
