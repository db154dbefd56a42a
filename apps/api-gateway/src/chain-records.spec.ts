import type { PrismaClient } from '@chainwatch/db/prisma';
import { createChainRecords } from './chain-records.ts';

const row = { gid: 'eip155:1', family: 'evm', name: 'ethereum', shortName: 'eth', imageUrl: '', isActive: false, endpointSealed: null, evmEndpointSealed: null, ingestorState: null, analyzerState: null };

describe('createChainRecords', () => {
  let now = 0;
  let calls = 0;
  let answer: () => Promise<unknown>;
  const findUnique = (): Promise<unknown> => {
    calls += 1;
    return answer();
  };
  const records = createChainRecords({ prisma: { blockchain: { findUnique } } as unknown as PrismaClient, lifetimeMs: 100, now: () => now });
  beforeEach(() => {
    now += 1_000;
    calls = 0;
    answer = async () => row;
  });

  it('asks once for all who come within its time, then again', async () => {
    await Promise.all([records.find(row.gid), records.find(row.gid)]);
    now += 99;
    expect(await records.find(row.gid)).toMatchObject({ gid: row.gid, is_active: false });
    expect(calls).toBe(1);
    now += 1;
    await records.find(row.gid);
    expect(calls).toBe(2);
  });

  it('asks again at once for what was changed here, also while an answer is under way', async () => {
    const early = records.find(row.gid);
    records.forget(row.gid);
    answer = async () => ({ ...row, isActive: true });
    expect((await records.find(row.gid))!.is_active).toBe(true);
    expect((await early)!.is_active).toBe(false);
    expect((await records.find(row.gid))!.is_active).toBe(true);
  });

  it('keeps neither a failure nor what is not there', async () => {
    answer = async () => Promise.reject(new Error('away'));
    await expect(records.find(row.gid)).rejects.toThrow('away');
    answer = async () => null;
    expect(await records.find(row.gid)).toBeUndefined();
    answer = async () => row;
    expect(await records.find(row.gid)).toMatchObject({ gid: row.gid });
  });
});
