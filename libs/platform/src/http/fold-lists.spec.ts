// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { foldLists } from './read-request.ts';
import { booleanParameter, listParameter } from './page.ts';

const plain = z.strictObject({
  ids: listParameter(z.string()),
  described: listParameter(z.string()).meta({ description: 'A list.' }),
  is_active: booleanParameter.optional(),
});
const prepared = z.preprocess(
  (value) => value,
  plain.refine(() => true),
);

describe.each([
  ['an object', plain],
  ['a prepared object', prepared],
])('lists of %s', (_name, schema) => {
  it.each<[object, object]>([
    [{ 'ids[]': 'a' }, { ids: 'a' }],
    [{ 'ids[]': ['a', 'b'] }, { ids: ['a', 'b'] }],
    [{ 'ids[0]': 'a', 'ids[1]': 'b,c' }, { ids: ['a', 'b,c'] }],
    [{ ids: 'a', 'ids[]': 'b' }, { ids: ['a', 'b'] }],
    [{ 'described[]': 'a' }, { described: 'a' }],
  ])('%j is %j', (query, folded) => {
    expect(foldLists(schema, query as Record<string, unknown>)).toEqual(folded);
  });

  it.each([
    { 'is_active[]': 'true' },
    { 'ids[x]': 'a' },
    { 'ids[0][0]': 'a' },
    { '[]': 'a' },
    { 'ids[': 'a' },
  ])('%j stays as it came', (query) => {
    expect(foldLists(schema, query as Record<string, unknown>)).toEqual(query);
    expect(schema.safeParse(query).success).toBe(false);
  });
});
