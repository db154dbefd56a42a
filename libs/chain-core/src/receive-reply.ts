// SPDX-License-Identifier: Apache-2.0
import { isAscii } from 'node:buffer';
import { ChainClientError } from './errors.ts';

/** Larger than any block's receipts; a larger reply is refused. */
const RESPONSE_BYTES_MAX = 256 * 1024 * 1024;

export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

/** A reply whose head has come. */
export interface HttpReply {
  readonly status: number;
  /** Ends the connection where it is not read to its end. */
  readonly body: AsyncIterable<Buffer>;
}

/** Gathers one reply. @throws the connection's error, or ChainClientError when the reply is larger than 256 MiB */
export async function receiveReply(what: string, { status, body }: HttpReply): Promise<HttpAnswer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > RESPONSE_BYTES_MAX)
      throw new ChainClientError(`${what}: expected at most ${RESPONSE_BYTES_MAX} bytes, got more`);
    chunks.push(chunk);
  }
  return { status, text: decode(join(chunks, size)) };
}

/** Larger bodies are rare; their memory is not kept. */
const SCRATCH_BYTES_MAX = 32 * 1024 * 1024;

let scratch = Buffer.allocUnsafeSlow(1 << 20);

/** Valid until the next call: blocks are megabytes, and fresh memory for each costs more than the copy. */
function join(chunks: readonly Buffer[], size: number): Buffer {
  if (size > SCRATCH_BYTES_MAX) return Buffer.concat(chunks, size);
  if (size > scratch.length) scratch = Buffer.allocUnsafeSlow(Math.min(SCRATCH_BYTES_MAX, size * 2));
  let at = 0;
  for (const chunk of chunks) at += chunk.copy(scratch, at);
  return scratch.subarray(0, size);
}

/**
 * Answers about blocks are ASCII, which is decoded by a plain copy; only other texts need the UTF-8 decoder.
 */
function decode(bytes: Buffer): string {
  return isAscii(bytes) ? bytes.toString('latin1') : bytes.toString('utf8');
}
