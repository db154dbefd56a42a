// SPDX-License-Identifier: Apache-2.0
import type { AskNode, Network, NodeHealth } from '@chainwatch/chain-core';
import { solanaCatalogue } from '../networks.ts';

const GENESIS_CHARACTERS = 32;

/** The reference of a chain's gid is the beginning of its genesis hash. */
export async function readHealth(ask: AskNode, network: Network): Promise<NodeHealth> {
  const [genesis, confirmed, finalized] = await Promise.all([
    ask('getGenesisHash'),
    ask('getSlot', [{ commitment: 'confirmed' }]),
    ask<number>('getSlot', [{ commitment: 'finalized' }]),
  ]);
  return {
    isRightChain: typeof genesis === 'string' ? isGenesisOf(network, genesis) : undefined,
    head:
      typeof confirmed === 'number'
        ? { number: confirmed, hash: `${confirmed}`, final: finalized ?? undefined, timeMs: Date.now() }
        : undefined,
  };
}

/** A local cluster has a genesis of its own: any hash that belongs to no known cluster. */
function isGenesisOf({ gid, isLocal }: Network, genesis: string): boolean {
  const got = `solana:${genesis.slice(0, GENESIS_CHARACTERS)}`;
  return isLocal ? solanaCatalogue.networks.every((other) => other.gid !== got) : gid === got;
}
