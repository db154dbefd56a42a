import { isAscii } from 'node:buffer';
import { ChainClientError } from './errors.ts';

/** Larger than any block's receipts; what exceeds it is not an answer. */
const responseBytesMax = 256 * 1024 * 1024;
/** Larger bodies are rare; their memory is not kept. */
const scratchBytesMax = 32 * 1024 * 1024;

let scratch = Buffer.allocUnsafeSlow(1 << 20);

/** Reads a response body as text. @throws ChainClientError when it is larger than 256 MiB */
export async function readBody(what: string, stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > responseBytesMax) throw new ChainClientError(`${what}: expected at most ${responseBytesMax} bytes, got more`);
    chunks.push(chunk);
  }
  return decode(join(chunks, size));
}

/** Valid until the next call: blocks are megabytes, and fresh memory for each costs more than the copy. */
function join(chunks: readonly Buffer[], size: number): Buffer {
  if (size > scratchBytesMax) return Buffer.concat(chunks, size);
  if (size > scratch.length) scratch = Buffer.allocUnsafeSlow(Math.min(scratchBytesMax, size * 2));
  let at = 0;
  for (const chunk of chunks) at += chunk.copy(scratch, at);
  return scratch.subarray(0, size);
}

/** Answers about blocks are ASCII, which is a copy; only other texts need the decoder. */
function decode(bytes: Buffer): string {
  return isAscii(bytes) ? bytes.toString('latin1') : bytes.toString('utf8');
}
