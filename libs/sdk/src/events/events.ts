// SPDX-License-Identifier: Apache-2.0
import type { CallOperation, ClientOptions } from '../call-operation.ts';
import type { EventItem, StreamedEvent } from '../event-types.ts';
import { EventOperations } from '../generated/operations.ts';
import type { operations } from '../generated/openapi.ts';
import { wait } from '../wait.ts';
import { streamEvents, type StreamOptions } from './stream-events.ts';

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
