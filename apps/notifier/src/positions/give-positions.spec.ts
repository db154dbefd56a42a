// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import pg from 'pg';
import { createDatabase, type Database } from '@chainwatch/data/db';
import { ShareLostError, takeShare, type OwnedShare } from '@chainwatch/data/ownership';
import type { PostgresHandle } from '@chainwatch/testing';
import { startPostgres } from '@chainwatch/data/testing';
import { findWaitingShares, givePositions } from './start-positioning.ts';

const WRITERS = 8;
const PROJECTS = 3;
const SHARE = '2a';

let postgres: PostgresHandle;
let db: Database;
let writers: pg.Client[];
let share: OwnedShare;
beforeAll(async () => {
  postgres = await startPostgres();
  db = createDatabase({ url: postgres.url, applicationName: 'spec' });
  writers = Array.from({ length: WRITERS }, () => new pg.Client(postgres.url));
  await Promise.all(writers.map((writer) => writer.connect()));
});
beforeEach(async () => {
  await db.query('DELETE FROM owners');
  share = (await takeShare(db, { kind: 'positions', share: SHARE }, randomUUID()))!;
});
afterEach(() => share.end());
afterAll(async () => {
  await Promise.all(writers.map((writer) => writer.end()));
  await db.close();
  await postgres.stop();
});

/** Projects of the share: its six bits, then anything. */
async function addProjects(count = PROJECTS): Promise<string[]> {
  const ids = Array.from({ length: count }, () => `a8${randomUUID().slice(2)}`);
  await db.query(
    `WITH w AS (INSERT INTO workspaces (name) VALUES ('w') RETURNING id) INSERT INTO projects (id, workspace_id, name) SELECT u, w.id, 'p' FROM w, unnest($1::uuid[]) u`,
    [ids],
  );
  return ids;
}

async function insert(
  sql: Pick<pg.ClientBase, 'query'>,
  projectId: string,
  more: { readonly count?: number; readonly isHeld?: boolean; readonly kind?: string } = {},
): Promise<number[]> {
  const { count = 1, isHeld = false, kind = 'tx.detected' } = more;
  const { rows } = await sql.query<{ id: number }>(
    `INSERT INTO event_log (event_id, project_id, type, sequence, subject_kind, payload, is_held)
     SELECT gen_random_uuid(), $1, 'transaction.detected', 1, $4, '{}', $3 FROM generate_series(1, $2) RETURNING id`,
    [projectId, count, isHeld, kind],
  );
  return rows.map(({ id }) => Number(id));
}

/** Reads on as a client does: whatever appears below its position it never sees. */
class Reader {
  readonly seen: number[] = [];
  readonly #projectId: string;
  #after = 0;

  constructor(projectId: string) {
    this.#projectId = projectId;
  }

  get position(): number {
    return this.#after;
  }

  async read(): Promise<void> {
    const { rows } = await db.query<{ position: number; event_row_id: number }>(
      'SELECT position, event_row_id FROM event_positions WHERE project_id = $1 AND position > $2 ORDER BY position',
      [this.#projectId, this.#after],
    );
    this.seen.push(...rows.map((row) => row.event_row_id));
    this.#after = rows.at(-1)?.position ?? this.#after;
  }
}

type Step =
  | {
      readonly type: 'insert';
      readonly writer: number;
      readonly project: number;
      readonly count: number;
      readonly isHeld: boolean;
    }
  | { readonly type: 'commit' | 'rollback'; readonly writer: number }
  | { readonly type: 'release' | 'give' | 'read' | 'take over' };

const writer = fc.nat(WRITERS - 1);
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('insert' as const),
      writer,
      project: fc.nat(PROJECTS - 1),
      count: fc.integer({ min: 1, max: 4 }),
      isHeld: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('commit' as const), writer }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('rollback' as const), writer }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constantFrom('give' as const, 'read' as const) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('release' as const, 'take over' as const) }) },
);

/** What the writers did, played against the model: which rows are committed and visible. */
class History {
  readonly #projects: readonly string[];
  readonly #readers: readonly Reader[];
  readonly #open = new Map<
    number,
    { readonly id: number; readonly project: number; readonly isHeld: boolean }[]
  >();
  readonly #visible: Set<number>[];
  #held: { readonly id: number; readonly project: number }[] = [];

  constructor(projects: readonly string[]) {
    this.#projects = projects;
    this.#readers = projects.map((id) => new Reader(id));
    this.#visible = projects.map(() => new Set());
  }

