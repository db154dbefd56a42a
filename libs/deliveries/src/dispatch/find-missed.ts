import type { OverdueEvent } from '../queue/list-overdue-events.ts';

/**
 * The events that a sweep completes: of each project those up to the last one that is overdue, so that none goes ahead of
 * an older one, but nothing behind an event that is under way here.
 * @param listed undispatched events, in order
 */
export function findMissed(
  listed: readonly OverdueEvent[],
  underWay: ReadonlySet<string>,
): readonly OverdueEvent[] {
  const lastOf = new Map<string, number>();
  for (const { id, projectId, isOverdue } of listed) if (isOverdue) lastOf.set(projectId, id);
  const stopped = new Set<string>();
  return listed.filter(({ id, eventId, projectId }) => {
    if (underWay.has(eventId)) stopped.add(projectId);
    return !stopped.has(projectId) && id <= (lastOf.get(projectId) ?? 0);
  });
}
