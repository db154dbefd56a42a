// SPDX-License-Identifier: Apache-2.0
import { waitFor } from '@chainwatch/testing';
import { passLimit } from './spec-unknown.ts';
import type { SpecWorld } from './spec-world.ts';

const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d.:+Z-]*/g;

/** What is told of a chain: whole rows as texts, ids and times aside. */
export interface Told {
  /** With their transfers, by hash: what was told, and what stands behind it. */
  readonly records: ReadonlyMap<string, { readonly content: string; readonly standing: string }>;
  readonly isConfirmed: (hash: string) => boolean;
  /** The events of each transaction since it was undone last, in their order. */
  readonly events: readonly string[];
  readonly assets: readonly string[];
  /** Totals of lists that are not zero. */
  readonly totals: readonly string[];
}

interface Row {
  readonly hash: string;
  readonly content: object;
  readonly transfers: readonly object[] | null;
  readonly verification: string;
  readonly status: string;
  readonly is_withheld: boolean;
  readonly is_confirmed: boolean;
}

/** Undone records are no part of it: they are history. */
export async function readTold(world: SpecWorld): Promise<Told> {
  const rows = await world.rows<Row>(
    `SELECT t.hash, t.verification, t.status, t.is_withheld, t.confirmed_at IS NOT NULL AS is_confirmed,
       to_jsonb(t) - ARRAY['status', 'verification', 'is_withheld', 'is_unproved', 'epoch', 'confirmed_at', 'reorged_at', 'detected_at'] AS content,
       (SELECT json_agg(to_jsonb(m) - 'detected_at' ORDER BY m.index) FROM transfers m WHERE m.transaction_id = t.id) AS transfers
     FROM transactions t WHERE t.status <> 'reorged' ORDER BY t.block_number, t.tx_index`,
  );
  const confirmed = new Set(rows.filter((row) => row.is_confirmed).map(({ hash }) => hash));
  return {
    records: new Map(
      rows.map(({ hash, content, transfers, verification, status, is_withheld: isWithheld }) => [
        hash,
        {
          content: plain({ content, transfers }),
          standing: `${status} ${verification}${isWithheld ? ' withheld' : ''}`,
        },
      ]),
    ),
    isConfirmed: (hash) => confirmed.has(hash),
    events: await readEvents(world),
    assets: (await world.rows<{ gid: string }>('SELECT asset_gid AS gid FROM project_assets ORDER BY 1')).map(
      ({ gid }) => gid,
    ),
    totals: (
      await world.rows<object>(
        `SELECT list, key, sum(count)::int AS count FROM (SELECT * FROM list_counts UNION ALL SELECT * FROM list_changes) c
         GROUP BY 1, 2 HAVING sum(count) <> 0 ORDER BY 1, 2`,
      )
    ).map(plain),
  };
}

async function readEvents(world: SpecWorld): Promise<string[]> {
  const rows = await world.rows<{ id: string; type: string; payload: string }>(
    `SELECT t.id, e.type, e.payload FROM event_log e JOIN transactions t ON t.id = e.transaction_id
     WHERE t.status <> 'reorged' ORDER BY t.block_number, t.tx_index, e.id`,
  );
  return rows
    .filter(
      ({ id }, place) =>
        !rows.slice(place).some((later) => later.id === id && later.type === 'transaction.reorged'),
    )
    .map(({ payload }) => {
      const { sequence: _, ...event } = JSON.parse(payload) as Record<string, unknown>;
      return plain(event);
    });
}

const plain = (value: object): string =>
  JSON.stringify(value)
    .replace(UUID, 'id')
    .replace(TIME, 'time')
    .replace(/"confirmations":\d+/g, '"confirmations":0');

/** Waits until the analyzer has nothing left that it can do by itself; what waits for a release is let pass. */
export async function untilQuiet(world: SpecWorld): Promise<'settled' | 'stalled'> {
  let found: 'settled' | 'stalled' | undefined;
  await waitFor(
    async () => {
      const [state] = await world.rows<{ cursor_seq: number; status: string; is_unknown: boolean }>(
        `SELECT cursor_seq, status, EXISTS (SELECT FROM incidents WHERE status = 'open' AND last_block_number IS NULL) AS is_unknown FROM analyzer_states`,
      );
      if (state === undefined) return false;
      if (state.is_unknown) await passLimit(world);
      if (state.cursor_seq === world.seq) found = 'settled';
      else if (state.status === 'stalled' && !state.is_unknown) found = 'stalled';
      return found !== undefined;
    },
    {
      intervalMs: 10,
      message: 'the analyzer to rest',
    },
  );
  return found!;
}

/** Waits until every transaction that one node attests was asked about once. */
export const untilAsked = (world: SpecWorld): Promise<unknown> =>
  waitFor(
    async () =>
      (
        await world.rows(
          `SELECT FROM unproved_transactions WHERE verdict = 'attested' AND due_at <= created_at`,
        )
      ).length === 0,
    { intervalMs: 10, message: 'others to be asked' },
  );

/** What is told otherwise than the truth, or is not in it: `standing` of each. */
export function findLies(told: Told, truth: Told): readonly { hash: string; standing: string }[] {
  return [...told.records]
    .filter(([hash, { content }]) => truth.records.get(hash)?.content !== content)
    .map(([hash, { standing }]) => ({ hash, standing }));
}

/** Others are asked now about what one node attests. */
export const makeDue = (world: SpecWorld): Promise<unknown> =>
  writeBeside(world, 'due_at = now(), created_at = now()');

/** Changes what one node attests, while the analyzer writes the same rows in another order. @param columns of the SQL */
export const writeBeside = (world: SpecWorld, columns: string): Promise<unknown> =>
  waitFor(
    () =>
      world.db.query(`UPDATE unproved_transactions SET ${columns}`).then(
        () => true,
        (error: { code?: string }) => {
          if (error.code !== '40P01') throw error;
          return false;
        },
      ),
    { message: 'the rows' },
  );

/** `npm test` tells each lie in two of four settings, `npm run soak -- lies` in all. @param lie its place in the list */
export const isPlayed = (lie: number, setting: number): boolean =>
  process.env['SOAK'] !== undefined || (lie + setting) % 2 === 0;
