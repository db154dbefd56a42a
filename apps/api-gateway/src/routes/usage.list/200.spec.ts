// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

describe('GET /management/usage', () => {
  let world: SpecWorld;
  const keyId = '11111111-1111-4111-8111-111111111111';
  beforeAll(async () => {
    world = await startSpecWorld();
    const rows: [string, string, string, string, number][] = [
      [world.project.workspaceId, 'eip155:1', 'eth_call', '2026-01-01T10:00:00Z', 5],
      [world.project.workspaceId, 'eip155:1', 'eth_call', '2026-01-01T11:00:00Z', 7],
      [world.project.workspaceId, 'eip155:137', 'other', '2026-01-01T11:00:00Z', 1],
      [world.otherProject.workspaceId, 'eip155:1', 'eth_call', '2026-01-01T11:00:00Z', 100],
    ];
    for (const [index, [workspaceId, chainGid, method, hour, requests]] of rows.entries()) {
      const latency = index === 1 ? [57.25, '{0,3,0,2,0,0,0,0,0,0,0,0,0,0,1}'] : [0, '{}'];
      const key = index === 3 ? '22222222-2222-4222-8222-222222222222' : keyId;
      await world.db.query('INSERT INTO rpc_usage VALUES ($1, $2, $3, $4, $5, $6, 1, 2, 30, 40, $7, $8)', [
        key,
        workspaceId,
        chainGid,
        method,
        hour,
        requests,
        ...latency,
      ]);
    }
  });
  afterAll(() => world.stop());
  const requestsOf = async (query: string): Promise<number[]> =>
    (await world.management.get(`/management/usage?${query}`).expect(200)).body.items.map(
      ({ requests }: { requests: number }) => requests,
    );

  it('lists the hours of the workspace, newest first', async () => {
    const { body } = await world.management.get('/management/usage?limit=1').expect(200);
    expect(body.items).toEqual([
      {
        hour: '2026-01-01T11:00:00.000Z',
        key_id: keyId,
        chain_gid: 'eip155:1',
        method: 'eth_call',
        requests: 7,
        failures: 1,
        cached: 2,
        bytes_in: 30,
        bytes_out: 40,
        latency: {
          calls: 6,
          mean_ms: 9.54,
          p95_ms: null,
          buckets: [
            { up_to_ms: 2, calls: 3 },
            { up_to_ms: 10, calls: 2 },
            { up_to_ms: null, calls: 1 },
          ],
        },
      },
    ]);
    expect(body.meta).toEqual({
      limit: 1,
      page: 1,
      total: 3,
      total_pages: 3,
      next_cursor: expect.any(String),
    });
  });

  it('has no times of what a service of the release before counted', async () => {
    const { body } = await world.management.get('/management/usage?until=2026-01-01T10:30:00Z').expect(200);
    expect(body.items).toMatchObject([{ requests: 5, latency: null }]);
  });

  it('is sorted and filtered', async () => {
    expect(await requestsOf('sort_by=hour')).toEqual([5, 7, 1]);
    expect(await requestsOf('methods=eth_call')).toEqual([7, 5]);
    expect(await requestsOf('chain_gids=eip155:137,eip155:10')).toEqual([1]);
    expect(await requestsOf('since=2026-01-01T11:00:00Z')).toEqual([7, 1]);
    expect(await requestsOf('until=2026-01-01T11:00:00Z')).toEqual([5]);
    expect(await requestsOf('key_ids=22222222-2222-4222-8222-222222222222')).toEqual([]);
  });
});
