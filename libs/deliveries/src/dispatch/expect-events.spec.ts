import type { Channel } from '../channel.ts';
import { expectEvents, type Knowledge } from './expect-events.ts';

const channel = (id: string, ...types: string[]): Channel =>
  ({ id, eventTypes: new Set(types) }) as unknown as Channel;
const versions = [{ id: 'a', version: '1' }];

const knowledge: Knowledge = {
  findKnown: (projectId) =>
    projectId === 'unknown'
      ? undefined
      : { channels: [channel('a', 't', 'u'), channel('closed', 'u')], versions },
  isReady: ({ id }) => id !== 'closed',
  owns: (id) => id !== 'foreign',
};

const ref = (eventId: string, type?: string, projectId = 'p') => ({
  eventId,
  projectId,
  type,
});

test.each([
  { name: 'what all channels take', refs: [ref('1', 't')], expected: [['1', ['a']]] },
  { name: 'what nobody wants, of an own project', refs: [ref('1', 'v')], expected: [['1', []]] },
  { name: 'the same event told twice, once', refs: [ref('1', 't'), ref('1', 't')], expected: [['1', ['a']]] },
  { name: 'nothing of no type', refs: [ref('1')], expected: undefined },
  { name: 'nothing of a project never seen', refs: [ref('1', 't', 'unknown')], expected: undefined },
  { name: 'nothing that a closed channel wants too', refs: [ref('1', 'u')], expected: undefined },
  { name: 'nothing that another replica completes', refs: [ref('1', 'v', 'foreign')], expected: undefined },
  { name: 'all or none', refs: [ref('1', 't'), ref('2', 'u')], expected: undefined },
])('expects $name', ({ refs, expected }) => {
  const found = expectEvents(refs, knowledge);
  expect(found?.map(({ event, channels }) => [event.event_id, channels.map(({ id }) => id)])).toEqual(
    expected,
  );
  for (const { project } of found ?? []) expect(project.versions).toBe(versions);
});
