// SPDX-License-Identifier: Apache-2.0
import type { z } from 'zod';

type Query = Readonly<Record<string, unknown>>;

const INDEXED = /^([^[\]]+)\[\d*\]$/;

/**
 * The query with `ids[]=a` and `ids[0]=a` under `ids`, for parameters that are lists: axios, PHP, Rails and qs send them
 * so. Every other name stays as it came, for the schema to refuse.
 */
export function foldLists(schema: z.ZodType, query: Query): Query {
  const names = Object.keys(query);
  if (!names.some((name) => name.endsWith(']'))) return query;
  const lists = listNames(schema);
  const folded = new Map<string, unknown>();
  for (const [name, value] of names.map((each) => [each, query[each]] as const)) {
    const listName = INDEXED.exec(name)?.[1];
    const key = listName !== undefined && lists.has(listName) ? listName : name;
    folded.set(key, folded.has(key) ? [folded.get(key), value].flat() : value);
  }
  return Object.fromEntries(folded);
}

/** The parameters of a query that are lists (`listParameter`). */
function listNames(schema: z.ZodType): ReadonlySet<string> {
  const { def } = unwrap(schema)._zod as {
    def: { type: string; shape?: Readonly<Record<string, z.ZodType>> };
  };
  const members = Object.entries(def.shape ?? {});
  return new Set(
    members.filter(([, member]) => unwrap(member)._zod.def.type === 'array').map(([name]) => name),
  );
}

/** Below what converts the value and what lets it be absent. */
function unwrap(schema: z.ZodType): z.ZodType {
  const { def } = schema._zod as { def: { type: string; out?: z.ZodType; innerType?: z.ZodType } };
  const inner = def.type === 'pipe' ? def.out : def.innerType;
  return inner === undefined ? schema : unwrap(inner);
}
