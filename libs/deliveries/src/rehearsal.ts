// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import type { ChannelTarget } from '@chainwatch/channels';

/**
 * How a delivery of a rehearsal is sent. `duplicate`: again after the receiver took it. `slow`: again after its answer came
 * too late. `rotation`: with a second signature, of a secret that the receiver does not know.
 */
const REHEARSALS = ['duplicate', 'slow', 'rotation'] as const;
export type Rehearsal = (typeof REHEARSALS)[number];

interface Rehearsed {
  readonly rehearsal?: Rehearsal | undefined;
}

/** So that the receiver is at work, and cannot have answered yet unless it is fast. */
const SLOW_ANSWER_MS = 50;

export function parseRehearsal(text: string | null): Rehearsal | undefined {
  return REHEARSALS.find((one) => one === text);
}

/** How often it is sent, whatever the receiver answers. */
export function sendsOf({ rehearsal }: Rehearsed): number {
  return rehearsal === 'duplicate' || rehearsal === 'slow' ? 2 : 1;
}

/** What differs in this attempt of a delivery. */
export function rehearse(
  { rehearsal, attemptCount }: Rehearsed & { readonly attemptCount: number },
  target: ChannelTarget,
): { readonly target: ChannelTarget; readonly answerMs?: number } {
  if (rehearsal === 'slow' && attemptCount === 0) return { target, answerMs: SLOW_ANSWER_MS };
  if (rehearsal !== 'rotation') return { target };
  const unknown = { secret: `rehearsal_${randomBytes(15).toString('hex')}`, expiresAtMs: undefined };
  const [current] = target.secrets;
  return { target: { ...target, secrets: [unknown, ...(current ? [current] : [])] } };
}
