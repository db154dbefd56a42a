// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { chainGidSchema } from '@chainwatch/common/caip';
import { normalizeChainGid } from '@chainwatch/chain-registry';
import { eventTypeSchema } from '@chainwatch/channels';
import { booleanParameter, listParameter } from '@chainwatch/platform/http';
import { madeAtSchema, madeUntilSchema } from '../records/path-schemas.ts';

/** What the list and the stream of events are filtered by. */
export const eventFilterParameters = {
  types: listParameter(eventTypeSchema),
  chain_gids: listParameter(chainGidSchema),
  transaction_id: z
    .uuid()
    .optional()
    .meta({
      description: 'Only events of the transaction with that `id`.',
      examples: ['6f1d1f4e-0000-4000-8000-000000000001'],
    }),
  is_test: booleanParameter.default(false).meta({ description: 'Only test messages, or only real events.' }),
  since: madeAtSchema.optional(),
  until: madeUntilSchema.optional(),
};

export interface EventFilters {
  readonly types: readonly string[] | undefined;
  readonly chains: readonly string[] | undefined;
  readonly transactionId: string | undefined;
  /** Test messages only, or everything else. */
  readonly isTest: boolean;
  readonly from: Date | undefined;
  readonly to: Date | undefined;
}

/** The columns that filters look at. */
export interface FilteredEvent {
  readonly type: string;
  readonly chain_gid: string | null;
  readonly transaction_id: string | null;
  readonly subject_kind: string;
  readonly created_at: Date;
}

type EventQuery = z.output<z.ZodObject<typeof eventFilterParameters>>;

export function toEventFilters(query: EventQuery): EventFilters {
  return {
    types: query.types,
    chains: query.chain_gids?.map(normalizeChainGid),
    transactionId: query.transaction_id?.toLowerCase(),
    isTest: query.is_test,
    from: query.since,
    to: query.until,
  };
}

/** The filters as SQL conditions on events `e`. A filter that is not used is left out, so that an index alone can answer. */
export function eventConditions(filters: EventFilters, values: unknown[]): string {
  const conditions = [`e.subject_kind ${filters.isTest ? '=' : '<>'} 'test'`];
  const add = (condition: (parameter: string) => string, value: unknown): void => {
    if (value !== undefined) conditions.push(condition(`$${values.push(value)}`));
  };
  add((p) => `e.created_at >= ${p}`, filters.from);
  add((p) => `e.created_at <= ${p}`, filters.to);
  add((p) => `e.type = ANY (${p})`, filters.types);
  add((p) => `e.chain_gid = ANY (${p})`, filters.chains);
  add((p) => `e.transaction_id = ${p}`, filters.transactionId);
  return conditions.join(' AND ');
}

/** The same for a row that was read for several readers at once. */
export function matchesFilters(filters: EventFilters, event: FilteredEvent): boolean {
  const { types, chains, transactionId, isTest, from, to } = filters;
  return (
    (event.subject_kind === 'test') === isTest &&
    (from === undefined || event.created_at >= from) &&
    (to === undefined || event.created_at <= to) &&
    (types === undefined || types.includes(event.type)) &&
    (chains === undefined || (event.chain_gid !== null && chains.includes(event.chain_gid))) &&
    (transactionId === undefined || event.transaction_id === transactionId)
  );
}
