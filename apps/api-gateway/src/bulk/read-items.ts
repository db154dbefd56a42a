// SPDX-License-Identifier: Apache-2.0
import type { z } from 'zod';
import { parseItemsBytes } from '@chainwatch/platform/http';
import { fieldsFromZodError, invalidRequest, type ProblemField } from '@chainwatch/common/problem';

interface ItemsForm<S> {
  readonly schema: S;
  /** The member that is the list. */
  readonly list: string;
  /** The member of an item by which the caller knows it again. Absent: the items are texts. */
  readonly key?: string;
  /** An item of the schema in place of one that is at fault. Only the key of the one at fault is read. */
  standIn(key: string): unknown;
}

/**
 * Reads a body with items of which each stands for itself: text that cannot be stored and numbers that cannot be kept are
 * told of their item alone.
 * @returns the body with a stand-in for each item at fault, and the faults by place
 * @throws ProblemError 400 for any other fault
 */
export function readItems<S extends z.ZodType>(
  bytes: Uint8Array,
  { schema, list, key, standIn }: ItemsForm<S>,
): { readonly body: z.output<S>; readonly faults: ReadonlyMap<number, ProblemField> } {
  const { body, faults } = parseItemsBytes(bytes, list);
  const sent = (body as Record<string, unknown[]> | null)?.[list];
  for (const [place, fault] of faults) {
    const item = sent![place];
    const known = key === undefined ? item : (item as Record<string, unknown> | null)?.[key];
    if (typeof known !== 'string') throw invalidRequest([fault]);
    sent![place] = standIn(known);
  }
  const { data, error } = schema.safeParse(body);
  if (error !== undefined) throw invalidRequest(fieldsFromZodError(error, ''));
  return { body: data, faults };
}
