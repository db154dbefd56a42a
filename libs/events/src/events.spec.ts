// SPDX-License-Identifier: Apache-2.0
import { EVENT_SCHEMAS } from './event-envelope.ts';
import {
  defaultEventTypes,
  EVENT_SUBJECTS,
  EVENT_TYPES,
  EVENTS,
  eventTypesOn,
  factsOf,
  matterOf,
} from './events.ts';

const input = { at: '2026-01-01T00:00:00.000Z', id: () => '6f1d1f4e-0000-4000-8000-000000000001' };

describe.each(EVENT_TYPES)('%s', (type) => {
  const data = EVENTS[type].example(input);

  it('has an example that is what its schema says', () => {
    expect(EVENT_SCHEMAS[type].shape.data.parse(data)).toEqual(data);
  });

  it('is unverified in its example, which is what test messages are made of', () => {
    const { subject } = EVENTS[type];
    expect(factsOf({ type, data })?.verification).toBe(subject === undefined ? undefined : null);
  });

  it('says what it is about', () => {
    expect(matterOf(type)).toMatch(/^(payment|balance|channel)$/);
  });

  it('has facts for filters, unless it is of no chain', () => {
    const { subject } = EVENTS[type];
    expect(factsOf({ type, data }) === undefined).toBe(subject === undefined);
  });
});

it('gives every subject its events, the usual one first', () => {
  expect(
    Object.fromEntries(
      (Object.keys(EVENT_SUBJECTS) as (keyof typeof EVENT_SUBJECTS)[]).map((subject) => [
        subject,
        eventTypesOn(subject),
      ]),
    ),
  ).toEqual({
    'tx.detected': ['transaction.detected', 'transaction.failed'],
    'tx.progress': ['transaction.progress'],
    'tx.confirmed': ['transaction.confirmed'],
    'tx.reorged': ['transaction.reorged'],
    'balance.changed': ['balance.changed'],
  });
});

it('tells channels by default what decisions.md §4 and 1.9 say', () => {
  expect(defaultEventTypes('payments')).toEqual(['transaction.detected', 'transaction.confirmed']);
  expect(defaultEventTypes('movements')).toEqual([
    'transaction.detected',
    'transaction.confirmed',
    'balance.changed',
  ]);
});

it('knows no facts and no matter of an event of a newer release', () => {
  const event = { type: 'transaction.blessed', data: {} };
  expect(factsOf(event)).toBeUndefined();
  expect(matterOf('transaction.blessed')).toBeUndefined();
});
