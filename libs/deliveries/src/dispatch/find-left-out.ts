import type { Sql } from '@chainwatch/db';
import { factsOf, type EventEnvelope } from '@chainwatch/events';
import type { Channel } from '../channel-store.ts';
import type { EventRow } from '../queue/select-events.ts';
import { readLeftOut, type LeftOut, type LeftOutAddress } from '../queue/read-left-out.ts';

/**
 * Reads what some channel filters by and the events do not carry: metadata that is too long, and everything in
 * events of an earlier release.
 */
export async function findLeftOut(
  planned: Sql,
  events: readonly EventRow[],
  channels: readonly Channel[],
): Promise<LeftOut> {
  const asking = channels.filter(
    ({ filters }) => (filters.groups?.length ?? 0) > 0 || Object.keys(filters.metadata ?? {}).length > 0,
  );
  const projects = new Set(asking.map(({ projectId }) => projectId));
  const keys = new Set(asking.flatMap(({ filters }) => Object.keys(filters.metadata ?? {})));
  const leftOut = events.filter((event) => projects.has(event.project_id)).flatMap(listLeftOut);
  return readLeftOut(planned, leftOut, [...keys]);
}

function listLeftOut({ payload }: EventRow): readonly LeftOutAddress[] {
  try {
    const { addresses = [], transactionId } = factsOf(JSON.parse(payload) as EventEnvelope) ?? {};
    return addresses
      .filter(({ groups, metadata }) => groups === undefined || metadata === undefined)
      .map(({ id }) => ({ id, transactionId }));
  } catch {
    // Whoever applies the filters says so.
    return [];
  }
}
