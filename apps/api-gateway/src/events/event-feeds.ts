// SPDX-License-Identifier: Apache-2.0
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Sql } from '@chainwatch/data/db';
import type { Principal } from '@chainwatch/data/key-store';
import { tooManyRequests } from '@chainwatch/common/problem';
import { gauge, type Logger } from '@chainwatch/platform/telemetry';
import type { KeyWatch } from '../auth/key-watch.ts';
import { FairQueue } from '@chainwatch/chain-core';
import { readQuota } from '../management/take-quota.ts';
import { takeSlot, type Free, type Slots } from '../server/take-slot.ts';
import { EventStream, type StreamRequest } from './event-stream.ts';
import { readPositions } from './read-positions.ts';

export interface EventFeedsDeps {
  readonly db: Sql;
  readonly slots: Slots;
  readonly keyWatch: Pick<KeyWatch, 'watch'>;
  readonly logger: Pick<Logger, 'warn'>;
  /** Between two comments, default 15,000. */
  readonly commentMs?: number;
}

/** The streams of one project, and how far they were told. */
interface Feed {
  readonly owner: Pick<Principal, 'workspaceId' | 'projectId'>;
  position: number;
  readonly streams: Set<EventStream>;
  /** Its news are being told. */
  isBusy: boolean;
}

const LOOK_MS = 100;
const RETRY_MS = 500;
const READ_ROWS = 50;
const CATCH_UP_ROWS = 100;
/** Reads at the same time, for what is new and for what streams missed. */
const READS_AT_ONCE = 4;
const RETRY_AFTER_SECONDS = 15;

const openStreams = gauge('chainwatch_event_streams', { description: 'Open streams of events.' });

/**
 * The streams of this process. One statement finds the projects with news, one read for each of them serves all its
 * streams. While no stream is open nothing is asked. Workspaces take turns, page by page: nobody waits for all that another
 * has to be told.
 */
export class EventFeeds {
  readonly #deps: EventFeedsDeps;
  readonly #streams = new Set<EventStream>();
  readonly #feeds = new Map<string, Feed>();
  readonly #readNews = new FairQueue({ atOnce: READS_AT_ONCE });
  readonly #readMissed = new FairQueue({ atOnce: READS_AT_ONCE });
  #running: Promise<void> | undefined;
  #commentedAtMs = 0;
  #lastError = '';
  #isClosed = false;

  constructor(deps: EventFeedsDeps) {
    this.#deps = deps;
  }

