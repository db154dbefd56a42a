// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

describe('GET /blockchains/:chain_gid', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
    await world.api.post('/blockchains').send({ chain_gid: 'eip155:10' }).expect(201);
  });
  afterAll(() => world.stop());

  it('shows the upgrades of the chain: the last 90 days, the next one, or those without a date', async () => {
    const { body } = await world.api.get('/blockchains/eip155:10').expect(200);
    expect(body.upgrades_reviewed).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(body.upgrades).toContainEqual({
      name: 'Lagoon',
      date: null,
      height: null,
      certainty: 'unverified',
      changes: expect.stringContaining('0x7D'),
      state: 'generated',
      reason: null,
      sources: expect.arrayContaining([expect.stringMatching(/^https:/)]),
    });
  });

  it('shows an upgrade with a height alone while the head is below it, or not long after', async () => {
    const gid = 'eip155:80002';
    await world.api.post('/blockchains').send({ chain_gid: gid }).expect(201);
    await world.db.query('UPDATE blockchains SET is_active = true WHERE gid = $1', [gid]);
    const shown = async (): Promise<unknown[]> =>
      (await world.api.get(`/blockchains/${gid}`).expect(200)).body.upgrades
        .filter(({ date }: { date: string | null }) => date === null)
        .map(({ name, date, height }: Record<string, unknown>) => [name, date, height]);
    expect(await shown()).toEqual([]);
    const setHead = (head: number, blockTimeMs: number) =>
      world.db.query(
        `INSERT INTO ingestor_states (chain_gid, head_number, block_time_ms) VALUES ($1, $2, $3)
         ON CONFLICT (chain_gid) DO UPDATE SET head_number = excluded.head_number, block_time_ms = excluded.block_time_ms`,
        [gid, head, blockTimeMs],
      );
    const [chicago, valencia] = [
      ['Chicago', null, 38_358_000],
      ['Valencia', null, 40_776_000],
    ];
    await setHead(38_000_000, 2_000);
    expect(await shown()).toEqual([chicago, valencia]);
    await setHead(40_776_000, 2_000);
    expect(await shown()).toEqual([chicago, valencia]);
    await setHead(42_300_000, 2_000);
    expect(await shown()).toEqual([valencia]);
    await setHead(42_300_000, 1_000);
    expect(await shown()).toEqual([chicago, valencia]);
    await setHead(60_000_000, 2_000);
    expect(await shown()).toEqual([]);
  });

  it('lists chains without them', async () => {
    const { body } = await world.api.get('/blockchains').expect(200);
    expect(body.items[0]).not.toHaveProperty('upgrades');
  });
});
