// SPDX-License-Identifier: Apache-2.0
import type { Policy } from '../../api/chain-queries.ts';

/** `Confirmed after 3 confirmations.` */
export function describePolicy(policy: Policy | null): string {
  if (policy === null) return 'No policy of this project: the default of the chain applies.';
  if (policy.depth === null) return 'Confirmed when the chain says that its block is final.';
  const confirmations = `${policy.depth} ${policy.depth === 1 ? 'confirmation' : 'confirmations'}`;
  const warning = ` Below the ${policy.chain_default.depth} of the chain: a reorg may undo a confirmed payment.`;
  return `Confirmed after ${confirmations}.${policy.is_unsafe ? warning : ''}`;
}

/** Confirmations of a chain by default, from the document of its network. */
export function leastDepthOf(network: unknown): number | undefined {
  const { confirmation } = (network ?? {}) as { readonly confirmation?: { readonly depth?: unknown } };
  return typeof confirmation?.depth === 'number' ? confirmation.depth : undefined;
}
