// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

describe('GET /blockchains/:chain_gid/incidents', () => {
  let world: SpecWorld;
  const gid = 'eip155:1';
  const path = `/blockchains/${gid}/incidents`;
  beforeAll(async () => {
    world = await startSpecWorld();
    for (const chain of [gid, 'eip155:137'])
      await world.api.post('/blockchains').send({ chain_gid: chain }).expect(201);
    await world.db.query(
      `INSERT INTO incidents (chain_gid, kind, status, block_number, block_hash, last_block_number, transaction_hash, expected, got, is_contradicted, created_at, resolved_at, accepted_at) VALUES
         ($1, 'transaction-type:0x7d', 'open', 10, '0xa', 12, '0x1', 'types 0x0 to 0x4', 'type 0x7d', true, '2026-01-03T00:00:00Z', NULL, NULL),
         ($1, 'header-field:a', 'open', 11, '0xb', NULL, NULL, 'no such member', 'a', false, '2026-01-02T00:00:00Z', NULL, NULL),
         ($1, 'header-field:b', 'resolved', 5, '0xc', 6, NULL, 'no such member', 'b', false, '2026-01-01T00:00:00Z', '2026-01-01T01:00:00Z', NULL),
         ($1, 'header-field:b', 'accepted', 3, '0xd', 4, NULL, 'no such member', 'b', false, '2025-12-31T00:00:00Z', NULL, '2025-12-31T01:00:00Z'),
         ('eip155:137', 'header-field:c', 'open', 1, '0xe', 1, NULL, 'no such member', 'c', false, now(), NULL, NULL)`,
      [gid],
    );
  });
  afterAll(() => world.stop());

  it('shows what is unknown, to whoever may read chains', async () => {
    for (const client of [world.api, world.other]) {
      const { body } = await client.get(`${path}?limit=1`).expect(200);
      expect(body).toEqual({
        items: [
          {
            id: expect.any(String),
            chain_gid: gid,
            kind: 'transaction-type:0x7d',
            status: 'open',
            block_number: 10,
            last_block_number: 12,
            transaction_hash: '0x1',
            subject: null,
            asset_gid: null,
            expected: 'types 0x0 to 0x4',
            got: 'type 0x7d',
            is_contradicted: true,
            upgrade: null,
            created_at: '2026-01-03T00:00:00.000Z',
            resolved_at: null,
            accepted_at: null,
          },
        ],
        meta: { limit: 1, page: 1, total: 4, total_pages: 4, next_cursor: expect.any(String) },
      });
    }
  });

  it('names the upgrade that explains it', async () => {
    await world.api.post('/blockchains').send({ chain_gid: 'eip155:8453' }).expect(201);
    await world.db.query(
      `INSERT INTO incidents (chain_gid, kind, status, block_number, block_hash, expected, got)
       VALUES ('eip155:8453', 'transaction-type:0x79', 'open', 10, '0xa', 'types 0x0 to 0x4', 'type 0x79')`,
    );
    const { body } = await world.api.get('/blockchains/eip155:8453/incidents').expect(200);
    expect(body.items[0].upgrade).toEqual({ name: 'Everest', date: null, state: 'generated' });
  });

  it.each([
    ['', [10, 11, 5, 3]],
    ['?sort_by=created_at', [3, 5, 11, 10]],
    ['?statuses=open', [10, 11]],
    ['?statuses=resolved,accepted', [5, 3]],
    ['?statuses=open&page=2&limit=1', [11]],
  ])('%s → %j', async (query, numbers) => {
    const { body } = await world.api.get(`${path}${query}`).expect(200);
    expect(body.items.map(({ block_number: number }: { block_number: number }) => number)).toEqual(numbers);
  });

  it('makes the chain degraded, which nothing but a stall and a recovery outranks', async () => {
    const sync = async () => (await world.api.get(`/blockchains/${gid}`).expect(200)).body.sync;
    await world.db.query('UPDATE blockchains SET is_active = true WHERE gid = $1', [gid]);
    for (const table of ['ingestor_states', 'analyzer_states', 'balance_states'])
      await world.db.query(`INSERT INTO ${table} (chain_gid, status) VALUES ($1, 'following')`, [gid]);
    expect(await sync()).toMatchObject({
      status: 'degraded',
      reason: 'open incidents: 2',
      incident_count: 2,
    });
    expect((await world.api.get('/blockchains?is_active=true').expect(200)).body.items).toMatchObject([
      { gid, sync: { status: 'degraded', incident_count: 2 } },
    ]);
    for (const [status, shown] of [
      ['catching_up', 'degraded'],
      ['starting', 'degraded'],
      ['stalled', 'stalled'],
      ['recovering', 'recovering'],
    ] as const) {
      await world.db.query('UPDATE analyzer_states SET status = $2 WHERE chain_gid = $1', [gid, status]);
      expect((await sync()).status).toBe(shown);
    }
    await world.db.query(`UPDATE analyzer_states SET status = 'following' WHERE chain_gid = $1`, [gid]);
    await world.db.query(`UPDATE incidents SET status = 'resolved' WHERE chain_gid = $1`, [gid]);
    expect(await sync()).toMatchObject({ status: 'following', incident_count: 0 });
  });

  it('shows what is set aside to its project and the operator, and to nobody else', async () => {
    const setAside = async (projectId: string): Promise<string> => {
      const { rows } = await world.db.query<{ id: string }>(
        `INSERT INTO incidents (chain_gid, kind, status, block_number, block_hash, expected, got, subject_type, subject_id, project_id, asset_gid, retry_at)
         VALUES ($1, 'poison:balances', 'quarantined', 9, '0x9', 'x', 'y', 'address', 'a', $2, 'eip155:1/erc20:0x1', now()) RETURNING id`,
        [gid, projectId],
      );
      return rows[0]!.id;
    };
    const own = await setAside(world.project.projectId);
    const others = await setAside(world.otherProject.projectId);
    const shown = async (client: typeof world.api, of: string): Promise<string[]> =>
      (await client.get(`${of}?statuses=open`).expect(200)).body.items.map(({ id }: { id: string }) => id);
    expect(await shown(world.api, path)).toEqual(expect.arrayContaining([own, others]));
    expect(await shown(world.api, '/incidents')).toEqual([own]);
    expect(await shown(world.other, path)).toEqual([others]);
    expect(await shown(world.other, '/incidents')).toEqual([others]);
    expect((await world.other.get('/incidents').expect(200)).body.items).toMatchObject([
      {
        kind: 'poison:balances',
        status: 'open',
        subject: { type: 'address', id: 'a' },
        asset_gid: 'eip155:1/erc20:0x1',
      },
    ]);
    expect((await world.api.get(`/blockchains/${gid}`).expect(200)).body.sync).toMatchObject({
      status: 'degraded',
      incident_count: 2,
    });
    await world.api.post(`${path}/${own}/actions/accept`).expect(409);
  });

  it('is 404 for a chain that is not here, and 400 for a filter that is none', async () => {
    await world.api.get('/blockchains/eip155:10/incidents').expect(404);
    expect((await world.api.get(`${path}?statuses=closed`).expect(400)).body.fields[0].name).toBe(
      'statuses[0]',
    );
  });
});
