// SPDX-License-Identifier: Apache-2.0
import { createHash, randomUUID } from 'node:crypto';
import { loadavg } from 'node:os';
import { createDatabase, type Database } from '@chainwatch/db';
import { takeShare, type OwnedShare } from '@chainwatch/ownership';
import { hashOf, NATIVE, network, startPostgres } from '@chainwatch/testing-stack';
import type { BlocksStep } from '../../../apps/tx-analyzer/src/model/blocks-step.ts';
import type { MatchedTransaction } from '../../../apps/tx-analyzer/src/model/matched-transaction.ts';
import { NO_OUTCOME } from '../../../apps/tx-analyzer/src/model/pending-outcome.ts';
import { SetAsides } from '../../../apps/tx-analyzer/src/model/set-asides.ts';
import { runStep } from '../../../apps/tx-analyzer/src/commit/run-step.ts';
import { backendTimeMs } from './deliveries/processor-time.ts';
import type { Report } from './report.ts';

/** Of a round; half of them without the triggers, in turns. */
const TRANSACTIONS = Number(process.env.TOTALS_TRANSACTIONS ?? 3_000);
const ROUNDS = Number(process.env.TOTALS_ROUNDS ?? 6);
const ADDRESSES = 10_000;
const TOKENS = 20;
const PROJECT = '00000002-0000-4000-8000-000000000000';
const addressId = (n: number): string => `00000004-0000-4000-8000-${String(n).padStart(12, '0')}`;
const addressOf = (n: number): string =>
  `0x${createHash('sha256').update(`address ${n}`).digest('hex').slice(0, 40)}`;
const tokenOf = (n: number): string => `${network.gid}/erc20:0x${String(n).padStart(40, '0')}`;

/** Processor time of the database, in microseconds a transaction. */
interface Costs {
  readonly step: number;
  readonly fold: number;
  readonly finality: number;
}

/** What the totals of lists cost whoever writes: the analyzer's own statements with and without their triggers. */
export async function benchTotals(report: Report): Promise<void> {
  for (const perStep of [200, 1]) {
    const postgres = await startPostgres({ isOwn: true, isDurable: false });
    // One connection each: its process is the one whose time is read.
    const [writer, folder] = ['writer', 'folder'].map((applicationName) =>
      createDatabase({ url: postgres.url, applicationName, poolSize: 1 }),
    ) as [Database, Database];
    try {
      const world = new TotalsWorld(writer, folder);
      await world.fill();
      const rounds: { kept: Costs[]; bare: Costs[] } = { kept: [], bare: [] };
      // Sessions make their plans in the first round, which does not count.
      for (let round = -1; round < ROUNDS; round += 1) {
        for (const isKept of round % 2 === 0 ? [true, false] : [false, true]) {
          const costs = await world.measure(perStep, isKept);
          if (round >= 0) rounds[isKept ? 'kept' : 'bare'].push(costs);
        }
      }
      const [kept, bare] = [medianOf(rounds.kept), medianOf(rounds.bare)];
      const added = (name: keyof Costs): string => `${kept[name].toFixed(0)} and ${bare[name].toFixed(0)} µs`;
      report.add({
        name: `lists: what the triggers of totals cost the writer, ${perStep} transactions a step`,
        goal: '≤ 10 %',
        isMet: kept.step <= 1.1 * bare.step,
        measured: `+${((kept.step / bare.step - 1) * 100).toFixed(0)} % of the database (${added('step')} a transaction with and without); finality +${((kept.finality / bare.finality - 1) * 100).toFixed(0)} % (${added('finality')}); folding ${kept.fold.toFixed(0)} µs a transaction`,
        detail: `the analyzer's step (transaction, 1.2 transfers, address, event, reads of balances) in turns with and without the triggers, medians of ${ROUNDS} rounds of ${TRANSACTIONS} transactions; processor time of the session; load average ${loadavg()[0]!.toFixed(1)}`,
      });
    } finally {
      await Promise.all([writer.close(), folder.close()]);
      await postgres.stop();
    }
  }
}

class TotalsWorld {
  readonly #writer: Database;
  readonly #folder: Database;
  #number = 0;
  #made = 0;
  #areKept = true;
  readonly #owner = randomUUID();
  #share!: OwnedShare;

