// SPDX-License-Identifier: Apache-2.0
import type { CallOperation, ClientOptions } from '../call-operation.ts';
import type { EventItem, StreamedEvent } from '../event-types.ts';
import { EventOperations } from '../generated/operations.ts';
import type { operations } from '../generated/openapi.ts';
import { wait } from '../wait.ts';
import { ConnectionError, ProblemError, readProblem } from '../errors.ts';
import { planRetry } from '../plan-retry.ts';

type Filters = Omit<NonNullable<operations['streamEvents']['parameters']['query']>, 'after'>;

export interface StreamQuery extends Filters, StreamOptions {
  /** Behind this position: the one that you stored with what you did for the last event. Absent: from now on. */
  readonly after?: number;
}

export interface PollQuery extends Filters {
  /** 0: from the first event that is kept. */
  readonly after: number;
  /** Between two requests when there is nothing new. Absent: it ends there, as a job that runs now and then wants it. */
  readonly intervalMs?: number;
  readonly signal?: AbortSignal;
}

const PAGE_ITEMS = 100;

export class Events extends EventOperations {
  readonly #options: ClientOptions;

  constructor(call: CallOperation, options: ClientOptions) {
    super(call);
    this.#options = options;
  }

  /**
   * Each event of the project as soon as it has its position, in that order, for as long as you iterate. It reconnects
   * and misses nothing; an event comes again only to a process that starts again with an older position.
   *
   * Needs the permission `api:event:read`. `GET /events/stream`
   *
   * @example
   * for await (const event of chainwatch.events.stream({ after: await readPosition() }))
   *   await storeTogether(event, event.position);
   */
  stream({ after, signal, onReconnect, ...filters }: StreamQuery = {}): AsyncGenerator<StreamedEvent, void> {
    const { baseUrl, apiKey, fetch = (...input) => globalThis.fetch(...input) } = this.#options;
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(filters))
      for (const one of [value].flat()) if (one !== undefined) query.append(name, String(one));
    const url = `${baseUrl.replace(/\/$/, '')}/events/stream?${query.toString()}`;
    return streamEvents({ url, apiKey, fetch }, after, { signal, onReconnect });
  }

  /**
   * The same by requests, for runtimes that keep no connection open.
   *
   * Needs the permission `api:event:read`. `GET /events?after=`
   */
  async *poll({ after, intervalMs, signal, ...filters }: PollQuery): AsyncGenerator<EventItem, void> {
    for (let position = after; ; ) {
      const { items, meta } = await this.list({ ...filters, after: position, limit: PAGE_ITEMS }, { signal });
      yield* items;
      position = meta.last_position ?? position;
      if (meta.has_more) continue;
      if (intervalMs === undefined) return;
      await wait(intervalMs, signal);
    }
  }
}

interface StreamSource {
  readonly url: string;
  readonly apiKey: string;
  readonly fetch: typeof globalThis.fetch;
}

interface StreamOptions {
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
async function* streamEvents(
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

/** A block of a stream. One without `data` only moves the position (`id`), or says when to come again (`retryMs`). */
interface StreamBlock {
  readonly id?: string;
  readonly type: string;
  readonly data?: string;
  readonly retryMs?: number;
}

/** What a line begins with, and the rest of it; a line end may be cut in two. */
const LINE_END = /\r\n|\n|\r(?!$)/;

/**
 * Reads server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream). What
 * no blank line has ended was not received. Libraries for it tell of blocks with data alone; here the position counts too.
 *
 * @param onBytes called for everything that arrives, comments included: the stream lives
 */
async function* parseEventStream(
  body: ReadableStream<Uint8Array>,
  onBytes: () => void,
): AsyncGenerator<StreamBlock, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let lines: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onBytes();
      const parts = (rest + decoder.decode(value, { stream: true })).split(LINE_END);
      rest = parts.pop() ?? '';
      for (const line of parts) {
        if (line !== '') lines.push(line);
        else {
          if (lines.length > 0) yield readBlock(lines);
          lines = [];
        }
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function readBlock(lines: readonly string[]): StreamBlock {
  const block: { id?: string; type: string; data?: string; retryMs?: number } = { type: 'message' };
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'id' && !value.includes('\0')) block.id = value;
    else if (name === 'event') block.type = value;
    else if (name === 'data') block.data = block.data === undefined ? value : `${block.data}\n${value}`;
    else if (name === 'retry' && /^\d{1,7}$/.test(value)) block.retryMs = Number(value);
  }
  return block;
}
