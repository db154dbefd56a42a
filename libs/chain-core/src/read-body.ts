import { ChainClientError } from './errors.ts';

/** Larger than any block's receipts; what exceeds it is not an answer. */
const responseBytesMax = 256 * 1024 * 1024;

/** Reads a response body as text. @throws ChainClientError when it is larger than 256 MiB */
export async function readBody(what: string, stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > responseBytesMax) throw new ChainClientError(`${what}: expected at most ${responseBytesMax} bytes, got more`);
    chunks.push(chunk);
  }
  const first = chunks[0];
  return chunks.length === 1 && first !== undefined ? first.toString('utf8') : Buffer.concat(chunks, size).toString('utf8');
}
