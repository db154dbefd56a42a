// SPDX-License-Identifier: Apache-2.0
import type { OwnData } from '@chainwatch/events';
import type { Sql } from '../db/index.ts';

/**
 * Condition of a statement that writes events: no row, in whatever partition and also of the past, has this event id. A
 * look-up row by row, never a join, so that rows keep their order.
 */
export const isNewEvent = (eventId: string): string =>
  `(SELECT true FROM event_keys k WHERE k.event_id = ${eventId}) IS NULL`;

/** Each event once, in order: rows of one statement do not see each other. */
export function withoutRepeats<E extends { readonly eventId: string }>(events: readonly E[]): readonly E[] {
  const ids = new Set<string>();
  return events.filter(({ eventId }) => ids.size < ids.add(eventId).size);
}

/** Longer than any text of jsonb whose JSON has 4 KiB: it has a space behind each comma and colon. */
const METADATA_TEXT_MAX = 8_192;

/** Columns of a row `a` of addresses that `ownDataOf` reads. Metadata that no event carries is not read. */
export const OWN_DATA_COLUMNS = `a.label, a.groups,
  CASE WHEN octet_length(a.metadata::text) <= ${METADATA_TEXT_MAX} THEN a.metadata END AS metadata`;

export interface OwnDataRow {
  readonly label: string | null;
  readonly groups: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

export function ownDataOf({ label, groups, metadata }: OwnDataRow): OwnData {
  return { label, groups, metadata: metadata ?? undefined };
}

/**
 * Allocates sequences for events in an open transaction: one per entry of `projectIds`, in that order, without gaps
 * (one counter per project and chain). The counters stay locked until the transaction ends, in the order of project
 * ids.
 */
export async function allocateSequences(
  sql: Sql,
  chainGid: string,
  projectIds: readonly string[],
): Promise<number[]> {
  if (projectIds.length === 0) return [];
  const counts = new Map<string, number>();
  for (const id of projectIds) counts.set(id, (counts.get(id) ?? 0) + 1);
  const { rows } = await sql.query<{ project_id: string; value: number }>({
    name: 'take_sequences',
    text: `INSERT INTO project_sequences (project_id, chain_gid, value)
           SELECT project_id, $1, count FROM unnest($2::uuid[], $3::bigint[]) AS n (project_id, count) ORDER BY project_id
           ON CONFLICT (project_id, chain_gid) DO UPDATE SET value = project_sequences.value + EXCLUDED.value
           RETURNING project_id, value`,
    values: [chainGid, [...counts.keys()], [...counts.values()]],
  });
  const next = new Map(
    rows.map(({ project_id, value }) => [project_id, value - counts.get(project_id)! + 1]),
  );
  return projectIds.map((id) => {
    const sequence = next.get(id)!;
    next.set(id, sequence + 1);
    return sequence;
  });
}
