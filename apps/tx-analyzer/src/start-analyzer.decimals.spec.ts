// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import type { Block, ChainClient } from '@chainwatch/chain-core';
import { EVENT_SCHEMAS, tokenIdOf } from '@chainwatch/events';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { TOKEN } from '@chainwatch/data/testing';
import { makeTransaction } from './spec-world/spec-chain.ts';
import { SpecWorld } from './spec-world/spec-world.ts';

let postgres: PostgresHandle;
let world: SpecWorld;
let project: string;

beforeAll(async () => {
  postgres = await SpecWorld.postgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  world = await SpecWorld.start(postgres);
  project = await world.addProject();
  await world.watch(project, ALICE);
});
afterEach(() => world.stop());

const ALICE = '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
const STRANGER = '0xcccccccccccccccccccccccccccccccccccccccc';
const SILENT = { name: 'Token', symbol: 'TKN', decimals: undefined };
const SAID = { ...SILENT, decimals: 6 };

const pay = (name: string, amountRaw: bigint) =>
  makeTransaction(name, {
    from: STRANGER,
    to: TOKEN.split(':').at(-1)!,
    transfers: [
      { index: 0, type: 'token', assetGid: TOKEN, from: STRANGER, to: ALICE, amountRaw, logIndex: 0 },
    ],
  });
const told = async () =>
  (await world.events())
    .filter(({ type }) => type !== 'balance.changed')
    .map((event) => EVENT_SCHEMAS[event.type as 'transaction.detected'].parse(JSON.parse(event.payload)))
    .map(({ data }) => {
      const { amount, amount_raw, decimals } = data.transaction.transfers[0]!;
      return { amount, amount_raw, decimals, delta: data.balance_changes[0]!.delta };
    });
const token = async () =>
  (
    await world.rows<{
      status: string;
      decimals: number | null;
      attempt_count: number;
      is_reread_due: boolean;
    }>('SELECT status, decimals, attempt_count, is_reread_due FROM assets WHERE gid = $1', [TOKEN])
  )[0]!;
/** As time would, the refresh route, and the upgrade. */
const due = (more = '') =>
  world.db.query(`UPDATE assets SET next_attempt_at = now() ${more} WHERE gid = $1`, [TOKEN]);
const reread = () => due(', is_reread_due = true, attempt_count = 0');
/** What the migration says of rows as the release before left them. */
const upgrade = () => {
  const file = new URL(
    '../../../prisma/migrations/20261127050100_token_rereads/migration.sql',
    import.meta.url,
  );
  const statement = /^UPDATE assets SET is_reread_due[^;]*;/m.exec(readFileSync(file, 'utf8'))!;
  return world.db.query(statement[0]);
};
const untilRead = () =>
  waitFor(async () => !(await token()).is_reread_due, { message: 'the token to be read again' });
const incidents = () =>
  world.rows<{ kind: string; status: string; expected: string; got: string }>(
    'SELECT kind, status, block_number, last_block_number, transaction_hash, expected, got FROM incidents',
  );
const audits = () =>
  world.rows<{ changes: object }>(
    'SELECT actor_type, actor_name, action, target_type, target_id, changes FROM audit_logs',
  );

async function feed(...blocks: readonly Block[]): Promise<void> {
  await world.feedBlocks(...blocks);
  await world.settle();
}

describe('a token whose contract does not say its decimals', () => {
  beforeEach(() => void world.chain.tokens.set(TOKEN, SILENT));

  it('has amounts in base units alone, until it says them', async () => {
    const one = world.chain.make(undefined, { transactions: [pay('1', 3_000_000n)] });
    world.startAnalyzer();
    await feed(one);
    await waitFor(async () => (await token()).attempt_count > 0, { message: 'it to be asked again' });
    expect(await token()).toMatchObject({ status: 'active', decimals: null });
    expect(await told()).toEqual([{ amount: null, amount_raw: '3000000', decimals: null, delta: null }]);
    expect(await world.rows('SELECT FROM balance_reads WHERE asset_gid = $1', [TOKEN])).toHaveLength(1);
    world.chain.tokens.set(TOKEN, SAID);
    await due();
    await waitFor(async () => (await token()).decimals === 6, { message: 'its decimals' });
    await feed(world.chain.make(one, { transactions: [pay('2', 1_500_000n)] }));
    await world.feedFinalize(one);
    await world.settle();
    expect((await told()).slice(1)).toEqual([
      { amount: '1.5', amount_raw: '1500000', decimals: 6, delta: '1.5' },
      { amount: '3', amount_raw: '3000000', decimals: 6, delta: '3' },
    ]);
    const maxima = await world.rows<{ max: string }>(
      'SELECT amount_max::text AS max FROM transactions ORDER BY block_number',
    );
    expect(maxima.map(({ max }) => Number(max))).toEqual([3, 1.5]);
    // What was null was not wrong.
    expect([await incidents(), await audits()]).toEqual([[], []]);
  });

  it('is not asked for ever', async () => {
    world.startAnalyzer();
    await feed(world.chain.make(undefined, { transactions: [pay('1', 1n)] }));
    await waitFor(async () => (await token()).attempt_count > 0);
    await due(', attempt_count = 11');
    await waitFor(async () => (await token()).attempt_count === 12);
    await due();
    const other = `${TOKEN.slice(0, -1)}f`;
    await world.db.query(
      `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status) VALUES ($1, $2, 'erc20', 'f', 'fungible', 'unknown')`,
      [other, world.gid],
    );
    await waitFor(
      async () =>
        (await world.rows(`SELECT FROM assets WHERE gid = $1 AND status = 'invalid'`, [other])).length > 0,
      { message: 'a look that passed it over' },
    );
    expect(await token()).toMatchObject({ attempt_count: 12 });
  });
});