  constructor(writer: Database, folder: Database) {
    this.#writer = writer;
    this.#folder = folder;
  }

  async fill(): Promise<void> {
    const db = this.#writer;
    await db.query(`INSERT INTO workspaces (id, name) VALUES ('00000001-0000-4000-8000-000000000000', 'w')`);
    await db.query(
      `INSERT INTO projects (id, workspace_id, name) VALUES ($1, '00000001-0000-4000-8000-000000000000', 'p')`,
      [PROJECT],
    );
    await db.query(
      `INSERT INTO blockchains (gid, family, name, short_name, image_url) VALUES ($1, 'evm', 'l', 'l', '')`,
      [network.gid],
    );
    await db.query('INSERT INTO analyzer_states (chain_gid) VALUES ($1)', [network.gid]);
    await db.query(
      `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status, decimals) SELECT gid, $1, 'erc20', gid, 'fungible', 'active', 18 FROM unnest($2::text[]) AS gid`,
      [network.gid, [NATIVE, ...Array.from({ length: TOKENS }, (_, n) => tokenOf(n))]],
    );
    await db.query(
      `INSERT INTO addresses (id, project_id, chain_family, address, display, kind, format) SELECT id, $1, 'evm', address, address, 'external', 'evm' FROM unnest($2::uuid[], $3::text[]) AS a (id, address)`,
      [
        PROJECT,
        Array.from({ length: ADDRESSES }, (_, n) => addressId(n)),
        Array.from({ length: ADDRESSES }, (_, n) => addressOf(n)),
      ],
    );
    await this.#foldAll();
    await db.query('VACUUM ANALYZE');
  }

