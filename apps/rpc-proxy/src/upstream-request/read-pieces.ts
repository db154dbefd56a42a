import type { Readable } from 'node:stream';

/** Pieces that wait for their reader before the node is held back. */
const WAITING_MAX = 2;

/**
 * Reads a body in the parser's own calls, which costs less than an iterator where the body is short.
 * @returns whether the body ended before `take` returned false
 */
export function readWhile(body: Readable, take: (piece: Buffer) => boolean): Promise<boolean> {
  return new Promise((resolve, reject) => {
    // What was lost before anybody listened is not told again.
    if (body.destroyed) return reject(body.errored ?? new Error('the reply broke off'));
    const stop = (): void => void body.off('data', onData).off('end', onEnd).off('error', reject);
    const onData = (piece: Buffer): void => {
      if (take(piece)) return;
      stop();
      body.pause();
      resolve(false);
    };
    const onEnd = (): void => {
      stop();
      resolve(true);
    };
    body.on('data', onData).on('end', onEnd).on('error', reject);
  });
}

/**
 * The rest of a body. A stream's own iterator would stop and start the socket for each piece, because one piece fills its
 * buffer.
 */
export async function* readOn(body: Readable): AsyncGenerator<Buffer> {
  if (body.destroyed) throw body.errored ?? new Error('the reply broke off');
  const waiting: Buffer[] = [];
  let isEnded = false;
  let failure: Error | undefined;
  let wake: () => void = () => undefined;
  body
    .on('data', (piece: Buffer) => {
      if (waiting.push(piece) >= WAITING_MAX) body.pause();
      wake();
    })
    .on('end', () => {
      isEnded = true;
      wake();
    })
    .on('error', (error: Error) => {
      failure = error;
      wake();
    })
    .resume();
  try {
    for (;;) {
      const piece = waiting.shift();
      if (piece !== undefined) {
        if (body.isPaused()) body.resume();
        yield piece;
      } else if (failure !== undefined) throw failure;
      else if (isEnded) return;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    if (!isEnded) body.destroy();
  }
}