describe('a token that is stored with 0 decimals in place of no answer', () => {
  let events: string[];

  beforeEach(async () => {
    world.chain.tokens.set(TOKEN, { ...SILENT, decimals: 0 });
    world.startAnalyzer();
    const one = world.chain.make(undefined, { transactions: [pay('1', 3_000_000n)] });
    await feed(one, world.chain.make(one, { transactions: [pay('2', 5n)] }));
    expect((await told()).map(({ amount }) => amount)).toEqual(['3000000', '5']);
    await world.db.query(
      `INSERT INTO event_log (event_id, project_id, chain_gid, type, sequence, subject_kind, payload) VALUES (gen_random_uuid(), $1, $2, 'balance.changed', 99, 'balance.changed', $3)`,
      [
        project,
        world.gid,
        JSON.stringify({
          data: { asset_gid: TOKEN, current: '3000005', block_number: 2, block_hash: '0x2' },
        }),
      ],
    );
    events = (await world.events()).map(({ event_id }) => event_id);
  });

  it.each([
    ['other decimals', SAID, 6, '6 decimals', reread],
    ['none', SILENT, null, 'decimals that nobody knows', reread],
    ['other decimals after the upgrade', SAID, 6, '6 decimals', upgrade],
  ])(
    'is corrected once the chain says %s: an audit row and an incident name what was told wrong',
    async (_, said, decimals, expected, ask) => {
      world.chain.tokens.set(TOKEN, said);
      await ask();
      await untilRead();
      expect((await token()).decimals).toBe(decimals);
      expect(await incidents()).toEqual([
        {
          kind: `decimals:${TOKEN.split('/')[1]}`,
          status: 'open',
          block_number: 1,
          last_block_number: 2,
          transaction_hash: pay('1', 0n).hash,
          expected,
          got: `0 decimals in 3 events: ${events.join(', ')}`,
        },
      ]);
      expect(await audits()).toEqual([
        {
          actor_type: 'service',
          actor_name: 'tx-analyzer',
          action: 'token.corrected',
          target_type: 'token',
          target_id: tokenIdOf(TOKEN),
          changes: {
            gid: { from: TOKEN, to: TOKEN },
            decimals: { from: 0, to: decimals },
            events_told_wrong: { from: null, to: events },
          },
        },
      ]);
      // Once.
      await reread();
      await untilRead();
      expect(await audits()).toHaveLength(1);
      await world.feedFinalize([...world.chain.blocks.values()][0]!);
      await world.settle();
      expect((await told()).at(-1)).toMatchObject({ amount: decimals === null ? null : '3', decimals });
    },
  );

  it('stays as it is where the chain says 0, and while no node answers', async () => {
    await reread();
    await untilRead();
    world.chain.tokens.set(TOKEN, SAID);
    const client = world.chain.client();
    let asked = 0;
    const failing: ChainClient['readTokens'] = () => {
      asked += 1;
      return Promise.reject(new Error('no node answers'));
    };
    await world.stopAnalyzer();
    world.chain.client = () => Object.assign(client, { readTokens: failing });
    world.startAnalyzer();
    await reread();
    await waitFor(() => asked > 0, { message: 'a node to be asked' });
    expect(await token()).toMatchObject({ decimals: 0, is_reread_due: true });
    expect([await incidents(), await audits()]).toEqual([[], []]);
  });
});
