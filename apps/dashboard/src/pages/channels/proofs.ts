// SPDX-License-Identifier: Apache-2.0
import { CHANNEL_KINDS } from '@chainwatch/sdk/catalogue';
import type { Kind } from './kinds.ts';

/** Values of `include_proof`, in words. */
export const PROOFS = {
  none: ['None', 'Events have no proof. Receivers can fetch it later.'],
  link: ['Link', 'Transaction events have a link to the proof in data.proof.'],
  inline: ['Inline', 'Transaction events contain the proof itself, or a link where it exceeds 16 KiB.'],
} as const;
type IncludedProof = keyof typeof PROOFS;

/** Kinds for people have no proofs; a newer API may have kinds that are not known here. */
export function takesProofs(kind: Kind): boolean {
  return CHANNEL_KINDS[kind]?.takes_proofs ?? false;
}

/** `link` → `Link: transaction events have …` A value of a newer API is shown as it is. */
export function describeProof(value: string): string {
  if (!Object.hasOwn(PROOFS, value)) return value;
  const [title, meaning] = PROOFS[value as IncludedProof];
  return `${title}. ${meaning}`;
}
