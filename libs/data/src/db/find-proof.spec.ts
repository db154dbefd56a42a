// SPDX-License-Identifier: Apache-2.0
import { findProof, type Sample, type StandbyState } from './find-proof.ts';

const sample = (atMs: number, position: number, more: Partial<Sample> = {}): Sample => ({
  ...{ atMs, at: new Date(atMs), position, timeline: 1, system: 'ours' },
  ...more,
});
const state = (position: number | null, more: Partial<StandbyState> = {}): StandbyState => ({
  ...{ isInRecovery: true, position, timeline: 1, system: 'ours', server: 'a' },
  ...more,
});
const samples = [sample(10, 100), sample(20, 100), sample(30, 250)];

it.each([
  ['everything', samples, state(250), { type: 'shown', sample: { atMs: 30 } }],
  ['what the primary had a moment ago', samples, state(249), { type: 'shown', sample: { atMs: 20 } }],
  ['nothing that is known of', samples, state(99), { type: 'behind' }],
  ['nothing yet, after its start', samples, state(null), { type: 'behind' }],
  ['what nobody can compare, without a primary', [], state(1_000), { type: 'behind' }],
  [
    'what the new primary has, after a failover',
    [sample(10, 900), sample(20, 500, { timeline: 2 }), sample(30, 600, { timeline: 2 })],
    state(550, { timeline: 2 }),
    { type: 'shown', sample: { atMs: 20 } },
  ],
])('a standby shows %s', (_, known, told, expected) => {
  expect(findProof(known, told)).toMatchObject(expected);
});

it.each([
  ['no standby', { isInRecovery: false }],
  ['another installation', { system: 'theirs' }],
  ['timeline is 2, the primary', { timeline: 2 }],
])('does not compare positions of another history: %s', (reason, more) => {
  expect(findProof(samples, state(1_000, more))).toEqual({
    type: 'wrong',
    reason: expect.stringContaining(reason) as string,
  });
});
