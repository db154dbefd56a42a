// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { applyMigrations, type Database } from '@chainwatch/data/db';
import { repoDir } from '@chainwatch/testing/host';
import type { PostgresHandle } from '@chainwatch/testing';
import { startPostgres } from '@chainwatch/data/testing';
import { BitcoinChain } from '../bitcoin/bitcoin-chain.ts';
import { playScript as playBitcoin } from '../bitcoin/play-script.ts';
import { findDisagreements } from '../compare.ts';
import { EvmChain } from '../evm/evm-chain.ts';
import { playScript as playEvm } from '../evm/play-script.ts';
import { ALL_EVENTS, Harness, type PlayScript } from '../harness.ts';
import type { Project } from '../project.ts';
import { Random } from '../random.ts';
import { Receiver } from '../receiver.ts';
import { playScript as playSolana } from '../solana/play-script.ts';
import { SolanaChain } from '../solana/solana-chain.ts';
import type { TestChain, Watched } from '../test-chain.ts';
import { playScript as playTron } from '../tron/play-script.ts';
import { TronChain } from '../tron/tron-chain.ts';
import { buildRelease } from './build-release.ts';
import { generateArchive } from './generate-archive.ts';
import { KeptRows } from './kept-rows.ts';

// Release 0.1.0 itself, built from its commit, follows a chain until it is killed in the middle of its work. This release
// takes over its database and its NATS, while the chain went on.

const BASELINE = '4f3b15d5';
const SEED = Number(process.env['SOAK_SEED'] ?? 31);

interface Listed {
  readonly id: string;
  readonly created_at: string;
}

interface Upgrade<C extends TestChain> {
  readonly chain: C;
  readonly playScript: PlayScript<C>;
  /** Whether release 0.1.0 meets what it does not know in this history. */
  readonly hasIncidents?: boolean;
  /** The coin of the generated rows beside the history. */
  readonly archived?: string;
}

function describeUpgrade<C extends TestChain>({
  chain,
  playScript,
  hasIncidents = false,
  archived,
}: Upgrade<C>): void {
  describe(`release 0.1.0 on ${chain.family}`, () => {
    let dist: string;
    let harness: Harness<C>;
    /** It is down until the upgrade is over. */
    const late = new Receiver();
    beforeAll(async () => {
      dist = await buildRelease(BASELINE);
      harness = new Harness(chain, {
        openPostgres: () => openDatabaseOf(dist),
        dist,
        env: { UNKNOWN_WAIT: '1s', WEBHOOK_RETRY_SCHEDULE: '0,1s,2s,5s,10s,20s,60s,60s,60s,60s,60s,60s' },
      });
      await Promise.all([harness.start(), late.start()]);
      late.status = 503;
    }, 900_000);
    afterAll(() => Promise.all([harness?.stop(), late.stop()]));

    it('is upgraded in the middle of its work: the same ids, nothing twice, no row lost', async () => {
      const random = new Random(SEED);
      const { project, db, services } = harness;
      late.secrets.set(project.id, await addChannel(project, late.url));
      if (archived !== undefined) await generateArchive(db, chain.gid, archived);
      const before = await playScript(harness, random, { steps: 10, reorgDepthMax: 3 });
      await harness.waitForCursor();
      await harness.until('deliveries to wait', 60_000, async () => (await readWork(db)).deliveries > 0);
      // Events that wait for their balances, and to be delivered.
      await services.kill('balance-service');
      await services.kill('notifier');
      before.push(...(await playScript(harness, random, { steps: 4, reorgDepthMax: 2 })));
      await harness.waitForCursor();
      const lists = await readLists(project);
      for (const name of harness.serviceNames) await services.kill(name);
      await hold(db);
      const left = await readWork(db);
      expect(left.deliveries).toBeGreaterThan(0);
      expect(left.reads).toBeGreaterThan(0);
      expect(left.held).toBeGreaterThan(0);
      if (hasIncidents) expect(left.incidents).toBeGreaterThan(0);
      const kept = new KeptRows(db);
      const noted = await kept.note();
      if (archived !== undefined) expect(noted).toBeGreaterThan(1_000_000);
      const told = new Map(harness.receiver.events);

      const { applied } = await applyMigrations(harness.postgres.url, join(repoDir, 'prisma'));
      expect(applied.length).toBeGreaterThan(20);
      services.upgrade();
      await services.start(harness.serviceNames);
      late.status = 204;
      const after = await playScript(harness, random, { steps: 6, reorgDepthMax: 3 });
      await harness.waitForCursor();
      if (hasIncidents) await reprocess(harness);
      await harness.settle(240_000);

      const watched = merge(before, after);
      expect(await findDisagreements(harness, project, watched)).toEqual([]);
      expect(await kept.findLost()).toEqual([]);
      expect(await readLists(project, lists)).toEqual(lists);
      // The channel that was down has what the other one has: each event once, under the same id.
      const ids = (receiver: Receiver): string[] =>
        [...receiver.events.values()]
          .filter(({ body }) => body['project_id'] === project.id)
          .map(({ eventId }) => eventId)
          .sort();
      expect(late.faults).toEqual([]);
      expect(ids(late)).toEqual(ids(harness.receiver));
      for (const [eventId, { deliveryIds }] of told)
        expect([eventId, harness.receiver.events.get(eventId)?.deliveryIds.length]).toEqual([
          eventId,
          deliveryIds.length,
        ]);
      for (const { eventId, deliveryIds } of late.events.values())
        expect([eventId, deliveryIds.length]).toEqual([eventId, 1]);
    }, 1_800_000);
  });
}

