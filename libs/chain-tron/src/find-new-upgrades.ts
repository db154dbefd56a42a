// SPDX-License-Identifier: Apache-2.0
import { askIfServed, isActiveUpgrade, type NodeUpgrade, type Upgrade } from '@chainwatch/chain-core';
import { z } from 'zod';
import { KNOWN_GATES } from './known-gates.ts';
import type { WalletApi } from './wallet-api.ts';

const answerSchema = z.object({
  chainParameter: z.array(z.object({ key: z.string().max(80), value: z.int().default(0) })),
});
/** Parameters by which a vote switches new rules on. */
const GATE = /^getAllow/;

/**
 * Gates of the chain that neither this release nor a row of `known` has, and those that are open although their row has no
 * past date. Undefined for a node that does not tell.
 */
export async function findNewUpgrades(
  wallet: Pick<WalletApi, 'call'>,
  {
    known,
    nowMs,
    signal,
  }: { readonly known: readonly Upgrade[]; readonly nowMs: number; readonly signal?: AbortSignal },
): Promise<readonly NodeUpgrade[] | undefined> {
  const answer = answerSchema.safeParse(
    await askIfServed(wallet.call('wallet/getchainparameters', {}, signal)),
  );
  if (!answer.success) return undefined;
  return answer.data.chainParameter.flatMap(({ key, value }) => {
    const isActive = value > 0;
    const row = known.find(({ signals }) => signals.includes(key));
    if (row !== undefined)
      return isActive && !isActiveUpgrade(row, nowMs) ? [{ name: `${row.name} ${key}`, isActive }] : [];
    return GATE.test(key) && !KNOWN_GATES.has(key) ? [{ name: key, isActive }] : [];
  });
}
