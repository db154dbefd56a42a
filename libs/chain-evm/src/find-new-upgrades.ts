// SPDX-License-Identifier: Apache-2.0
import { askIfServed, timeOfUpgrade, type NodeUpgrade, type Upgrade } from '@chainwatch/chain-core';
import { z } from 'zod';
import type { RpcTransport } from './rpc-transport.ts';

const forkSchema = z.object({ activationTime: z.int().nonnegative(), forkId: z.string().max(80) });
/** EIP-7910: the fork in force, and the next one that the node is configured for. */
const configSchema = z.object({ current: forkSchema, next: forkSchema.nullish() });

/** Forks of the node's configuration that no row of `known` has. Undefined for a node without `eth_config`. */
export async function findNewUpgrades(
  transport: Pick<RpcTransport, 'call'>,
  known: readonly Upgrade[],
  signal?: AbortSignal,
): Promise<readonly NodeUpgrade[] | undefined> {
  const answer = configSchema.safeParse(await askIfServed(transport.call('eth_config', [], signal)));
  if (!answer.success) return undefined;
  const { current, next } = answer.data;
  const firstMs = Math.min(...known.map((row) => timeOfUpgrade(row) ?? Infinity));
  const forks = [
    // Older ones than the calendar are nothing new.
    ...(current.activationTime * 1_000 > firstMs ? [{ fork: current, isActive: true }] : []),
    ...(next ? [{ fork: next, isActive: false }] : []),
  ];
  return forks.flatMap(({ fork, isActive }) => {
    const at = new Date(fork.activationTime * 1_000).toISOString();
    return known.some((row) => isAt(row, at)) ? [] : [{ name: `fork ${fork.forkId}`, isActive, at }];
  });
}

/** A row with a day alone has every moment of that day. */
function isAt({ date }: Upgrade, at: string): boolean {
  if (date === null) return false;
  return date.length === 10 ? at.startsWith(date) : Date.parse(date) === Date.parse(at);
}
