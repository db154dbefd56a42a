// SPDX-License-Identifier: Apache-2.0
import { performance } from 'node:perf_hooks';
import { loadExpressions, shapePayload, type NameBook } from '@chainwatch/channels';
import type { Database, Sql } from '@chainwatch/data/db';
import { findPoison } from '@chainwatch/data/quarantine';
import { parseChannel, type Channel } from '../channel-store.ts';
import { createMessageNames, type MessageNamesDeps } from '../names/message-names.ts';
import { findWantedEvents } from '../schedule/find-wanted-events.ts';
import { findLeftOut } from '../schedule/read-left-out.ts';
import type { EventRow } from '../schedule/undispatched.ts';

/** A channel that does not exist, and the time for which it is asked. */
export interface PreviewRequest {
  readonly projectId: string;
  /** Kind of channel whose bytes, or texts, are shown. */
  readonly kind: string;
  /** Members of a channel's config that select and shape events, as stored. */
  readonly selection: object;
  readonly since: Date;
  /** Exclusive. */
  readonly until: Date;
}

export interface PreviewLimits {
  /** Events that are read at most. */
  readonly eventsMax: number;
  /** Milliseconds for the whole preview; a statement that is under way then is ended by the server. */
  readonly budgetMs: number;
  /** Events of one statement, and bytes of their payloads. */
  readonly stepMax: number;
  readonly stepBytesMax: number;
  /** Bodies that are shown. */
  readonly shownMax: number;
}

/** What messages to people name and link to, as in a notifier. */
export interface PreviewDependencies extends Pick<MessageNamesDeps, 'findNetwork' | 'publicUrl' | 'logger'> {
  readonly db: Database;
}

export interface EventCount {
  readonly type: string;
  /** Null for events of no chain. */
  readonly chainGid: string | null;
  readonly count: number;
}

export interface Preview {
  /** Events that the channel would have had. */
  readonly total: number;
  /** Of each type and chain, in their order. */
  readonly counts: readonly EventCount[];
  /** The first of them, oldest first: whole. */
  readonly payloads: readonly string[];
  /** The same in their order: the bytes that are sent. */
  readonly bodies: readonly string[];
  /** Every event made before it was looked at. */
  readonly until: Date;
  readonly isComplete: boolean;
}

const DEFAULT_LIMITS: PreviewLimits = {
  eventsMax: 50_000,
  budgetMs: 8_000,
  stepMax: 500,
  stepBytesMax: 4 * 1_048_576,
  shownMax: 20,
};

interface Match {
  readonly type: string;
  readonly chainGid: string | null;
  readonly createdAt: Date;
  /** Of the first matches. */
  readonly payload: string | undefined;
}

/**
 * What a channel with this selection would have had: the kept events of a time, through the functions with which the
 * scheduler finds the channels of an event. What users say of addresses counts as it is now.
 *
 * It reads in steps, oldest first. Where events or time run out it says how far it came.
 */
export async function previewEvents(
  deps: PreviewDependencies,
  request: PreviewRequest,
  given: Partial<PreviewLimits> = {},
): Promise<Preview> {
  const { db } = deps;
  const limits = { ...DEFAULT_LIMITS, ...given };
  const channel = await channelOf(request);
  const endMs = performance.now() + limits.budgetMs;
  const matches: Match[] = [];
  let after: Place = { createdAt: request.since, id: 0 };
  for (let read = 0; read < limits.eventsMax && performance.now() < endMs; ) {
    const step = await readStep(db, { channel, after, until: request.until }, { ...limits, endMs });
    if (step === undefined) break;
    for (const event of step.wanted) matches.push(toMatch(event, matches.length < limits.shownMax));
    if (!step.hasMore)
      return summarize({ ...deps, channel }, matches, { until: request.until, isComplete: true });
    after = step.events.at(-1)!;
    read += step.events.length;
  }
  // Events of the same millisecond may not be read yet.
  const until = after.createdAt;
  const before = matches.filter(({ createdAt }) => createdAt < until);
  return summarize({ ...deps, channel }, before, { until, isComplete: false });
}

/** As the store reads it from a row; nothing is sent through it. */
async function channelOf({ projectId, kind, selection }: PreviewRequest): Promise<Channel> {
  const row = {
    id: '',
    workspace_id: '',
    project_id: projectId,
    kind,
    config: selection,
    credentials_sealed: null,
    has_expression: true,
    secrets: [],
  };
  const { compileExpression } = await loadExpressions();
  return parseChannel(
    { ...row, status: 'active', is_archived: false, consecutive_failures: 0 },
    () => '',
    compileExpression,
  );
}

interface Step {
  readonly channel: Channel;
  readonly after: Place;
  readonly until: Date;
}

interface StepEvents extends EventPage {
  readonly wanted: readonly KeptEvent[];
}

