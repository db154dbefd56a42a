// SPDX-License-Identifier: Apache-2.0
import type { Rehearsal } from './rehearsal.ts';

/** A delivery in memory, on its way to a receiver. */
export interface DeliveryJob {
  readonly id: string;
  readonly channelId: string;
  readonly eventId: string;
  readonly eventType: string;
  /** The exact bytes that are sent and signed. */
  readonly payload: string;
  readonly traceparent: string | undefined;
  /** The payload has its proof, or is a link to it. */
  readonly hasProof?: boolean;
  /** Attempts made before, in the present schedule. */
  readonly attemptCount: number;
  /**
   * When its event was made. Undefined where the time since then says nothing of this service: tests, history, what was
   * asked for again, and what waited for its channel.
   */
  readonly eventAt?: Date | undefined;
  /** True before the first attempt: it goes in event order, before every retry. */
  readonly isFirst: boolean;
  /** When it was due by its schedule. */
  readonly dueAt: Date;
  /** One attempt to see whether a failing channel is back; it counts for the schedule only when the delivery was due. */
  readonly isProbe: boolean;
  /** A probe that counts for no attempt: it goes in place of an older delivery. */
  readonly isExtra?: boolean;
  /** What has the same key goes one after the other, retries too. Undefined: its channel has no strict order. */
  readonly orderingKey?: number | undefined;
  /** Of history: it goes behind everything else of its channel. */
  readonly isHistorical?: boolean;
  /** How it is sent where a receiver is tried. */
  readonly rehearsal?: Rehearsal | undefined;
  /** A customer asked for it: one attempt, whatever the state of the channel. */
  readonly isTest: boolean;
}
