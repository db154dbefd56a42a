// SPDX-License-Identifier: Apache-2.0
import type { AskNode, Network, NodeHealth } from '@chainwatch/chain-core';

interface Block {
  readonly number?: unknown;
  readonly hash?: string;
  readonly timestamp?: unknown;
}

/** The cheapest question. */
export const ETHEREUM_PROBE = 'eth_chainId';

/** The reference of a chain's gid is its number, in decimal or hexadecimal. */
export async function readEthereumHealth(ask: AskNode, network: Network): Promise<NodeHealth> {
  const [chainId, latest, final] = await Promise.all([
    ask('eth_chainId'),
    ask<Block>('eth_getBlockByNumber', ['latest', false]),
    ask<Block>('eth_getBlockByNumber', ['finalized', false]),
  ]);
  const id = readQuantity(chainId);
  const number = readQuantity(latest?.number) ?? readQuantity(await ask('eth_blockNumber'));
  return {
    isRightChain: id === undefined ? undefined : id === Number(network.reference),
    head:
      number === undefined
        ? undefined
        : {
            number,
            hash: latest?.hash ?? `${number}`,
            final: readQuantity(final?.number) ?? number - network.confirmation.depth,
            timeMs: toMs(readQuantity(latest?.timestamp)),
          },
  };
}

function toMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1_000;
}

function readQuantity(value: unknown): number | undefined {
  return typeof value === 'string' && /^0x[0-9a-f]{1,13}$/i.test(value) ? Number(value) : undefined;
}