/** Undefined when the time ran out. */
async function readStep(
  db: Database,
  { channel, after, until }: Step,
  { stepMax, stepBytesMax, endMs }: PreviewLimits & { readonly endMs: number },
): Promise<StepEvents | undefined> {
  const timeoutMs = Math.max(1, Math.ceil(endMs - performance.now()));
  try {
    const { page, leftOut } = await db.transaction(
      async (sql) => {
        const range = { channel, after, until, limit: stepMax, bytesMax: stepBytesMax };
        const page = await readEvents(sql, range);
        return { page, leftOut: await findLeftOut(sql, page.events, [channel]) };
      },
      [{ text: `SET LOCAL statement_timeout = ${timeoutMs}` }],
    );
    const wanted: KeptEvent[] = [];
    // One that cannot be read is not sent either: the scheduler sets it aside.
    await findPoison(page.events, async (some) => {
      const found = await findWantedEvents(some, { channels: [channel], leftOut, onFault: () => undefined });
      wanted.push(...found.wanted.flatMap(({ event, channels }) => (channels.length > 0 ? [event] : [])));
    });
    return { ...page, wanted };
  } catch (error) {
    if ((error as { code?: unknown } | null)?.code === STATEMENT_TIMEOUT) return undefined;
    throw error;
  }
}

/** SQLSTATE query_canceled. */
const STATEMENT_TIMEOUT = '57014';

function toMatch({ type, chain_gid: chainGid, createdAt, payload }: KeptEvent, isShown: boolean): Match {
  return { type, chainGid, createdAt, payload: isShown ? payload : undefined };
}

/** As an attempt renders it. Nothing where it would fail. */
function renderShown({ kind, shape }: Channel, payload: string, names: NameBook | undefined) {
  try {
    return [{ payload, body: kind!.render([shapePayload(payload, shape)], names) }];
  } catch {
    return [];
  }
}

async function summarize(
  { channel, ...deps }: PreviewDependencies & { readonly channel: Channel },
  matches: readonly Match[],
  reached: Pick<Preview, 'until' | 'isComplete'>,
): Promise<Preview> {
  const counts = new Map<string, EventCount>();
  for (const { type, chainGid } of matches) {
    const key = `${type} ${chainGid ?? ''}`;
    counts.set(key, { type, chainGid, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  const payloads = matches.flatMap(({ payload }) => payload ?? []);
  const names = channel.kind!.isVerbatim ? undefined : await createMessageNames(deps).read(payloads);
  const shown = payloads.flatMap((payload) => renderShown(channel, payload, names));
  return {
    total: matches.length,
    counts: [...counts].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, count]) => count),
    payloads: shown.map(({ payload }) => payload),
    bodies: shown.map(({ body }) => body),
    ...reached,
  };
}

/** A place in the order of events by the time at which they were made. */
interface Place {
  readonly createdAt: Date;
  /** Of the row; 0 is before all of that time. */
  readonly id: number;
}

interface KeptEvent extends EventRow, Place {
  readonly chain_gid: string | null;
}

interface EventPage {
  readonly events: readonly KeptEvent[];
  readonly hasMore: boolean;
}

interface Range {
  readonly channel: Pick<Channel, 'projectId' | 'eventTypes' | 'includesHistory'>;
  readonly after: Place;
  /** Exclusive. */
  readonly until: Date;
  readonly limit: number;
  /** Of payloads, but for those of the first event. */
  readonly bytesMax: number;
}

/**
 * The next events of the channel's project that are of its types, oldest first: what the scheduler dispatches, and history
 * for channels that include it. The index has the rows of each type in this order; payloads are read of the page alone, as many
 * as memory has room for.
 */
async function readEvents(sql: Sql, { channel, after, until, limit, bytesMax }: Range): Promise<EventPage> {
  const { rows } = await sql.query<KeptEvent & { readonly found: number }>(
    `SELECT * FROM (SELECT e.id, e.event_id, e.project_id, e.type, e.payload, e.chain_gid, e.created_at AS "createdAt", count(*) OVER () AS found,
       sum(octet_length(e.payload)) OVER (ORDER BY page.created_at, page.id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes
     FROM (SELECT r.* FROM unnest($2::text[]) AS t (type) CROSS JOIN LATERAL (
         SELECT created_at, id FROM event_log
         WHERE project_id = $1 AND type = t.type AND NOT is_held AND subject_kind <> 'test' AND ($3 OR subject_kind <> 'history')
           AND (created_at, id) > ($4::timestamptz, $5::bigint) AND created_at < $6
         ORDER BY created_at, id LIMIT $7) r
       ORDER BY r.created_at, r.id LIMIT $7) page
     CROSS JOIN LATERAL (SELECT * FROM event_log WHERE id = page.id OFFSET 0) e) p
     WHERE coalesce(bytes, 0) < $8 ORDER BY "createdAt", id`,
    [
      channel.projectId,
      [...channel.eventTypes],
      channel.includesHistory === true,
      after.createdAt,
      after.id,
      until,
      limit,
      bytesMax,
    ],
  );
  const found = rows[0]?.found ?? 0;
  return { events: rows, hasMore: found === limit || rows.length < found };
}
