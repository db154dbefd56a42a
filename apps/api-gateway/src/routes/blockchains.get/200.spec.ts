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

  it('lists chains without them', async () => {
    const { body } = await world.api.get('/blockchains').expect(200);
    expect(body.items[0]).not.toHaveProperty('upgrades');
  });
});
