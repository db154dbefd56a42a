import type { Sql } from '@chainwatch/db';
import { buildEvent } from './build-event.ts';
import type { ChainContext } from './chain-context.ts';
import { SUBJECT_OF, type OutboxEvent, type PlannedEvent } from './planned-event.ts';

/**
 * Gives planned events their sequences (one counter per project and chain, locked in the order of project ids until the
 * transaction ends) and builds them.
 */
export async function numberEvents(sql: Sql, chain: ChainContext, planned: readonly PlannedEvent[], headNumber: number, createdAt: Date): Promise<OutboxEvent[]> {
  if (planned.length === 0) return [];
  const next = await takeSequences(sql, chain.gid, planned);
  return planned.map(({ type, state, traceparent }) => {
    const sequence = next.get(state.projectId)!;
    next.set(state.projectId, sequence + 1);
    const envelope = buildEvent(state, { chainGid: chain.gid, type, sequence, headNumber, createdAt, decimalsOf: chain.decimalsOf });
    return {
      eventId: envelope.event_id,
      projectId: state.projectId,
      chainGid: chain.gid,
      type,
      subject: SUBJECT_OF[type],
      sequence,
      transactionId: state.id,
      envelope,
      payload: JSON.stringify(envelope),
      ...(traceparent === undefined ? {} : { traceparent }),
    };
  });
}

/** The first free sequence of each project, after taking as many as it has events. */
async function takeSequences(sql: Sql, chainGid: string, planned: readonly PlannedEvent[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const { state } of planned) counts.set(state.projectId, (counts.get(state.projectId) ?? 0) + 1);
  const { rows } = await sql.query<{ project_id: string; value: number }>({
    name: 'take_sequences',
    text: `INSERT INTO project_sequences (project_id, chain_gid, value)
           SELECT project_id, $1, count FROM unnest($2::uuid[], $3::bigint[]) AS n (project_id, count) ORDER BY project_id
           ON CONFLICT (project_id, chain_gid) DO UPDATE SET value = project_sequences.value + EXCLUDED.value
           RETURNING project_id, value`,
    values: [chainGid, [...counts.keys()], [...counts.values()]],
  });
  return new Map(rows.map(({ project_id, value }) => [project_id, value - counts.get(project_id)! + 1]));
}
