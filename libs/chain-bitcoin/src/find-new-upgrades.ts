// SPDX-License-Identifier: Apache-2.0
import { askIfServed, isActiveUpgrade, type NodeUpgrade, type Upgrade } from '@chainwatch/chain-core';
import { z } from 'zod';
import type { RpcClient } from './rpc-client.ts';

/** `getdeploymentinfo`, since Bitcoin Core 23. */
const answerSchema = z.object({
  deployments: z.record(
    z.string().max(80),
    z.object({ active: z.boolean(), bip9: z.object({ status: z.string() }).optional() }),
  ),
});
/** Deployments of every node of these years; `testdummy` is none. */
const OLD = new Set(['bip34', 'bip66', 'bip65', 'csv', 'segwit', 'taproot', 'testdummy']);

/**
 * Deployments of the node that no row of `known` has, or that are active although their row has no past date. Undefined for
 * a node without `getdeploymentinfo`.
 */
export async function findNewUpgrades(
  rpc: Pick<RpcClient, 'call'>,
  {
    known,
    nowMs,
    signal,
  }: { readonly known: readonly Upgrade[]; readonly nowMs: number; readonly signal?: AbortSignal },
): Promise<readonly NodeUpgrade[] | undefined> {
  const answer = answerSchema.safeParse(await askIfServed(rpc.call('getdeploymentinfo', [], { signal })));
  if (!answer.success) return undefined;
  return Object.entries(answer.data.deployments).flatMap(([name, { active: isActive, bip9 }]) => {
    if (OLD.has(name) || bip9?.status === 'failed') return [];
    const row = known.find(({ signals }) => signals.includes(name));
    if (row === undefined) return [{ name, isActive }];
    return isActive && !isActiveUpgrade(row, nowMs) ? [{ name: row.name, isActive }] : [];
  });
}
