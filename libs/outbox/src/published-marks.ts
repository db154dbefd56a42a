// SPDX-License-Identifier: Apache-2.0
import type { Logger } from '@chainwatch/telemetry';
import type { Bus } from '@chainwatch/bus';
import type { Database } from '@chainwatch/db';
import type { FlowService } from '@chainwatch/events';

interface MarkDeps {
  readonly db: Database;
  readonly bus: Pick<Bus<FlowService>, 'streamState'>;
  readonly stream: string;
  readonly logger: Pick<Logger, 'warn'>;
}

interface Published {
  readonly eventId: string;
  /** Incarnation of the stream that stored it. */
  readonly incarnation: string;
}

const MARK_MS = 100;

/** Marks events as published, in groups. A lost mark costs a second message with the same id. */
export class PublishedMarks {
  readonly #deps: MarkDeps;
  readonly #underWay = new Set<string>();
  #waiting: Published[] = [];
  #timer: Promise<void> | undefined;
  #lastWrite: Promise<unknown> = Promise.resolve();

  constructor(deps: MarkDeps) {
    this.#deps = deps;
  }

  /** Published events whose rows may not be marked yet. */
  get eventIds(): string[] {
    return [...this.#waiting.map(({ eventId }) => eventId), ...this.#underWay];
  }

  add(eventId: string): void {
    const { incarnation } = this.#deps.bus.streamState(this.#deps.stream);
    this.#waiting.push({ eventId, incarnation });
    this.#timer ??= this.#writeSoon();
  }

  /** Events of a stream that was lost meanwhile stay unpublished: the stream's row then has another incarnation. */
  async write(): Promise<void> {
    const { db, bus, stream, logger } = this.#deps;
    const { incarnation, lastSeq } = bus.streamState(stream);
    const ids = this.#waiting
      .filter((event) => event.incarnation === incarnation)
      .map(({ eventId }) => eventId);
    this.#waiting = [];
    if (ids.length === 0) return;
    for (const id of ids) this.#underWay.add(id);
    this.#lastWrite = db
      .query({
        name: 'mark_published',
        // No flush to disk: a lost mark is harmless (see the class).
        text: `WITH relaxed AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true)),
               stream AS (UPDATE stream_incarnations SET last_seq = greatest(last_seq, $4), seen_at = now() FROM relaxed WHERE stream = $2 AND incarnation = $3 RETURNING 1)
               DELETE FROM unpublished_events u USING stream, (SELECT row_id FROM event_keys WHERE event_id = ANY($1::uuid[]) OFFSET 0) k WHERE u.event_row_id = k.row_id`,
        values: [ids, stream, incarnation, lastSeq],
      })
      .catch((err: unknown) => logger.warn({ err }, 'failed to mark published events'))
      .finally(() => ids.forEach((id) => this.#underWay.delete(id)));
    await this.#lastWrite;
  }

  /** Writes what is left, and waits for what is under way. */
  async close(): Promise<void> {
    await this.#timer;
    await this.write();
    await this.#lastWrite;
  }

  async #writeSoon(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, MARK_MS));
    this.#timer = undefined;
    await this.write();
  }
}
