// SPDX-License-Identifier: Apache-2.0
import { unwrap } from '@chainwatch/chain-core';
import type { Outpoint } from '@chainwatch/chain-core';
import { z } from 'zod';
import type { Session } from './session.ts';

const outputSchema = z.object({ coinbase: z.boolean() });

/**
 * Which of some coins a coinbase created, by `<txid>:<vout>`, from the node's UTXO set. A coin that was spent
 * meanwhile has no entry.
 */
export async function findCoinbaseOutpoints(
  session: Session,
  outpoints: readonly Outpoint[],
  signal?: AbortSignal,
): Promise<Map<string, boolean>> {
  const calls = outpoints.map(({ txid, vout }) => ({ method: 'gettxout', params: [txid, vout, false] }));
  const answers = await session.rpc.callMany(calls, signal);
  const told = new Map<string, boolean>();
  for (const [index, answer] of answers.entries()) {
    const outpoint = outpoints[index];
    const output = outputSchema.safeParse(unwrap(answer));
    if (outpoint !== undefined && output.success)
      told.set(`${outpoint.txid}:${outpoint.vout}`, output.data.coinbase);
  }
  return told;
}
