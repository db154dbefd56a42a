// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

const gid = 'eip155:1';
const path = `/blockchains/${gid}/nodes`;
const answered = '2026-01-01T00:00:10.000Z';
const before = '2026-01-01T00:00:00.000Z';
const NOTHING = {
  head_number: null,
  latency_ms: null,
  last_success_at: null,
  last_error_at: null,
  last_error: null,
};

describe('GET /blockchains/:chain_gid/nodes', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
    await world.api.post('/blockchains').send({ chain_gid: gid }).expect(201);
  });
  afterAll(() => world.stop());

  /** What the ingestor said so many seconds ago. */
  const report = (nodes: readonly object[], secondsAgo: number) =>
    world.db.query(
      `INSERT INTO ingestor_states (chain_gid, nodes, nodes_at) VALUES ($1, $2, now() - $3 * interval '1 second')
       ON CONFLICT (chain_gid) DO UPDATE SET nodes = EXCLUDED.nodes, nodes_at = EXCLUDED.nodes_at`,
      [gid, JSON.stringify(nodes), secondsAgo],
    );

  it('knows nothing before anybody reported', async () => {
    const nothing = { reported_at: null, items: [] };
    expect((await world.api.get(path).expect(200)).body).toEqual(nothing);
    // An ingestor of the release before: it has a row, and says nothing of nodes.
    await world.db.query('INSERT INTO ingestor_states (chain_gid) VALUES ($1)', [gid]);
    expect((await world.api.get(path).expect(200)).body).toEqual(nothing);
  });

  it('says how each one is, by what it did last', async () => {
    const one = { url: 'https://one.example.com:443', is_in_use: true, head_number: 7, latency_ms: 42 };
    const two = { url: 'https://two.example.com:443', is_in_use: false, head_number: 5, latency_ms: 900 };
    await report(
      [
        { ...one, last_success_at: answered, last_error_at: before, last_error: 'HTTP status 429' },
        { ...two, last_success_at: before, last_error_at: answered, last_error: 'time-out', secret: 'x' },
        { ...NOTHING, url: 'http://three:80', is_in_use: false },
        {
          ...NOTHING,
          url: 'http://four:80',
          is_in_use: false,
          last_error_at: before,
          last_error: 'other chain',
        },
      ],
      5,
    );
    await world.db.query(
      `INSERT INTO chain_node_health (chain_gid, url, at, samples, failures, latencies, latency_ms_sum)
       VALUES ($1, $2, now() - interval '25 hours', 90, 90, 0, 0), ($1, $2, now() - interval '15 minutes', 90, 1, 2, 81), ($1, $2, now(), 4, 4, 0, 0)`,
      [gid, one.url],
    );
    const { body } = await world.api.get(path).expect(200);
    expect(body).toEqual({
      reported_at: expect.stringMatching(/^\d{4}-.*Z$/),
      items: [
        {
          ...one,
          status: 'serving',
          last_success_at: answered,
          last_error_at: before,
          last_error: 'HTTP status 429',
          history: [
            { at: expect.stringMatching(/Z$/), samples: 90, failures: 1, latency_ms: 40.5 },
            { at: expect.stringMatching(/Z$/), samples: 4, failures: 4, latency_ms: null },
          ],
        },
        {
          ...two,
          status: 'failing',
          last_success_at: before,
          last_error_at: answered,
          last_error: 'time-out',
          history: [],
        },
        { ...NOTHING, url: 'http://three:80', is_in_use: false, status: 'unknown', history: [] },
        {
          ...NOTHING,
          ...{ url: 'http://four:80', is_in_use: false, status: 'failing' },
          ...{ last_error_at: before, last_error: 'other chain' },
          history: [],
        },
      ],
    });
  });

  it('forgets what was said more than 30 s ago', async () => {
    await report([{ ...NOTHING, url: 'http://one:80', is_in_use: true }], 29);
    expect((await world.api.get(path).expect(200)).body.items).toHaveLength(1);
    await report([{ ...NOTHING, url: 'http://one:80', is_in_use: true }], 31);
    expect((await world.api.get(path).expect(200)).body).toEqual({ reported_at: null, items: [] });
  });

  it('is for the operator alone', async () => {
    await report([{ ...NOTHING, url: 'http://one:80', is_in_use: true }], 0);
    const { text } = await world.other.get(path).expect(403);
    expect(text).not.toContain('one:80');
  });

  it('is 404 for a chain that is not there', async () => {
    await world.api.get('/blockchains/eip155:137/nodes').expect(404);
  });
});
