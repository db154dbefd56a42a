import type { EventGap, EventRef } from '@chainwatch/deliveries';

/** An event as the bus tells of it. */
export interface NotifiedEvent extends EventRef {
  readonly chainGid: string;
  /** Grows by one within project and chain; undefined from a publisher that does not say. */
  readonly sequence: number | undefined;
}

interface Line {
  /** Sequence of the last event that went on; 0 before the first. */
  last: number;
  /** Events that arrived before the one that follows `last`, by sequence. */
  readonly early: Map<number, NotifiedEvent>;
}

const LINES_MAX = 100_000;

/**
 * Keeps the events of each project and chain in order. The bus may lose events when a server dies, and events
 * that two services publish at the same time arrive in any order. An event that came too early waits until
 * the gap before it is filled.
 */
export class EventOrder {
  /** In the order of their last use. */
  readonly #lines = new Map<string, Line>();
  readonly #waiting = new Map<string, Line>();
  #size = 0;

  /** Events that wait behind gaps. */
  get size(): number {
    return this.#size;
  }

  /** Takes an event; returns the events that may go on now, in order. */
  accept(event: NotifiedEvent): readonly NotifiedEvent[] {
    const { sequence } = event;
    if (sequence === undefined) return [event];
    const key = keyOf(event);
    const line = this.#lineOf(key);
    if (sequence <= line.last) return [event];
    if (!line.early.has(sequence)) this.#size += 1;
    line.early.set(sequence, event);
    this.#waiting.set(key, line);
    return this.#release(key, line);
  }

  /**
   * Ranges in which events are missing: for each project and chain from the last event that went on to the
   * last one that waits.
   */
  get gaps(): readonly EventGap[] {
    return [...this.#waiting.values()].map(({ last, early }) => {
      const [{ projectId, chainGid }] = early.values() as unknown as [NotifiedEvent];
      return { projectId, chainGid, after: last, before: Math.max(...early.keys()) };
    });
  }

  /**
   * Closes a gap that was filled from the table. Returns, in order, the waiting events up to its end and
   * those that follow without a gap.
   */
  close(gap: EventGap): readonly NotifiedEvent[] {
    const key = keyOf(gap);
    const line = this.#waiting.get(key);
    if (line === undefined) return [];
    const due = [...line.early.keys()].filter((sequence) => sequence <= gap.before).sort((a, b) => a - b);
    const events = due.map((sequence) => this.#take(line, sequence));
    line.last = Math.max(line.last, gap.before);
    return [...events, ...this.#release(key, line)];
  }

  #release(key: string, line: Line): NotifiedEvent[] {
    const released: NotifiedEvent[] = [];
    while (line.early.has(line.last + 1)) released.push(this.#take(line, (line.last += 1)));
    if (line.early.size === 0) this.#waiting.delete(key);
    return released;
  }

  #take(line: Line, sequence: number): NotifiedEvent {
    const event = line.early.get(sequence)!;
    line.early.delete(sequence);
    this.#size -= 1;
    return event;
  }

  #lineOf(key: string): Line {
    const line = this.#waiting.get(key) ?? this.#lines.get(key) ?? { last: 0, early: new Map() };
    this.#lines.delete(key);
    this.#lines.set(key, line);
    if (this.#lines.size > LINES_MAX) this.#lines.delete(this.#lines.keys().next().value!);
    return line;
  }
}

function keyOf({ projectId, chainGid }: { projectId: string; chainGid: string }): string {
  return `${projectId} ${chainGid}`;
}
