// SPDX-License-Identifier: Apache-2.0
import { ConnectionError, ProblemError, readProblem } from '../errors.ts';
import type { EventItem, StreamedEvent } from '../event-types.ts';
import { planRetry } from '../plan-retry.ts';
import { wait } from '../wait.ts';
import { parseEventStream } from './parse-event-stream.ts';

export interface StreamSource {
  readonly url: string;
  readonly apiKey: string;
  readonly fetch: typeof globalThis.fetch;
}

export interface StreamOptions {
  readonly signal?: AbortSignal;
  /** Called when the stream was cut and is opened again: for your log. */
  readonly onReconnect?: (error: Error) => void;
}

/** A comment comes every 15 seconds. */
const SILENCE_MS_MAX = 45_000;
/** What a stream that ended without a word waits for. */
const RECONNECT_MS = 1_000;
/** The wait grows so often: 1, 2, 4, 8 seconds. */
const BACKOFFS_MAX = 4;

/**
 * The events behind a position, then each new one. After a cut it reconnects with the last position that it knows. Events
 * that the reader had not taken are sent again, and the reader gets each once. It ends with the signal.
 *
 * @param after undefined: from now on
 * @throws ProblemError when coming again would not help: 400, 401, 403, and 410 where events behind `after` are gone
 */
export async function* streamEvents(
  source: StreamSource,
  after: number | undefined,
  { signal, onReconnect }: StreamOptions,
): AsyncGenerator<StreamedEvent, void> {
  let position = after;
  for (let failures = 0; !signal?.aborted; ) {
    let pauseMs = RECONNECT_MS;
    try {
      for await (const block of openStream(source, position, signal)) {
        failures = 0;
        pauseMs = block.retryMs ?? pauseMs;
        if (block.data !== undefined)
          yield { ...(JSON.parse(block.data) as EventItem), position: Number(block.id) };
        // Only now: a reader that breaks off here has this event, one that threw comes again for it.
        if (block.id !== undefined) position = Number(block.id);
      }
      if (!signal?.aborted) onReconnect?.(new ConnectionError('the event stream ended'));
    } catch (error) {
      if (signal?.aborted) return;
      failures += 1;
      pauseMs = planReconnect(error, failures);
      onReconnect?.(error as Error);
    }
    await wait(pauseMs, signal).catch(() => undefined);
  }
}

/** As after a failed GET, but however often it fails: an outage ends some day. @throws what coming again would not help */
function planReconnect(error: unknown, failures: number): number {
  if (!(error instanceof ProblemError) && !(error instanceof ConnectionError)) throw error;
  const pauseMs = planRetry(
    {
      method: 'GET',
      count: Math.min(failures, BACKOFFS_MAX),
      hasIdempotencyKey: false,
      response: error instanceof ProblemError ? error : undefined,
    },
    Date.now(),
    Math.random(),
  );
  if (pauseMs === undefined) throw error;
  return pauseMs;
}

async function* openStream(
  { url, apiKey, fetch }: StreamSource,
  position: number | undefined,
  signal: AbortSignal | undefined,
): ReturnType<typeof parseEventStream> {
  const abort = new AbortController();
  const stop = (): void => abort.abort(signal?.reason);
  signal?.addEventListener('abort', stop);
  let timer = setTimeout(endSilence, SILENCE_MS_MAX);
  function endSilence(): void {
    abort.abort(new Error(`expected a comment within ${SILENCE_MS_MAX / 1_000} s, got nothing`));
  }
  try {
    const headers = {
      accept: 'text/event-stream',
      'x-api-key': apiKey,
      ...(position !== undefined && { 'last-event-id': String(position) }),
    };
    const response = await fetch(url, { headers, redirect: 'manual', signal: abort.signal });
    if (!response.ok || response.body === null) throw await readProblem(response);
    yield* parseEventStream(response.body, () => {
      clearTimeout(timer);
      timer = setTimeout(endSilence, SILENCE_MS_MAX);
    });
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    throw new ConnectionError('the event stream was cut', abort.signal.reason ?? error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
    abort.abort();
  }
}
