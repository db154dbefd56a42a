// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '../db/index.ts';

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
