// SPDX-License-Identifier: Apache-2.0
import '../../spec-support/page-request.ts';
import type { Policy } from '../../api/chain-queries.ts';
import { describePolicy, leastDepthOf } from './policy-panel.tsx';

const policy = (change: Partial<Policy>): Policy => ({
  ...{ chain_gid: 'eip155:1', type: 'depth', depth: 3, required_confirmations: 3, is_unsafe: false },
  ...{ chain_default: { type: 'finalized', depth: 12 } },
  ...{ created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' },
  ...change,
});

it('says when a transaction is confirmed', () => {
  expect([
    describePolicy(null),
    describePolicy(policy({ type: 'finalized', depth: null })),
    describePolicy(policy({ depth: 20 })),
    describePolicy(policy({ depth: 1, is_unsafe: true })),
  ]).toEqual([
    'No policy of this project: the default of the chain applies.',
    'Confirmed when the chain says that its block is final.',
    'Confirmed after 20 confirmations.',
    'Confirmed after 1 confirmation. Below the 12 of the chain: a reorg may undo a confirmed payment.',
  ]);
});

it('finds the default of a chain in its document, or nothing', () => {
  expect([leastDepthOf({ confirmation: { depth: 12 } }), leastDepthOf({}), leastDepthOf(undefined)]).toEqual([
    12,
    undefined,
    undefined,
  ]);
});
