// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

describe('POST /blockchains/:chain_gid/actions/activate, where a chain begins', () => {
  let world: SpecWorld;
  const gid = 'eip155:1';
  const activate = (body?: object) => world.api.post(`/blockchains/${gid}/actions/activate`).send(body);
  const readStart = async () =>
    (
      await world.db.query<{ start_block: number | null }>(
        'SELECT start_block FROM blockchains WHERE gid = $1',
        [gid],
      )
    ).rows[0]!.start_block;
  beforeEach(async () => {
    world = await startSpecWorld();
    await world.api.post('/blockchains').send({ chain_gid: gid }).expect(201);
    await world.db.query(`UPDATE blockchains SET endpoint_sealed = 'sealed' WHERE gid = $1`, [gid]);
  });
  afterEach(() => world.stop());

  it('200: is stored with a chain that was never followed; asked for again it is no news', async () => {
    expect((await activate({ from_block: 21_000_000 }).expect(200)).body).toMatchObject({
      gid,
      is_active: true,
    });
    expect(await readStart()).toBe(21_000_000);
    await activate({ from_block: 21_000_000 }).expect(200);
    await activate().expect(200);
    expect(await readStart()).toBe(21_000_000);
  });

  it('200: is left to the ingestor without a body', async () => {
    await activate().expect(200);
    expect(await readStart()).toBeNull();
  });

  it('409: of a chain that was followed, or is active, naming the way there is', async () => {
    await world.db.query('INSERT INTO ingestor_states (chain_gid, start_number) VALUES ($1, 100)', [gid]);
    const { body } = await activate({ from_block: 5 }).expect(409);
    expect(body.detail).toBe(
      `The blockchain ${gid} was followed from block 100 on already: to let it begin at block 5, use POST /blockchains/${gid}/actions/reset with from_block.`,
    );
    await world.db.query('DELETE FROM ingestor_states');
    await activate().expect(200);
    expect((await activate({ from_block: 5 }).expect(409)).body.detail).toContain('is active already');
    expect(await readStart()).toBeNull();
  });

  it.each([-1, 1.5, '5'])('400: from_block %j', async (fromBlock) => {
    expect((await activate({ from_block: fromBlock }).expect(400)).body.fields[0].name).toBe('from_block');
  });
});
