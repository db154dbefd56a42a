// SPDX-License-Identifier: Apache-2.0
import { EVENT_TYPES, EVENTS } from './events.ts';
import { eventShape, isEventPath } from './event-shape.ts';

let id = 0;
const example = (type: (typeof EVENT_TYPES)[number]): object => ({
  ...{ event_id: 'e', type, api_version: 'v1', created_at: 't', is_test_message: true, project_id: 'p' },
  ...{ sequence: 0 },
  data: EVENTS[type].example({ at: 't', id: () => String((id += 1)) }),
});

/** Every path of names in a value, through lists. */
function listPaths(value: unknown, prefix = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => listPaths(item, prefix));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [
    `${prefix}${name}`,
    ...listPaths(member, `${prefix}${name}.`),
  ]);
}

it.each(EVENT_TYPES)('knows every member of %s', (type) => {
  const paths = listPaths(example(type));
  expect(paths.length).toBeGreaterThan(10);
  expect(paths.filter((path) => !isEventPath(path))).toEqual([]);
});

it.each([
  'amount',
  'data.amount',
  'data.transaction.transfers.amuont',
  'type.x',
  'data.',
  '.data',
  '',
  'data..transaction',
  'data.transaction.hash.length',
  'data.__proto__',
  'constructor',
  'data.addresses.groups.length',
])('%j is no member of events', (path) => {
  expect(isEventPath(path)).toBe(false);
});

it.each(['data', 'data.proof.header', 'data.addresses.metadata.shop.till', 'data.changes.reason'])(
  '%j is one',
  (path) => {
    expect(isEventPath(path)).toBe(true);
  },
);

it('says what may stand there, over all types', () => {
  const data = eventShape().members!.get('data')!;
  const transaction = data.members!.get('transaction')!;
  expect([...transaction.members!.get('block_number')!.kinds!].toSorted()).toEqual(['null', 'number']);
  expect(transaction.members!.get('transfers')!.items!.members!.get('amount')!.kinds).toEqual(
    new Set(['string', 'null']),
  );
});
