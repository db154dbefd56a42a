import type { EventRef } from '@chainwatch/deliveries';
import { waitFor } from '@chainwatch/testing';
import { EventIntake } from './event-intake.ts';
import { EventOrder, type NotifiedEvent } from './event-order.ts';

const PROJECT = '6f1d1f4e-0000-4000-8000-000000000001';
const eventOf = (sequence: number): NotifiedEvent =>
  ({ eventId: `event-${sequence}`, projectId: PROJECT, chainGid: 'eip155:1', sequence }) as NotifiedEvent;

/** A dispatcher whose looks into the table end when the spec says so. */
function createIntake() {
  const dispatched: string[] = [];
  const ends: { catchUp?: () => void; findMissing?: () => void } = {};
  let catchUps = 0;
  const dispatcher = {
    size: 0,
    close: () => undefined,
    dispatch: async ({ eventId }: EventRef): Promise<void> => void dispatched.push(eventId),
    catchUp: () => {
      catchUps += 1;
      return new Promise<void>((resolve) => (ends.catchUp = () => (dispatched.push('table'), resolve())));
    },
    findMissing: () =>
      new Promise<readonly EventRef[]>((resolve) => (ends.findMissing = () => resolve([eventOf(2)]))),
  };
  const engine = { dispatcher, changeShare: async () => undefined, isSending: () => false };
  const intake = new EventIntake({
    engine: engine as unknown as ConstructorParameters<typeof EventIntake>[0]['engine'],
    order: new EventOrder(),
    logger: { warn: () => undefined },
  });
  return { intake, dispatcher, dispatched, ends, catchUps: () => catchUps };
}

it('fills no gap while the table is being worked off', async () => {
  const { intake, dispatched, ends, catchUps } = createIntake();
  intake.take(eventOf(1));
  const looked = waitFor(() => ends.findMissing);
  intake.take(eventOf(3));
  await looked;
  void intake.catchUp();
  await waitFor(() => catchUps() === 1);
  ends.findMissing!();
  await new Promise((resolve) => setImmediate(resolve));
  expect(dispatched.filter((id) => id !== 'event-1')).toEqual([]);
  delete ends.findMissing;
  ends.catchUp!();
  await waitFor(() => ends.findMissing);
  ends.findMissing!();
  await waitFor(() => dispatched.includes('event-3'));
  expect(dispatched.slice(-3)).toEqual(['table', 'event-2', 'event-3']);
  await intake.stop();
});

it('reads from the table what came while too many waited, when half of them are done', async () => {
  const { intake, dispatcher, dispatched, ends, catchUps } = createIntake();
  const done: (() => void)[] = [];
  dispatcher.dispatch = ({ eventId }) => {
    dispatched.push(eventId);
    return new Promise((resolve) => done.push(resolve));
  };
  intake.take(eventOf(1));
  intake.take(eventOf(2));
  dispatcher.size = 5_000;
  intake.take(eventOf(3));
  dispatcher.size = 2_501;
  done[0]!();
  await new Promise((resolve) => setImmediate(resolve));
  expect([dispatched, catchUps()]).toEqual([['event-1', 'event-2'], 0]);
  dispatcher.size = 2_500;
  done[1]!();
  await waitFor(() => catchUps() === 1);
  ends.catchUp!();
  await waitFor(() => dispatched.includes('table'));
  await intake.stop();
});