  async play(step: Step): Promise<void> {
    if (step.type === 'insert') return this.#insert(step);
    if (step.type === 'commit' || step.type === 'rollback')
      return this.#end(step.writer, step.type === 'commit');
    if (step.type === 'release') return this.#release();
    if (step.type === 'give') return void (await givePositions(share, db));
    if (step.type === 'read') return void (await Promise.all(this.#readers.map((reader) => reader.read())));
    await db.query('UPDATE owners SET lease_until = clock_timestamp()');
    share.end();
    share = (await takeShare(db, { kind: 'positions', share: SHARE }, randomUUID()))!;
  }

  /** Every row that is visible at the end was read exactly once, whatever the order of commits. */
  async finish(): Promise<void> {
    for (const index of [...this.#open.keys()]) await this.#end(index, true);
    await this.#release();
    await givePositions(share, db);
    for (const [index, reader] of this.#readers.entries()) {
      await reader.read();
      expect([...reader.seen].sort((a, b) => a - b)).toEqual(
        [...this.#visible[index]!].sort((a, b) => a - b),
      );
      const { rows } = await db.query<{ last_position: number }>(
        'SELECT last_position FROM project_positions WHERE project_id = $1',
        [this.#projects[index]],
      );
      expect(rows[0]?.last_position ?? 0).toBe(reader.position);
    }
    expect((await db.query('SELECT FROM unpositioned_events')).rows).toEqual([]);
  }

  async #insert({ writer: index, project, count, isHeld }: Extract<Step, { type: 'insert' }>): Promise<void> {
    const sql = writers[index]!;
    if (!this.#open.has(index)) await sql.query('BEGIN');
    const rows = this.#open.get(index) ?? [];
    this.#open.set(index, rows);
    const ids = await insert(sql, this.#projects[project]!, { count, isHeld });
    rows.push(...ids.map((id) => ({ id, project, isHeld })));
  }

  async #end(index: number, isCommit: boolean): Promise<void> {
    const rows = this.#open.get(index);
    if (rows === undefined) return;
    await writers[index]!.query(isCommit ? 'COMMIT' : 'ROLLBACK');
    this.#open.delete(index);
    if (!isCommit) return;
    for (const { id, project, isHeld } of rows)
      if (isHeld) this.#held.push({ id, project });
      else this.#visible[project]!.add(id);
  }

  async #release(): Promise<void> {
    await db.query('UPDATE event_log SET is_held = false WHERE is_held');
    for (const { id, project } of this.#held) this.#visible[project]!.add(id);
    this.#held = [];
  }
}

it('gives each visible event one position, above all that was read, in whatever order eight writers commit', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 60, size: 'max' }), async (steps) => {
      const history = new History(await addProjects());
      try {
        for (const step of steps) await history.play(step);
      } finally {
        await history.finish();
      }
    }),
    { numRuns: 40 },
  );
}, 240_000);

it('takes a thousand at once, the oldest rows first', async () => {
  const [one, other] = (await addProjects(2)) as [string, string];
  const ids = [...(await insert(db, one, { count: 700 })), ...(await insert(db, other, { count: 700 }))];
  expect(await givePositions(share, db)).toBe(1_000);
  expect(await givePositions(share, db)).toBe(400);
  expect(await givePositions(share, db)).toBe(0);
  const readers = [one, other].map((id) => new Reader(id));
  for (const reader of readers) await reader.read();
  expect(readers.flatMap(({ seen }) => seen)).toEqual(ids);
});

it('gives test messages and news of channels a position like the rest', async () => {
  const [projectId] = (await addProjects(1)) as [string];
  const ids = [
    ...(await insert(db, projectId, { kind: 'test' })),
    ...(await insert(db, projectId, { kind: 'channel.failed' })),
  ];
  await givePositions(share, db);
  const reader = new Reader(projectId);
  await reader.read();
  expect(reader.seen).toEqual(ids);
});

it('writes nothing for a share that another replica owns', async () => {
  const [projectId] = (await addProjects(1)) as [string];
  await insert(db, projectId);
  await db.query('UPDATE owners SET token = token + 1');
  await expect(givePositions(share, db)).rejects.toThrow(ShareLostError);
  const { rows } = await db.query(
    'SELECT last_position FROM project_positions WHERE project_id = $1 UNION ALL SELECT position FROM event_positions WHERE project_id = $1',
    [projectId],
  );
  expect(rows).toEqual([{ last_position: 0 }]);
  expect(await findWaitingShares(db, ['2a', '2b'])).toEqual(['2a']);
});

it('jumps by a million when the server has another past, and once only', async () => {
  const [projectId] = (await addProjects(1)) as [string];
  const reader = new Reader(projectId);
  const give = async (): Promise<number> => {
    await insert(db, projectId);
    await givePositions(share, db);
    await reader.read();
    return reader.position;
  };
  expect([await give(), await give()]).toEqual([1, 2]);
  await db.query(`UPDATE project_positions SET history = 'another server'`);
  const { rows } = await db.query(
    'SELECT reached_position(p) AS reached FROM project_positions p WHERE project_id = $1',
    [projectId],
  );
  expect(rows).toEqual([{ reached: 1_000_002 }]);
  expect([await give(), await give()]).toEqual([1_000_003, 1_000_004]);
});

it('jumps by a million also where the other past knew no event of the project', async () => {
  const [projectId] = (await addProjects(1)) as [string];
  await db.query(`UPDATE project_positions SET history = 'another server' WHERE project_id = $1`, [
    projectId,
  ]);
  await insert(db, projectId);
  await givePositions(share, db);
  const reader = new Reader(projectId);
  await reader.read();
  expect(reader.position).toBe(1_000_001);
});

it('has another past once the tables were made anew, as by a dump', async () => {
  const url = await postgres.createDatabase();
  const other = createDatabase({ url, applicationName: 'spec' });
  const read = async (sql: Database): Promise<string> =>
    (await sql.query<{ history: string }>('SELECT position_history() AS history')).rows[0]!.history;
  expect(await read(other)).not.toBe(await read(db));
  await other.close();
});

it('waits for nobody who deletes events, and leaves no position of theirs', async () => {
  const [going, staying] = (await addProjects(2)) as [string, string];
  await insert(db, going, { count: 3 });
  await givePositions(share, db);
  await insert(db, going, { count: 2 });
  const [deleter] = writers as [pg.Client];
  await deleter.query('BEGIN');
  await deleter.query('DELETE FROM event_log WHERE project_id = $1', [going]);
  const [id] = await insert(db, staying);
  expect(await givePositions(share, db)).toBe(1);
  await deleter.query('COMMIT');
  const { rows } = await db.query(
    'SELECT event_row_id FROM event_positions WHERE project_id = ANY($1) UNION ALL SELECT event_row_id FROM unpositioned_events',
    [[going, staying]],
  );
  expect(rows).toEqual([{ event_row_id: id }]);
});
