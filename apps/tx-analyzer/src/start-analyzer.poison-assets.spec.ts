// SPDX-License-Identifier: Apache-2.0
import { ChainClientError, type ChainClient } from '@chainwatch/chain-core';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { TOKEN } from '@chainwatch/data/testing';
import { SpecWorld } from './spec-world/spec-world.ts';

let postgres: PostgresHandle;
let world: SpecWorld;
/** Tokens for which the node never answers. */
let silent: Set<string>;
/** Calls for several tokens end with the one that is silent. */
let asked: (readonly string[])[];
beforeAll(async () => {
  postgres = await SpecWorld.postgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  world = await SpecWorld.start(postgres);
  silent = new Set();
  asked = [];
  const open = world.chain.client.bind(world.chain);
  world.chain.client = () => {
    const client = open();
    const readTokens: ChainClient['readTokens'] = (gids) => {
      asked.push(gids);
      return gids.some((gid) => silent.has(gid))
        ? Promise.reject(new ChainClientError('spec: expected an answer within 10,000 ms, got none'))
        : Promise.resolve(gids.map((gid) => world.chain.tokens.get(gid)));
    };
    return Object.assign(client, { readTokens });
  };
});
afterEach(() => world.stop());

const tokenOf = (position: number): string => `${TOKEN.slice(0, -2)}${String(position).padStart(2, '0')}`;
const SLOW = tokenOf(3);

async function register(gid: string, more = ''): Promise<void> {
  world.chain.tokens.set(gid, { name: `Token${more}`, symbol: 'TKN', decimals: 6 });
  await world.db.query(
    `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status) VALUES ($1, $2, 'erc20', $1, 'fungible', 'unknown')`,
    [gid, world.gid],
  );
}
const statusOf = async (gid: string): Promise<string> =>
  (await world.rows<{ status: string }>('SELECT status FROM assets WHERE gid = $1', [gid]))[0]!.status;
const incidents = () =>
  world.rows<{ kind: string; status: string; subject_id: string; got: string }>(
    'SELECT kind, status, subject_type, subject_id, got FROM incidents ORDER BY subject_id',
  );
const untilAside = () => waitFor(async () => (await incidents()).length > 0, { message: 'the incident' });
const untilResolved = () =>
  waitFor(async () => (await incidents())[0]?.status === 'resolved', { message: 'it to be resolved' });

describe('a token for which the node never answers', () => {
  beforeEach(async () => {
    for (let position = 0; position < 6; position += 1) await register(tokenOf(position));
    silent.add(SLOW);
    world.startAnalyzer();
    await untilAside();
  });

  it('is set aside and named, and those that came with it are discovered', async () => {
    expect(await incidents()).toEqual([
      {
        kind: 'poison:assets',
        status: 'quarantined',
        subject_type: 'asset',
        subject_id: SLOW,
        got: 'spec: expected an answer within 10,000 ms, got none',
      },
    ]);
    for (let position = 0; position < 6; position += 1)
      expect(await statusOf(tokenOf(position))).toBe(position === 3 ? 'unknown' : 'active');
    // What comes next is not asked for together with it.
    asked = [];
    await register(tokenOf(7));
    await waitFor(async () => (await statusOf(tokenOf(7))) === 'active');
    expect(asked.flat()).toEqual([tokenOf(7)]);
  });

  it('is asked for again once a day, and on reprocess', async () => {
    silent.clear();
    await world.db.query('UPDATE incidents SET retry_at = now()');
    await untilResolved();
    expect(await statusOf(SLOW)).toBe('active');
  });

  it('is asked for again at a start', async () => {
    await world.stopAnalyzer();
    silent.clear();
    world.startAnalyzer();
    await untilResolved();
    expect(await statusOf(SLOW)).toBe('active');
  });

  it('is set aside, too, when it was known and is read again', async () => {
    silent.add(tokenOf(1));
    await world.db.query(
      `UPDATE assets SET is_reread_due = true, next_attempt_at = now(), decimals = 18 WHERE gid IN ($1, $2)`,
      [tokenOf(1), tokenOf(2)],
    );
    await waitFor(async () => (await incidents()).length === 2);
    expect((await incidents())[0]).toMatchObject({ subject_id: tokenOf(1), status: 'quarantined' });
    await waitFor(
      async () =>
        (await world.rows('SELECT FROM assets WHERE gid = $1 AND decimals = 6', [tokenOf(2)])).length === 1,
    );
    silent.clear();
    await world.db.query('UPDATE incidents SET retry_at = now()');
    await waitFor(
      async () =>
        (await world.rows('SELECT FROM assets WHERE gid = $1 AND decimals = 6', [tokenOf(1)])).length === 1,
    );
    await waitFor(async () => (await incidents()).every(({ status }) => status === 'resolved'));
  });
});

it('sets a token aside whose name cannot be stored', async () => {
  await register(tokenOf(0), '\0');
  await register(tokenOf(1));
  world.startAnalyzer();
  await waitFor(async () => (await statusOf(tokenOf(1))) === 'active');
  await untilAside();
  expect(await incidents()).toMatchObject([{ kind: 'poison:assets', subject_id: tokenOf(0) }]);
});

it('blames no token while the node answers for none', async () => {
  await register(tokenOf(0));
  world.startAnalyzer();
  await waitFor(async () => (await statusOf(tokenOf(0))) === 'active');
  for (const position of [0, 1, 2]) silent.add(tokenOf(position));
  asked = [];
  await register(tokenOf(1));
  await register(tokenOf(2));
  await waitFor(() => asked.length > 1 && asked.some(([gid]) => gid === tokenOf(0)), {
    message: 'a token that is known to be asked for',
  });
  await world.stopAnalyzer();
  expect([await incidents(), await statusOf(tokenOf(1))]).toEqual([[], 'unknown']);
});
