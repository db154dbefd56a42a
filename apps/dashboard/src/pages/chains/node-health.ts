// SPDX-License-Identifier: Apache-2.0
import type { Node } from '../../api/chain-queries.ts';

type History = Node['history'];

interface Quarter {
  readonly at: number;
  readonly state: 'good' | 'mixed' | 'bad' | 'none';
}

const QUARTER_MS = 15 * 60_000;
const QUARTERS = 96;

/** The last 24 hours without gaps, oldest first: a quarter of an hour without a report is `none`. */
export function fillQuarters(history: History, nowMs: number): Quarter[] {
  const states = new Map(history.map((quarter) => [toQuarter(Date.parse(quarter.at)), stateOf(quarter)]));
  const last = toQuarter(nowMs);
  return Array.from({ length: QUARTERS }, (_, index) => {
    const at = last - (QUARTERS - 1 - index) * QUARTER_MS;
    return { at, state: states.get(at) ?? 'none' };
  });
}

const toQuarter = (ms: number): number => ms - (ms % QUARTER_MS);

function stateOf({ samples, failures }: History[number]): Quarter['state'] {
  if (failures === 0) return 'good';
  return failures === samples ? 'bad' : 'mixed';
}

/** `serving 99.8 % of the time, 42 ms on average` */
export function sayHealth(history: History): string {
  const sum = (count: (quarter: History[number]) => number): number =>
    history.reduce((total, quarter) => total + count(quarter), 0);
  const samples = sum((quarter) => quarter.samples);
  // Never rounded up to all.
  const share = Math.floor(((samples - sum(({ failures }) => failures)) / samples) * 1_000) / 10;
  const timed = history.filter(({ latency_ms: ms }) => ms !== null);
  const mean = timed.reduce((total, { latency_ms: ms }) => total + ms!, 0) / timed.length;
  const latency = timed.length === 0 ? '' : `, ${Math.round(mean).toLocaleString('en')} ms on average`;
  return `serving ${share} % of the time${latency}`;
}
