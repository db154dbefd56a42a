import { v7 as uuidv7 } from 'uuid';
import type { Channel } from '../channel-store.ts';
import { planDispatch } from './plan-dispatch.ts';

const ALL = { mine: 1_000, other: 1_000, theirs: 1_000 };

function channel(id: string): Channel {
  return {
    id,
    projectId: 'p',
    status: 'active',
    isArchived: false,
    consecutiveFailures: 0,
    eventTypes: new Set(['t']),
    filters: {},
    throttlePerSecond: undefined,
    fault: undefined,
    kind: undefined,
    target: undefined,
    pauseGroup: undefined,
  };
}

interface Case {
  readonly name: string;
  /** Channels that want each event. */
  readonly wanted: readonly (readonly (keyof typeof ALL)[])[];
  readonly rooms?: Partial<typeof ALL>;
  readonly isSweep?: boolean;
  readonly ownsProject?: boolean;
  /** Id, event, channel and route. */
  readonly deliveries: readonly string[];
  /** Events. */
  readonly completed: readonly number[];
}

const CASES: readonly Case[] = [
  { name: 'nothing of nothing', wanted: [], deliveries: [], completed: [] },
  {
    name: 'straight, in event order, channel by channel',
    wanted: [['mine', 'other'], ['mine']],
    deliveries: ['1: 0 mine straight', '2: 0 other straight', '3: 1 mine straight'],
    completed: [0, 1],
  },
  {
    name: 'parked, where there is no room',
    wanted: [['mine', 'other']],
    rooms: { mine: 0 },
    deliveries: ['1: 0 mine parked', '2: 0 other straight'],
    completed: [0],
  },
  {
    name: 'nothing of a channel goes straight behind what is parked',
    wanted: [['mine'], ['mine', 'other'], ['mine', 'other'], ['mine']],
    rooms: { mine: 2, other: 1 },
    deliveries: [
      '1: 0 mine straight',
      '2: 1 mine straight',
      '3: 1 other straight',
      '4: 2 mine parked',
      '5: 2 other parked',
      '6: 3 mine parked',
    ],
    completed: [0, 1, 2, 3],
  },
  {
    name: "another replica's channels are left to it, and the event to whoever completes it",
    wanted: [['mine', 'theirs'], ['theirs'], ['mine']],
    deliveries: ['1: 0 mine straight', '2: 2 mine straight'],
    completed: [2],
  },
  {
    name: 'a sweep stores what other replicas missed, parked for them',
    wanted: [['mine', 'theirs'], ['theirs']],
    isSweep: true,
    deliveries: ['1: 0 mine straight', '2: 0 theirs foreign', '3: 1 theirs foreign'],
    completed: [0, 1],
  },
  {
    name: 'what nobody wants is completed by the owner of its project',
    wanted: [[]],
    deliveries: [],
    completed: [0],
  },
  {
    name: 'what nobody wants is left to the owner of its project',
    wanted: [[]],
    ownsProject: false,
    deliveries: [],
    completed: [],
  },
  {
    name: 'what nobody wants is completed by every sweep',
    wanted: [[]],
    ownsProject: false,
    isSweep: true,
    deliveries: [],
    completed: [0],
  },
];

test.each(CASES)('$name', ({ wanted, rooms, isSweep = false, ownsProject = true, deliveries, completed }) => {
  const asked: string[] = [];
  let ids = 0;
  const plan = planDispatch({
    wanted: wanted.map((names, index) => ({
      event: { event_id: String(index), project_id: 'p', type: 't' },
      channels: names.map(channel),
    })),
    owns: (id) => (id === 'p' ? ownsProject : id !== 'theirs'),
    roomOf: ({ id }) => {
      asked.push(id);
      return { ...ALL, ...rooms }[id as keyof typeof ALL];
    },
    isSweep,
    newId: () => String((ids += 1)),
  });
  expect(
    plan.deliveries.map((one) => `${one.id}: ${one.event.event_id} ${one.channel.id} ${one.route}`),
  ).toEqual(deliveries);
  expect(plan.completed.map(({ event }) => Number(event.event_id))).toEqual(completed);
  // Asking creates a queue, so it is done only for channels that this replica delivers to, and once each.
  expect(asked).toEqual([...new Set(asked)]);
  expect(asked).not.toContain('theirs');
});

test('ids of this process grow, however many a millisecond and when the clock goes back', () => {
  const { now } = Date;
  try {
    const ids: string[] = [];
    for (const ms of [2_000_000_000_000, 1_999_999_999_000, 2_000_000_000_001]) {
      Date.now = () => ms;
      for (let count = 0; count < 10_000; count += 1) ids.push(uuidv7());
    }
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(30_000);
    for (const id of ids.slice(0, 10))
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  } finally {
    Date.now = now;
  }
});
