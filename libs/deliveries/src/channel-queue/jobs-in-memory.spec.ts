import type { DeliveryJob } from '../delivery-job.ts';
import { JobsInMemory } from './jobs-in-memory.ts';

const job = (id: string, payload = ''): DeliveryJob => ({ id, payload }) as DeliveryJob;

test('counts jobs and the bytes of their payloads', () => {
  const jobs = new JobsInMemory(8_000);
  jobs.add(job('a', '12345'), 0);
  jobs.add(job('b', '123'), 0);
  jobs.forget(job('a', '12345'));
  jobs.forget(job('a', '12345'));
  expect([jobs.count, jobs.bytes, jobs.has('a'), jobs.has('b')]).toEqual([1, 3, false, true]);
});

test('extends what has half of its time left at most', () => {
  const jobs = new JobsInMemory(8_000);
  jobs.add(job('old'), 0);
  jobs.add(job('new'), 3_000);
  expect([jobs.listOld(4_000), jobs.listOld(4_001)]).toEqual([[], ['old']]);
  jobs.extend(['old', 'gone'], 4_001);
  expect(jobs.listOld(4_001)).toEqual([]);
  expect([7_000, 7_001, 8_002].map((atMs) => jobs.listOld(atMs))).toEqual([[], ['new'], ['old', 'new']]);
});
