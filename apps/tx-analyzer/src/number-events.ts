import type { Sql } from '@chainwatch/db';
import { EVENTS } from '@chainwatch/events';
import { takeSequences } from '@chainwatch/outbox';
import { buildEvent } from './build-event.ts';
import type { ChainContext } from './chain-context.ts';
import type { OutboxEvent, PlannedEvent } from './planned-event.ts';

/** Gives planned events their sequences (one counter per project and chain, locked until the transaction ends) and builds them. */
export async function numberEvents(
  sql: Sql,
  chain: ChainContext,
  planned: readonly PlannedEvent[],
  headNumber: number,
  createdAt: Date,
): Promise<OutboxEvent[]> {
  if (planned.length === 0) return [];
  return buildEvents(
    chain,
    planned,
    await takeSequences(
      sql,
      chain.gid,
      planned.map(({ state }) => state.projectId),
    ),
    headNumber,
    createdAt,
  );
}

/** @param sequences of each event, in their order */
export function buildEvents(
  chain: ChainContext,
  planned: readonly PlannedEvent[],
  sequences: readonly number[],
  headNumber: number,
  createdAt: Date,
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
      ...(traceparent === undefined ? {} : { traceparent }),
    };
  });
}
