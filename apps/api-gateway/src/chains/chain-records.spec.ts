// SPDX-License-Identifier: Apache-2.0
import { createChainRecords } from './chain-records.ts';

type Answer = Awaited<ReturnType<ReturnType<typeof createChainRecords>['find']>>;

const record: NonNullable<Answer> = {
  gid: 'eip155:1',
  family: 'evm',
  name: 'ethereum',
  short_name: 'eth',
  image_url: '',
  display_name: '',
  is_active: false,
  has_endpoint: false,
  unproved: 'hold',
  untold_reasons: [],
  sync: null,
};

describe('createChainRecords', () => {
  let now = 0;
  let calls = 0;
  let answer: () => Promise<Answer>;
  const read = (): Promise<Answer> => {
    calls += 1;
    return answer();
  };
  const records = createChainRecords({ read, lifetimeMs: 100, now: () => now });
  beforeEach(() => {
    now += 1_000;
    calls = 0;
    answer = async () => record;
  });

  it('asks once for all who come within its time, then again', async () => {
    await Promise.all([records.find(record.gid), records.find(record.gid)]);
    now += 99;
    expect(await records.find(record.gid)).toMatchObject({ gid: record.gid, is_active: false });
    expect(calls).toBe(1);
    now += 1;
    await records.find(record.gid);
    expect(calls).toBe(2);
  });

  it('asks again at once for what was changed here, also while an answer is under way', async () => {
    const early = records.find(record.gid);
    records.forget(record.gid);
    answer = async () => ({ ...record, is_active: true });
    expect((await records.find(record.gid))!.is_active).toBe(true);
    expect((await early)!.is_active).toBe(false);
    expect((await records.find(record.gid))!.is_active).toBe(true);
  });

  it('keeps neither a failure nor what is not there', async () => {
    answer = async () => Promise.reject(new Error('away'));
    await expect(records.find(record.gid)).rejects.toThrow('away');
    answer = async () => undefined;
    expect(await records.find(record.gid)).toBeUndefined();
    answer = async () => record;
    expect(await records.find(record.gid)).toMatchObject({ gid: record.gid });
  });
});
