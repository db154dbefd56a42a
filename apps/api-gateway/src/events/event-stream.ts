// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Principal } from '@chainwatch/data/key-store';
import { matchesFilters, type EventFilters } from './event-filters.ts';
import type { PositionedEvent, PositionsRead } from './read-positions.ts';

export interface StreamRequest {
  readonly caller: Principal;
  /** Begins behind this position. */
  readonly after: number;
  readonly filters: EventFilters;
}

/** A reader that leaves more than this unread is closed; it may come again with its Last-Event-ID. */
const UNREAD_BYTES_MAX = 1_048_576;
/** A reader that takes nothing for so long while it is behind has gone. */
const STALLED_MS = 60_000;
/** Nor does a stream that has ended keep its place for a reader that does not take the end. */
const FAREWELL_MS = 2_000;

const LINE_BREAK = /\r\n|\r|\n/;

/** One client that listens: server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export class EventStream {
  readonly request: StreamRequest;
  readonly #res: ServerResponse;
  #position: number;

  constructor(res: ServerResponse, request: StreamRequest) {
    this.#res = res;
    this.request = request;
    this.#position = request.after;
    // What a client that is cut at once comes again with.
    this.write(`id: ${request.after}\n\n`);
  }

  get position(): number {
    return this.#position;
  }

  get isOpen(): boolean {
    return !this.#res.destroyed && !this.#res.writableEnded;
  }

  onClose(listener: () => void): void {
    if (this.isOpen) this.#res.once('close', listener);
    else listener();
  }

  /** News for every stream of the project. */
  push({ events, lastPosition }: Pick<PositionsRead, 'events' | 'lastPosition'>): void {
    if (lastPosition <= this.#position) return;
    this.write(
      events
        .filter(({ position }) => position > this.#position)
        .filter((event) => matchesFilters(this.request.filters, event))
        .map(toFrame)
        .join('') + this.#passTo(events, lastPosition),
    );
    this.#position = lastPosition;
  }

  /** What came before the stream was opened; the client's own pace is kept. Resolves to false when it stopped reading. */
  async catchUp({ events, lastPosition }: PositionsRead): Promise<boolean> {
    for (const event of events) {
      this.write(toFrame(event));
      if (!(await this.#drained())) return false;
    }
    this.write(this.#passTo(events, lastPosition));
    this.#position = lastPosition;
    return this.isOpen;
  }

  write(text: string): void {
    if (text === '' || !this.isOpen) return;
    // Before the write: what comes now nobody had the time to read.
    if (this.#res.writableLength > UNREAD_BYTES_MAX) this.#res.destroy();
    else this.#res.write(text);
  }

  /** @param text the last words */
  end(text = ''): void {
    if (!this.isOpen) return;
    this.#res.end(text);
    const cut = setTimeout(() => this.#res.destroy(), FAREWELL_MS).unref();
    this.#res.once('close', () => clearTimeout(cut));
  }

  /** Events that the filters kept back move the client's position, too. */
  #passTo(events: readonly PositionedEvent[], lastPosition: number): string {
    const shown = events.findLast((event) => matchesFilters(this.request.filters, event));
    return lastPosition > Math.max(shown?.position ?? 0, this.#position) ? `id: ${lastPosition}\n\n` : '';
  }

  async #drained(): Promise<boolean> {
    const res = this.#res;
    if (!res.writableNeedDrain) return this.isOpen;
    const signal = AbortSignal.timeout(STALLED_MS);
    try {
      await Promise.race([once(res, 'drain', { signal }), once(res, 'close', { signal })]);
    } catch {
      res.destroy();
    }
    return this.isOpen;
  }
}

function toFrame({ position, type, payload }: PositionedEvent): string {
  // An event has no line break. A row that is none of ours must not pass for another event.
  const data = LINE_BREAK.test(payload) ? payload.split(LINE_BREAK).join('\ndata: ') : payload;
  return `id: ${position}\nevent: ${type}\ndata: ${data}\n\n`;
}
