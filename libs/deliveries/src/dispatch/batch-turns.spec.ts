import { BatchTurns } from './batch-turns.ts';
import type { Channel } from '../channel-store.ts';

const event = { event_id: 'event', project_id: 'project', type: 'transaction.detected' };
const channel = { id: 'channel' } as Channel;

it('does work between two batches: behind what the first hands on, ahead of what the second plans', async () => {
  const turns = new BatchTurns();
  const done: string[] = [];
  const first = turns.take();
  const work = turns.between(async () => void done.push('work'));
  const second = turns.take();
  const planned = second.planning.turn.then(() => done.push('planned'));
  first.planning.release();
  done.push('handed on');
  first.handing.release();
  await Promise.all([work, planned]);
  expect(done).toEqual(['handed on', 'work', 'planned']);
});

it('lets the next batch go on when the work between fails', async () => {
  const turns = new BatchTurns();
  const next = (): Promise<void> => turns.take().planning.turn;
  await expect(turns.between(() => Promise.reject(new Error('no connection')))).rejects.toThrow(
    'no connection',
  );
  await next();
});

it('gives a delivery the same id when its batch is planned again, and growing ids to others', () => {
  const { idOf } = new BatchTurns().take();
  const id = idOf(event, channel);
  expect(idOf(event, channel)).toBe(id);
  expect(idOf({ ...event, event_id: 'next' }, channel) > id).toBe(true);
});
