import { isAscii } from 'node:buffer';
import { ChainClientError } from './errors.ts';

/** Larger than any block's receipts; a larger reply is refused. */
const RESPONSE_BYTES_MAX = 256 * 1024 * 1024;

interface Controller {
  abort(reason: Error): void;
}

export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

/** The part of undici's dispatch handler that is used here. */
export interface ReplyHandler {
  onRequestStart(controller: Controller): void;
  onResponseStart(controller: Controller, statusCode: number): void;
  onResponseData(controller: Controller, chunk: Buffer): void;
  onResponseEnd(): void;
  onResponseError(controller: Controller, error: Error): void;
}

/**
 * Gathers one reply, without a stream: a stream would cost as much as the rest of the request, and nobody
 * reads a reply before it is whole.
 *
 * @param dispatch sends the request with the handler that it is given
 * @throws the transport's error, the reason of `signal`, or ChainClientError when the reply is larger than
 * 256 MiB
 */
export function receiveReply(
  what: string,
  signal: AbortSignal,
  dispatch: (handler: ReplyHandler) => void,
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let status = 0;
    let controller: Controller | undefined;
    const onAbort = (): void => {
      const reason = signal.reason as Error;
      reject(reason);
      controller?.abort(reason);
    };
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    const fail = (error: Error): void => {
      signal.removeEventListener('abort', onAbort);
      reject(error);
    };
    try {
      dispatch({
        onRequestStart(started) {
          controller = started;
          // The request was aborted while it waited for a connection.
          if (signal.aborted) started.abort(signal.reason as Error);
        },
        onResponseStart(_, statusCode) {
          status = statusCode;
        },
        onResponseData(current, chunk) {
          size += chunk.length;
          chunks.push(chunk);
          if (size > RESPONSE_BYTES_MAX)
            current.abort(
              new ChainClientError(`${what}: expected at most ${RESPONSE_BYTES_MAX} bytes, got more`),
            );
        },
        onResponseEnd() {
          signal.removeEventListener('abort', onAbort);
          resolve({ status, text: decode(join(chunks, size)) });
        },
        onResponseError: (_, error) => fail(error),
      });
    } catch (error) {
      fail(error as Error);
    }
  });
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