  /**
   * Takes one of the places of a workspace, over all replicas. What is returned frees it.
   * @throws ProblemError 429 where its quota of streams is used up
   */
  async enter({ workspaceId }: Pick<Principal, 'workspaceId'>): Promise<Free> {
    const { db, slots } = this.#deps;
    // While closing, streams are admitted and ended at once: browsers reconnect after a stream that ends, not after an error.
    if (this.#isClosed) return async () => undefined;
    const limit = await readQuota(db, workspaceId, 'streams');
    const free = await takeSlot(slots, `streams:${workspaceId}`, limit);
    if (free === undefined)
      throw tooManyRequests(
        RETRY_AFTER_SECONDS,
        `The workspace may have ${limit.toLocaleString('en')} open streams of events, which is its quota of streams.`,
      );
    return free;
  }

  /** Resolves when the stream has ended. Its place was taken. */
  async serve(res: ServerResponse, request: StreamRequest & { readonly free: Free }): Promise<void> {
    const stream = new EventStream(res, request);
    const closed = new Promise<void>((resolve) => stream.onClose(resolve));
    this.#streams.add(stream);
    openStreams.set(this.#streams.size);
    if (this.#isClosed) this.#dismiss(stream);
    this.#running ??= this.#run();
    const forgetKey = this.#deps.keyWatch.watch(request.caller, () => stream.end());
    try {
      await Promise.race([closed, this.#catchUp(stream)]);
      await closed;
    } finally {
      forgetKey();
      this.#forget(stream);
      await request.free();
    }
  }

  /** Sends every client to another process, not all at the same moment. */
  close(): void {
    this.#isClosed = true;
    for (const stream of this.#streams) this.#dismiss(stream);
  }

  #dismiss(stream: EventStream): void {
    stream.end(`retry: ${1_000 + Math.floor(Math.random() * 4_000)}\n\n`);
  }

  #forget(stream: EventStream): void {
    const { projectId } = stream.request.caller;
    const feed = this.#feeds.get(projectId);
    feed?.streams.delete(stream);
    if (feed?.streams.size === 0) this.#feeds.delete(projectId);
    this.#streams.delete(stream);
    openStreams.set(this.#streams.size);
  }

  /** Reads for this stream alone until it has caught up with its project's other streams; then it shares their reads. */
  async #catchUp(stream: EventStream): Promise<void> {
    const {
      filters,
      caller: { workspaceId, projectId },
    } = stream.request;
    while (stream.isOpen) {
      try {
        const read = await this.#readMissed.run({ owner: workspaceId }, () =>
          readPositions(this.#deps.db, { projectId, after: stream.position, limit: CATCH_UP_ROWS, filters }),
        );
        if (!(await stream.catchUp(read))) return;
        if (!read.hasMore && this.#join(stream)) return;
      } catch (error) {
        this.#noteFailure(error);
        await delay(RETRY_MS);
      }
    }
  }

  #join(stream: EventStream): boolean {
    const { caller: owner } = stream.request;
    const feed = this.#feeds.get(owner.projectId) ?? {
      owner,
      position: stream.position,
      streams: new Set(),
      isBusy: false,
    };
    if (feed.position > stream.position) return false;
    feed.streams.add(stream);
    this.#feeds.set(owner.projectId, feed);
    return true;
  }

  async #run(): Promise<void> {
    while (this.#streams.size > 0) {
      try {
        await this.#look();
      } catch (error) {
        this.#noteFailure(error);
      }
      this.#comment();
      await delay(LOOK_MS);
    }
    this.#running = undefined;
  }

  async #look(): Promise<void> {
    const feeds = [...this.#feeds.values()].filter(({ isBusy }) => !isBusy);
    if (feeds.length === 0) return;
    const { rows } = await this.#deps.db.query<{ project_id: string }>({
      name: 'find_event_news',
      text: `SELECT p.project_id FROM unnest($1::uuid[], $2::bigint[]) AS k (project_id, position)
             JOIN project_positions p ON p.project_id = k.project_id AND p.last_position > k.position`,
      values: [feeds.map(({ owner }) => owner.projectId), feeds.map(({ position }) => position)],
    });
    if (rows.length === 0) this.#lastError = '';
    for (const row of rows) void this.#tell(this.#feeds.get(row.project_id));
  }

  /** Never rejects. */
  async #tell(feed: Feed | undefined): Promise<void> {
    if (feed === undefined) return;
    const { workspaceId, projectId } = feed.owner;
    feed.isBusy = true;
    try {
      for (let hasMore = true; hasMore && feed.streams.size > 0; ) {
        const request = { projectId, after: feed.position, limit: READ_ROWS };
        const read = await this.#readNews.run({ owner: workspaceId }, () =>
          readPositions(this.#deps.db, request),
        );
        this.#lastError = '';
        feed.position = read.lastPosition;
        for (const stream of feed.streams) stream.push(read);
        hasMore = read.hasMore;
      }
    } catch (error) {
      this.#noteFailure(error);
      await delay(RETRY_MS);
    } finally {
      feed.isBusy = false;
    }
  }

  /** Proxies and clients see that the stream lives. */
  #comment(): void {
    const { commentMs = 15_000 } = this.#deps;
    if (performance.now() - this.#commentedAtMs < commentMs) return;
    this.#commentedAtMs = performance.now();
    for (const stream of this.#streams) stream.write(':\n\n');
  }

  #noteFailure(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    if (message !== this.#lastError)
      this.#deps.logger.warn({ err: error }, 'failed to read events for open streams, will retry');
    this.#lastError = message;
  }
}
