// SPDX-License-Identifier: Apache-2.0
import { EVENT_SUBJECTS, type EventSubject } from './events.ts';
import type { SubjectKind } from './subjects.ts';

interface FlowRow {
  readonly consumes: readonly SubjectKind[];
  readonly produces: readonly SubjectKind[];
}

/** Who consumes and who produces what. Data flows one way: flow.spec.ts proves that this table has no cycle. */
export const FLOW = {
  'api-gateway': { consumes: ['key.revoked'], produces: ['address.watched', 'chain.changed', 'key.revoked'] },
  'block-ingestor': { consumes: ['chain.changed'], produces: ['block.new'] },
  'tx-analyzer': {
    consumes: ['block.new', 'address.watched', 'chain.changed'],
    produces: ['tx.detected', 'tx.progress', 'tx.confirmed', 'tx.reorged'],
  },
  'balance-service': {
    consumes: ['tx.detected', 'tx.confirmed', 'tx.reorged', 'address.watched', 'chain.changed'],
    produces: ['balance.changed'],
  },
  notifier: { consumes: Object.keys(EVENT_SUBJECTS) as EventSubject[], produces: [] },
  'rpc-proxy': { consumes: ['chain.changed', 'key.revoked'], produces: [] },
} as const satisfies Record<string, FlowRow>;

export type FlowService = keyof typeof FLOW;
export type ConsumedBy<S extends FlowService> = (typeof FLOW)[S]['consumes'][number];
export type ProducedBy<S extends FlowService> = (typeof FLOW)[S]['produces'][number];
