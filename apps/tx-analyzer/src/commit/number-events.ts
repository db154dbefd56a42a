import type { Sql } from '@chainwatch/db';
import { EVENTS } from '@chainwatch/events';
import { allocateSequences } from '@chainwatch/outbox';
import { buildEvent } from './build-event.ts';
import type { ChainContext, StepTransaction } from '../model/chain-context.ts';
import type { OutboxEvent, PlannedEvent } from '../model/planned-event.ts';

interface Numbering {
  /** Height that confirmations are counted at. */
  readonly headNumber: number;
  readonly createdAt: Date;
}

/**
 * Gives planned events their sequences and builds them. One counter per project and chain, locked until the
 * transaction ends.
 */
export async function numberEvents(
  { sql, chain }: Pick<StepTransaction, 'chain'> & { readonly sql: Sql },
  planned: readonly PlannedEvent[],
  numbering: Numbering,
): Promise<OutboxEvent[]> {
  if (planned.length === 0) return [];
  const projectIds = planned.map(({ state }) => state.projectId);
  return buildEvents(chain, planned, {
    ...numbering,
    sequences: await allocateSequences(sql, chain.gid, projectIds),
  });
}

/** `sequences`: of each event, in their order. */
export function buildEvents(
  chain: ChainContext,
  planned: readonly PlannedEvent[],
  { sequences, headNumber, createdAt }: Numbering & { readonly sequences: readonly number[] },
): OutboxEvent[] {
  return planned.map(({ type, state, traceparent }, position) => {
    const sequence = sequences[position]!;
    const envelope = buildEvent(state, {
      chainGid: chain.gid,
      type,
      sequence,
      headNumber,
      createdAt,
      displayOf: chain.displayOf,
      decimalsOf: chain.decimalsOf,
    });
    return {
      eventId: envelope.event_id,
      projectId: state.projectId,
      chainGid: chain.gid,
      type,
      subject: EVENTS[type].subject,
      sequence,
      transactionId: state.id,
      envelope,
      payload: JSON.stringify(envelope),
      traceparent,
    };
  });
}
