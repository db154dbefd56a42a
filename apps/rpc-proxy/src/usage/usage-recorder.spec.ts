// SPDX-License-Identifier: Apache-2.0
import { LATENCY_BOUNDS_MS } from '@chainwatch/data/db';
import type { ReplyOutcome } from '../http/client-reply.ts';
import { UsageRecorder } from './usage-recorder.ts';

type Open = Parameters<UsageRecorder['open']>;

const principal = { keyId: 'k', workspaceId: 'w' } as Open[0]['principal'];
const chain = { network: { gid: 'eip155:1' } } as Open[0]['chain'];
const ruleOf = (method: string) => ({ rule: { method, isKnown: true } }) as Open[1][number];
const [ethCall, chainId] = [ruleOf('eth_call'), ruleOf('eth_chainId')];

let nowMs = 0;
let recorder: UsageRecorder;
beforeEach(() => void (recorder = new UsageRecorder(() => nowMs)));

/** Records a request that takes so long. */
function take(ms: number, calls: Open[1], isFailure = false): void {
  nowMs = 0;
  const reply = {} as { onDone?: (outcome: ReplyOutcome) => void };
  recorder.open({ principal, chain, reply, body: Buffer.alloc(5) } as unknown as Open[0], calls);
  nowMs = ms;
  reply.onDone?.({ status: 200, bytes: 7, isFailure });
}

/** `{ 50: 2 }`: two calls took at most 50 ms, and longer than the bound before. */
function bucketsOf(counts: readonly number[]): Record<string, number> {
  const named = counts.map((count, index) => [String(LATENCY_BOUNDS_MS[index] ?? 'over'), count] as const);
  return Object.fromEntries(named.filter(([, count]) => count > 0));
}

it('counts a call below the first bound that holds for it', () => {
  for (const ms of [0, 0.2, 1, 1.01, 2, 49, 50, 51, 30_000, 30_001, 3_600_000]) take(ms, [ethCall]);
  const [row] = recorder.collect();
  expect(bucketsOf(row!.latencyCounts)).toEqual({ 1: 3, 2: 2, 50: 2, 100: 1, 30000: 1, over: 2 });
  expect(row!.latencyMs).toBeCloseTo(3_660_155.21, 5);
});

it('takes the time of a batch for each of its calls, and of failures too', () => {
  take(3, [ethCall, ethCall, chainId]);
  take(7, [chainId], true);
  const rows = recorder.collect();
  expect(rows.map(({ method, requests, failures }) => [method, requests, failures])).toEqual([
    ['eth_call', 2, 0],
    ['eth_chainId', 2, 1],
  ]);
  expect(rows.map(({ latencyMs, latencyCounts }) => [latencyMs, bucketsOf(latencyCounts)])).toEqual([
    [6, { 5: 2 }],
    [10, { 5: 1, 10: 1 }],
  ]);
});

it('counts the calls of a batch that failed, and not those beside them', () => {
  const reply = {} as { onDone?: (outcome: ReplyOutcome) => void };
  const request = { principal, chain, reply, body: Buffer.alloc(5) } as unknown as Open[0];
  recorder.open(request, [ethCall, chainId, ethCall, ethCall]);
  reply.onDone?.({ status: 200, bytes: 7, isFailure: false, failedCalls: new Set([0, 2]) });
  expect(recorder.collect().map(({ method, failures }) => [method, failures])).toEqual([
    ['eth_call', 2],
    ['eth_chainId', 0],
  ]);
});

it('has no time of a call that nobody answered', () => {
  const request = { principal, chain, reply: {}, body: Buffer.alloc(5) } as unknown as Open[0];
  recorder.open(request, [ethCall]);
  recorder.countCall(principal, { chain, rule: chainId.rule, bytesIn: 5 });
  expect(
    recorder
      .collect()
      .map(({ requests, latencyMs, latencyCounts }) => [requests, latencyMs, bucketsOf(latencyCounts)]),
  ).toEqual([
    [1, 0, {}],
    [1, 0, {}],
  ]);
});
