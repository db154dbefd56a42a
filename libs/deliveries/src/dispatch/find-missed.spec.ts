import { findMissed } from './find-missed.ts';

const event = (id: number, projectId: string, isOverdue = false) => ({
  id,
  projectId,
  eventId: `event-${id}`,
  isOverdue,
});
const idsOf = (events: readonly { id: number }[]): number[] => events.map(({ id }) => id);

it('takes what is older than an overdue event along, project by project, and leaves what is newer', () => {
  const listed = [event(1, 'a'), event(2, 'b'), event(3, 'a', true), event(4, 'a'), event(5, 'b')];
  expect(idsOf(findMissed(listed, new Set()))).toEqual([1, 3]);
  expect(findMissed([event(1, 'a')], new Set())).toEqual([]);
});

it('stops at an event that is under way here, which those behind it must not overtake', () => {
  const listed = [event(1, 'a', true), event(2, 'b', true), event(3, 'a', true), event(4, 'a', true)];
  expect(idsOf(findMissed(listed, new Set(['event-3'])))).toEqual([1, 2]);
});
