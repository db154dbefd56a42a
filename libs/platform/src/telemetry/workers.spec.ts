// SPDX-License-Identifier: Apache-2.0
import { gauge } from './instruments.ts';
import { readForScrape } from './instruments.ts';
import { Workers } from './workers.ts';

describe('Workers', () => {
  let nowMs = 0;
  let workers: Workers;
  beforeEach(() => {
    nowMs = 1_000;
    workers = new Workers({ now: () => nowMs });
  });
  afterEach(() => workers.stop());

  it('tells of a worker that does nothing but fail for 15 s, with its last reason, until it succeeds', () => {
    const history = workers.of('history', 'eip155:1');
    workers.of('history', 'eip155:10').succeed();
    history.fail('no answer');
    nowMs += 14_999;
    history.fail('no answer in time');
    expect(workers.stalls()).toEqual([]);
    nowMs += 1;
    expect(workers.stalls()).toEqual([
      { worker: 'history', chainGid: 'eip155:1', reason: 'no answer in time' },
    ]);
    expect(workers.checks()).toEqual({
      'worker history eip155:1': { ok: true, status: 'stalled', reason: 'no answer in time' },
    });
    history.succeed();
    expect([workers.stalls(), workers.checks()]).toEqual([[], {}]);
  });

  it('counts from the first failure after a success', () => {
    const retention = workers.of('retention');
    retention.fail('a');
    nowMs += 14_000;
    retention.succeed();
    retention.fail('b');
    nowMs += 14_000;
    expect([retention.isFailing, workers.stalls()]).toEqual([true, []]);
    nowMs += 1_000;
    expect(Object.keys(workers.checks())).toEqual(['worker retention']);
  });

  it('is a metric of every worker that runs', () => {
    const stalled = gauge('chainwatch_worker_stalled_status');
    const [set, forget] = [jest.spyOn(stalled, 'set'), jest.spyOn(stalled, 'forget')];
    workers.of('history', 'eip155:1').fail('a');
    workers.of('retention');
    nowMs += 15_000;
    readForScrape();
    expect(set.mock.calls).toEqual([
      [1, { worker: 'history', chain_gid: 'eip155:1' }],
      [0, { worker: 'retention' }],
    ]);
    workers.forget({ chainGid: 'eip155:1' });
    expect(forget.mock.calls).toEqual([[{ worker: 'history', chain_gid: 'eip155:1' }]]);
    expect(workers.stalls()).toEqual([]);
  });
});
