// SPDX-License-Identifier: Apache-2.0
import { randomBytes, randomUUID } from 'node:crypto';
import type { Rehearsal } from '@chainwatch/deliveries';
import { EVENTS, uuidv5, type EventEnvelope, type EventType } from '@chainwatch/events';

/** A made-up event, and how it is delivered. */
export interface Rehearsed {
  readonly event: EventEnvelope;
  /** Seconds after the request. */
  readonly afterS: number;
  /** Undefined: as any other event. */
  readonly rehearsal?: Rehearsal;
}

/** What a transaction event tells: the second part of its type. */
type State = EventType extends infer T ? (T extends `transaction.${infer S}` ? S : never) : never;
const BURST = 1_000;
const HOUR_MS = 3_600_000;
/** Between events of which the order is the point. */
const STEP_S = 1;

interface Scenario {
  readonly description: string;
  make(projectId: string): readonly Rehearsed[];
}

/** What receivers get wrong, by name. */
export const SCENARIOS = {
  duplicate: {
    description: 'an event is sent again after the receiver took it',
    make: (projectId) => [{ event: pay(projectId).tell('confirmed'), afterS: 0, rehearsal: 'duplicate' }],
  },
  reordered: {
    description: '`transaction.confirmed` comes before `transaction.detected`',
    make(projectId) {
      const payment = pay(projectId);
      const detected = payment.tell('detected');
      return [
        { event: payment.tell('confirmed'), afterS: 0 },
        { event: detected, afterS: STEP_S },
      ];
    },
  },
  reorg: {
    description: 'a confirmed transaction is undone',
    make(projectId) {
      const payment = pay(projectId);
      const states = ['detected', 'confirmed', 'reorged'] as const;
      return states.map((state, index) => ({ event: payment.tell(state), afterS: index * STEP_S }));
    },
  },
  late: {
    description: 'an event is an hour old',
    make: (projectId) => [
      { event: pay(projectId, new Date(Date.now() - HOUR_MS)).tell('confirmed'), afterS: 0 },
    ],
  },
  burst: {
    description: '1,000 events come at once',
    make: (projectId) =>
      Array.from({ length: BURST }, () => ({
        event: pay(projectId).tell('confirmed'),
        afterS: 0,
      })),
  },
  slow: {
    description: 'the answer is not awaited, and the event is sent again',
    make: (projectId) => [{ event: pay(projectId).tell('confirmed'), afterS: 0, rehearsal: 'slow' }],
  },
  rotation: {
    description: 'an event has two signatures, the first of a secret that the receiver does not know',
    make: (projectId) => [{ event: pay(projectId).tell('confirmed'), afterS: 0, rehearsal: 'rotation' }],
  },
} satisfies Readonly<Record<string, Scenario>>;

export type ScenarioName = keyof typeof SCENARIOS;
export const SCENARIO_NAMES = Object.keys(SCENARIOS) as ScenarioName[];

/** A made-up transaction, of which each further event has a higher sequence. */
function pay(projectId: string, at = new Date()): { tell(state: State): EventEnvelope } {
  const hash = `0x${randomBytes(32).toString('hex')}`;
  const [transactionId, addressId] = [randomUUID(), randomUUID()];
  let sequence = 0;
  return {
    tell(state) {
      const type: `transaction.${State}` = `transaction.${state}`;
      sequence += 1;
      const created = at.toISOString();
      const data = EVENTS[type].example({ at: created, id: () => addressId });
      return {
        event_id: uuidv5(`${projectId}|rehearsal|${randomUUID()}`),
        type,
        api_version: 'v1',
        created_at: created,
        is_test_message: true,
        project_id: projectId,
        sequence,
        data: { ...data, transaction: { ...data.transaction, id: transactionId, hash } },
      } as EventEnvelope;
    },
  };
}
