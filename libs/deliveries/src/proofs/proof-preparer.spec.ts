// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import { waitFor } from '@chainwatch/testing';
import type { DeliveryJob } from '../delivery-job.ts';
import { ProofPreparer } from './proof-preparer.ts';

const transaction = {
  status: 'detected',
  chain_gid: 'eip155:1',
  hash: '0x1',
  block_number: 1,
  block_hash: '0x2',
};
const jobsOf = (name: string, count: number): DeliveryJob[] =>
  Array.from({ length: count }, (_, index) => ({
    ...{ id: `${name} ${index}`, channelId: name, eventId: `${name} ${index}`, eventType: 't' },
    ...{ payload: JSON.stringify({ data: { transaction } }), traceparent: undefined },
    ...{ attemptCount: 0, isFirst: true, dueAt: new Date(0), isProbe: false, isTest: false },
  }));

/** Its table answers nothing. */
function open() {
  const asked: string[] = [];
  const prepared: string[] = [];
  const clock = { nowMs: 0 };
  const db = {
    query: async (text: string, [ids]: [string[]]) => {
      if (text.startsWith('INSERT')) asked.push(...ids);
      return { rows: [] };
    },
  } as unknown as Sql;
  const preparer = new ProofPreparer({
    ...{
      db,
      options: { proofTimeoutMs: 300 },
      logger: { warn: () => undefined },
      now: () => clock.nowMs,
    },
    onPrepared: (channelId) => prepared.push(channelId),
  });
  const prepare = (name: string, count: number): void => {
    preparer.prepare({ channelId: name, workspaceId: name, includeProof: 'inline' }, jobsOf(name, count));
  };
  const countAsked = (name: string): number => asked.filter((id) => id.startsWith(`${name} `)).length;
  return { preparer, prepared, prepare, countAsked, clock };
}

it('asks for proofs of every workspace, however many one of them waits for', async () => {
  const { preparer, prepare, countAsked } = open();
  prepare('greedy', 3_000);
  prepare('other', 1);
  await waitFor(() => countAsked('other') === 1);
  expect(countAsked('greedy')).toBe(1_000);
  await preparer.stop();
});

it('gives the places of those that waited in vain to others, and the workspace links alone', async () => {
  const { preparer, prepared, prepare, countAsked, clock } = open();
  prepare('greedy', 3_000);
  await waitFor(() => prepared.length === 1 && countAsked('greedy') === 1_000);
  clock.nowMs = 300;
  await waitFor(() => prepared.length === 2);
  prepare('greedy', 1_000);
  prepare('other', 1_000);
  await waitFor(() => countAsked('other') === 1_000);
  expect(countAsked('greedy')).toBe(1_000);
  await preparer.stop();
});
