import type { Readable } from 'node:stream';

const CAPTURE_BYTES_MAX = 16 * 1024;

/**
 * The first 16 KiB of a response as text. Reading stops there, at the end, when the connection breaks or when `signal`
 * aborts: what arrived by then is kept, since the status has already decided.
 */
export async function captureBody(body: Readable, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  const stop = (): void => void body.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= CAPTURE_BYTES_MAX) break;
    }
  } catch {
    // A body cut short does not change the status.
  } finally {
    signal.removeEventListener('abort', stop);
  }
  // PostgreSQL's text holds no NUL.
  return Buffer.concat(chunks).subarray(0, CAPTURE_BYTES_MAX).toString('utf8').replaceAll('\0', '\uFFFD');
}