/** As its operator makes it: by its own `migrate.mjs`. */
async function openDatabaseOf(dist: string): Promise<PostgresHandle> {
  const postgres = await startPostgres({ isOwn: true, isMigrated: false });
  await promisify(execFile)(process.execPath, [`${dist}/migrate.mjs`], {
    env: { ...process.env, NODE_OPTIONS: '', DATABASE_URL: postgres.url },
  });
  return postgres;
}

/** @returns its secret */
async function addChannel(project: Project, url: string): Promise<string> {
  const { status, body } = await project.request('POST', '/notification_channels/webhook', {
    name: 'late',
    url,
    event_types: ALL_EVENTS,
    include_historical: true,
  });
  expect([status, body]).toEqual([201, expect.anything()]);
  return (body as { webhook_secret: string }).webhook_secret;
}

const LISTS = ['/transactions', '/addresses', '/events', '/notification_channels'];

/** What each list has; of `known` alone where it is given. */
async function readLists(
  project: Project,
  known?: Readonly<Record<string, readonly Listed[]>>,
): Promise<Record<string, Listed[]>> {
  const lists: Record<string, Listed[]> = {};
  for (const path of LISTS) {
    const ids = known === undefined ? undefined : new Set(known[path]!.map(idOf));
    lists[path] = (await project.listAll<Listed>(path))
      .map((row) => ({ id: idOf(row), created_at: row.created_at }))
      .filter(({ id }) => ids?.has(id) ?? true)
      .sort((a, b) => (a.id < b.id ? -1 : 1));
  }
  return lists;
}

const idOf = (row: Listed): string => row.id ?? (row as unknown as { event_id: string }).event_id;

/** Events wait for the end of a deep reorg (a stand-in: an analyzer is between its blocks for a moment alone). */
async function hold(db: Database): Promise<void> {
  await db.query(
    'UPDATE event_log e SET is_held = true FROM undispatched_events u WHERE u.event_row_id = e.id',
  );
  await db.query('UPDATE analyzer_states SET hold_until_seq = cursor_seq + 1');
}

type Work = Readonly<Record<'deliveries' | 'reads' | 'held' | 'incidents', number>>;

async function readWork(db: Database): Promise<Work> {
  const { rows } = await db.query<Work>(
    `SELECT (SELECT count(*)::int FROM deliveries WHERE status IN ('pending', 'held')) AS deliveries, (SELECT count(*)::int FROM balance_reads) AS reads,
       (SELECT count(*)::int FROM event_log WHERE is_held) AS held, (SELECT count(*)::int FROM incidents WHERE status = 'open') AS incidents`,
  );
  return rows[0]!;
}

/** As docs/guides/upgrade.md says. */
async function reprocess<C extends TestChain>({ chain, db, project, ...harness }: Harness<C>): Promise<void> {
  const { rows } = await db.query<{ first: number; last: number }>(
    `SELECT min(i.block_number)::int AS first, max(s.cursor_number)::int AS last FROM incidents i JOIN analyzer_states s USING (chain_gid) WHERE i.chain_gid = $1 AND i.status = 'open'`,
    [chain.gid],
  );
  await project.expect(202, {
    method: 'POST',
    path: `/blockchains/${chain.gid}/actions/reprocess`,
    body: { from_block: Math.max(harness.startBlock, rows[0]!.first), to_block: rows[0]!.last },
  });
}

/** The earlier block counts for an address that was registered twice. */
function merge(before: readonly Watched[], after: readonly Watched[]): Watched[] {
  const merged = new Map<string, Watched>();
  for (const one of [...before, ...after]) {
    const known = merged.get(one.address);
    if (known === undefined || one.fromBlock < known.fromBlock) merged.set(one.address, { ...known, ...one });
  }
  return [...merged.values()];
}

describeUpgrade({
  chain: new EvmChain({ epochBlocks: 8 }),
  playScript: playEvm,
  archived: 'eip155:31337/slip44:60',
});
describeUpgrade({ chain: new BitcoinChain(), playScript: playBitcoin });
describeUpgrade({ chain: new SolanaChain(), playScript: playSolana, hasIncidents: true });
describeUpgrade({ chain: new TronChain('both'), playScript: playTron });