  async measure(perStep: number, areKept: boolean): Promise<Costs> {
    const name = { kind: 'analyzer', share: network.gid };
    this.#share?.end();
    this.#share = (await takeShare(this.#writer, name, this.#owner))!;
    await this.#keep(areKept);
    const [first, steps] = [this.#number + 1, TRANSACTIONS / perStep];
    // Blocks are the ingestor's.
    await this.#writer.query(
      `INSERT INTO blocks (chain_gid, number, hash, status) SELECT $1, n, h, 'new' FROM unnest($2::bigint[], $3::text[]) AS b (n, h)`,
      [
        network.gid,
        Array.from({ length: steps }, (_, n) => first + n),
        Array.from({ length: steps }, (_, n) => hashOf(`block ${first + n}`)),
      ],
    );
    await this.#foldAll();
    await this.#writer.query('VACUUM ANALYZE');
    // The first statements after that plan anew.
    await this.#step(perStep);
    const step = await this.#timeOf(this.#writer, async () => {
      for (let count = 1; count < steps; count += 1) await this.#step(perStep);
    });
    const fold = await this.#timeOf(this.#folder, () => this.#foldAll());
    const finality = await this.#timeOf(this.#writer, () => this.#finalize());
    await this.#foldAll();
    const counted = (steps - 1) * perStep;
    return {
      step: (step * 1_000) / counted,
      fold: (fold * 1_000) / counted,
      finality: (finality * 1_000) / (counted + perStep),
    };
  }

  async #step(perStep: number): Promise<void> {
    const number = (this.#number += 1);
    const block = {
      number,
      hash: hashOf(`block ${number}`),
      parentHash: hashOf(`block ${number - 1}`),
      timestamp: 1_760_000_000 + number * 12,
      transactions: [],
      balanceChanges: [],
      touchedAssets: [],
    };
    const matches = Array.from({ length: perStep }, (_, index) => this.#makeMatch(block, index));
    const reads = matches.flatMap(({ participants, transfers }) =>
      transfers.map(({ assetGid }) => ({
        addressId: participants[0]!.id,
        assetGid,
        block,
        reason: 'detected' as const,
      })),
    );
    const step: BlocksStep = {
      blocks: [block],
      matches,
      retroactive: [],
      changes: [],
      reads,
      newAssets: [],
      usedIds: [],
    };
    await this.#run(step, {});
  }

  async #finalize(): Promise<void> {
    const number = this.#number;
    const entry = {
      seq: number,
      type: 'finalize' as const,
      number,
      hash: hashOf(`block ${number}`),
      parentHash: '',
      timestamp: 0,
      seenAtMs: Date.now(),
    };
    await this.#run(
      { blocks: [], matches: [], retroactive: [], changes: [], reads: [], newAssets: [], usedIds: [] },
      { finalize: entry },
    );
  }

  async #run(
    step: BlocksStep,
    segment: {
      finalize?: {
        seq: number;
        type: 'finalize';
        number: number;
        hash: string;
        parentHash: string;
        timestamp: number;
        seenAtMs: number;
      };
    },
  ): Promise<void> {
    const cursor = { seq: this.#number, number: this.#number, hash: hashOf(`block ${this.#number}`) };
    const chain = {
      gid: network.gid,
      family: network.family,
      network,
      share: this.#share,
      setAsides: new SetAsides(),
      hasOthers: false,
      endpointOf: () => undefined,
      displayOf: (address: string) => address,
      decimalsOf: () => 18,
      isNft: () => false,
      learn: () => undefined,
    };
    await runStep(chain, {
      segment: { entries: [], orphans: [], blocks: [], ...segment },
      step,
      cursor,
      advance: {
        cursor,
        watchXid: 0n,
        isFarBehind: false,
        processed: step.blocks.map(({ hash }) => ({ hash, verification: 'proved' as const })),
      },
      outcome: NO_OUTCOME,
      now: new Date(1_760_000_000_000 + this.#number * 12_000),
    });
  }

  /** Every fifth moves a token as well as the coin. */
  #makeMatch(block: MatchedTransaction['block'], index: number): MatchedTransaction {
    const n = (this.#made += 1);
    const [to, from] = [addressOf((n * 7919) % ADDRESSES), addressOf(-n)];
    const transfers = Array.from({ length: n % 5 === 0 ? 2 : 1 }, (_, position) => ({
      index: position,
      type: position === 0 ? ('native' as const) : ('token' as const),
      assetGid: position === 0 ? NATIVE : tokenOf(n % TOKENS),
      from,
      to,
      amountRaw: BigInt((n * 104_729) % 1_000_003) * 10n ** 15n,
      monitored: [to],
    }));
    const transaction = {
      hash: hashOf(`transaction ${n}`),
      index,
      isFailed: false,
      from,
      to,
      fee: { assetGid: NATIVE, amountRaw: 21_000n, payer: from },
      transfers,
    };
    return {
      projectId: PROJECT,
      block,
      transaction,
      transfers,
      participants: [
        {
          id: addressId((n * 7919) % ADDRESSES),
          address: to,
          own: { label: null, groups: [], metadata: {} },
        },
      ],
      direction: 'in',
    };
  }

  async #keep(areKept: boolean): Promise<void> {
    if (areKept === this.#areKept) return;
    this.#areKept = areKept;
    const { rows } = await this.#writer.query<{ owner: string; name: string }>(
      `SELECT tgrelid::regclass::text AS owner, tgname AS name FROM pg_trigger WHERE tgname LIKE '%\\_count\\_%'`,
    );
    for (const { owner, name } of rows)
      await this.#writer.query(`ALTER TABLE ${owner} ${areKept ? 'ENABLE' : 'DISABLE'} TRIGGER ${name}`);
    // What was written without them is counted before they go on.
    if (areKept) await this.#writer.query('SELECT rebuild_list_counts()');
  }

  async #foldAll(): Promise<void> {
    while (
      (await this.#folder.query<{ folded: number }>('SELECT fold_totals(5000) AS folded')).rows[0]!.folded > 0
    );
  }

  async #timeOf(db: Database, work: () => Promise<void>): Promise<number> {
    const pid = (await db.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]!.pid;
    const before = backendTimeMs(pid);
    await work();
    return backendTimeMs(pid) - before;
  }
}

function medianOf(costs: readonly Costs[]): Costs {
  const median = (name: keyof Costs): number => {
    const sorted = costs.map((cost) => cost[name]).sort((a, b) => a - b);
    const middle = Math.floor(sorted.length / 2);
    return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
  };
  return { step: median('step'), fold: median('fold'), finality: median('finality') };
}
