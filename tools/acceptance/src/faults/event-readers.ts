// SPDX-License-Identifier: Apache-2.0
import { openEventStream } from '@chainwatch/testing';

/** One who reads the events of a project, and comes again with the position that it saw last whenever it is cut off. */
export interface EventReader {
  /** Of what it got, in order. */
  readonly eventIds: readonly string[];
  readonly positions: readonly number[];
  /** Up to which position it knows that nothing is missing. */
  readonly lastPosition: number;
  /** How often it was cut off. */
  readonly cuts: number;
  /** What it was refused with. */
  readonly refusals: readonly string[];
  stop(): Promise<void>;
}

interface Source {
  readonly apiUrl: string;
  readonly key: string;
}

/** Between two tries, while the gateway is away. */
const RETRY_MS = 50;
const pause = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, RETRY_MS));

interface Seen {
  readonly eventIds: string[];
  readonly positions: number[];
  lastPosition: number;
  cuts: number;
  readonly refusals: string[];
}

const describe = (error: unknown): string =>
  error instanceof Error ? `${error.message} ${String(error.cause ?? '')}` : String(error);

const startReader = (turn: (seen: Seen, isStopped: () => boolean) => Promise<void>): EventReader => {
  const seen: Seen = { eventIds: [], positions: [], lastPosition: 0, cuts: 0, refusals: [] };
  let isStopped = false;
  const running = (async () => {
    while (!isStopped) {
      await turn(seen, () => isStopped).catch((error: unknown) => {
        seen.cuts += 1;
        seen.refusals.push(describe(error));
      });
      await pause();
    }
  })();
  return Object.assign(seen, {
    async stop() {
      isStopped = true;
      await running;
    },
  });
};

/** Asks `GET /events?after=` again and again. */
export function startPoller({ apiUrl, key }: Source): EventReader {
  return startReader(async (seen) => {
    const response = await fetch(`${apiUrl}/events?limit=100&after=${seen.lastPosition}`, {
      headers: { 'x-api-key': key },
      signal: AbortSignal.timeout(5_000),
    });
    if (response.status !== 200) throw new Error(`expected 200, got ${response.status}`);
    const { items, meta } = (await response.json()) as {
      items: { event_id: string; position: number }[];
      meta: { last_position: number };
    };
    seen.eventIds.push(...items.map(({ event_id: id }) => id));
    seen.positions.push(...items.map(({ position }) => position));
    seen.lastPosition = meta.last_position;
  });
}

/** Listens to `GET /events/stream`. */
export function startListener({ apiUrl, key }: Source): EventReader {
  return startReader(async (seen, isStopped) => {
    const stream = await openEventStream(`${apiUrl}/events/stream`, {
      'x-api-key': key,
      'last-event-id': String(seen.lastPosition),
    });
    if (stream.status !== 200) throw new Error(`expected 200, got ${stream.status}`);
    for (let taken = 0; ; ) {
      const isOver = stream.isOver || isStopped();
      const { events, lastEventId } = stream;
      for (; taken < events.length; taken += 1) {
        seen.eventIds.push((JSON.parse(events[taken]!.data) as { event_id: string }).event_id);
        seen.positions.push(Number(events[taken]!.id));
      }
      seen.lastPosition = Number(lastEventId ?? seen.lastPosition);
      if (isOver) break;
      await pause();
    }
    stream.close();
    if (!isStopped()) seen.cuts += 1;
  });
}
