// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

describe('POST and GET /blockchains', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
  });
  afterAll(() => world.stop());

  it('adds the chain of a known network with its native token', async () => {
    const { body } = await world.api.post('/blockchains').send({ chain_gid: 'eip155:1' }).expect(201);
    expect(body).toMatchObject({
      gid: 'eip155:1',
      name: 'ethereum',
      is_active: false,
      family: 'evm',
      has_endpoint: false,
      untold_reasons: ['withdrawal', 'adjustment'],
      sync: null,
    });
    expect(body.image_url).toMatch(/^http:.*\/logos\/ethereum\.svg$/);
    const { body: token } = await world.api.get('/tokens/eip155:1/slip44:60').expect(200);
    expect(token).toMatchObject({
      gid: 'eip155:1/slip44:60',
      type: 'native',
      symbol: 'ETH',
      decimals: 18,
      status: 'active',
      source: 'registry',
    });
    expect(world.published).toContainEqual({
      kind: 'chain.changed',
      tokens: ['eip155:1'],
      payload: { schema: 1, chain_gid: 'eip155:1' },
    });
  });

  it('takes other spellings of an id, and shows the canonical one', async () => {
    const { body } = await world.api.post('/blockchains').send({ chain_gid: 'tron:mainnet' }).expect(201);
    expect(body.gid).toBe('tron:0x2b6653dc');
    await world.api.get('/blockchains/tron:728126428').expect(200);
  });

  it('refuses a second time with 409, an unknown chain with 422', async () => {
    expect(
      (await world.api.post('/blockchains').send({ chain_gid: 'eip155:1' }).expect(409)).body.title,
    ).toBe('Conflict');
    const { body } = await world.api.post('/blockchains').send({ chain_gid: 'eip155:424242' }).expect(422);
    expect(body).toMatchObject({
      title: 'Unprocessable Entity',
      type: 'https://docs.example.com/apis/problems/unprocessable-entity',
    });
  });

  it('finds, filters and sorts', async () => {
    await world.api.post('/blockchains').send({ chain_gid: 'eip155:137' }).expect(201);
    await world.db.query(`UPDATE blockchains SET is_active = true WHERE gid = 'eip155:137'`);
    const names = async (query: string) =>
      (await world.api.get(`/blockchains?${query}`).expect(200)).body.items.map(
        (item: { name: string }) => item.name,
      );
    expect(await names('')).toEqual(['ethereum', 'polygon', 'tron']);
    expect(await names('sort_by=-name')).toEqual(['tron', 'polygon', 'ethereum']);
    expect(await names('families=tron')).toEqual(['tron']);
    expect(await names('is_active=true')).toEqual(['polygon']);
    expect(await names('search=POLY')).toEqual(['polygon']);
    expect(await names('search=%25')).toEqual([]);
    const { body } = await world.api.get('/blockchains?limit=2&page=2').expect(200);
    expect(body.meta).toEqual({ limit: 2, page: 2, total: 3, total_pages: 2 });
    expect(body.items).toHaveLength(1);
  });

  it('tells how far the services are', async () => {
    await world.db.query(
      `INSERT INTO ingestor_states (chain_gid, status, reason, head_number, node_head_number, finalized_number) VALUES ('eip155:137', 'stalled', 'the node is away', 70, 75, 6)`,
    );
    const { body } = await world.api.get('/blockchains/eip155:137').expect(200);
    expect(body.sync).toEqual({
      status: 'stalled',
      reason: 'the node is away',
      updated_at: expect.any(String),
      head_number: 70,
      node_head_number: 75,
      finalized_number: 6,
      processed_number: null,
      lag_blocks: null,
      block_time_ms: null,
      configured_block_time_ms: 2_000,
      proofs: ['header_hash', 'transactions_root', 'receipts_root'],
      balances_checked_at: null,
      incident_count: 0,
    });
    await world.db.query(`INSERT INTO analyzer_states (chain_gid, cursor_number) VALUES ('eip155:137', 68)`);
    expect((await world.api.get('/blockchains?search=polygon').expect(200)).body.items[0].sync).toMatchObject(
      { node_head_number: 75, processed_number: 68, lag_blocks: 7 },
    );
    await world.db.query('DELETE FROM analyzer_states');
  });

  it('does not call a chain followed whose services are silent', async () => {
    await world.db.query(
      `UPDATE blockchains SET updated_at = now() - interval '1 hour' WHERE gid = 'eip155:137'`,
    );
    await world.db.query(
      `UPDATE ingestor_states SET status = 'following', reason = NULL, updated_at = now()`,
    );
    await world.db.query(
      `INSERT INTO analyzer_states (chain_gid, status) VALUES ('eip155:137', 'following')`,
    );
    await world.db.query(`INSERT INTO balance_states (chain_gid, status) VALUES ('eip155:137', 'following')`);
    const read = async (): Promise<{ status: string; reason: string | null }> =>
      (await world.api.get('/blockchains/eip155:137').expect(200)).body.sync;
    expect(await read()).toMatchObject({ status: 'following', reason: null });
    for (const [table, service] of [
      ['ingestor_states', 'block-ingestor'],
      ['analyzer_states', 'tx-analyzer'],
      ['balance_states', 'balance-service'],
    ]) {
      await world.db.query(`UPDATE ${table} SET updated_at = now() - interval '31 s'`);
      expect(await read()).toMatchObject({
        status: 'unknown',
        reason: expect.stringContaining(`the ${service} has not reported since`),
      });
      expect(
        (await world.api.get('/blockchains?search=polygon').expect(200)).body.items[0].sync,
      ).toMatchObject({ status: 'unknown' });
      await world.db.query(`UPDATE ${table} SET updated_at = now()`);
    }
  });

  it('answers 404 for a chain that was not added', async () => {
    await world.api.get('/blockchains/eip155:56').expect(404);
    await world.api.post('/blockchains/eip155:56/actions/activate').expect(404);
  });
});
