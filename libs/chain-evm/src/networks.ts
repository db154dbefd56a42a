import { z } from 'zod';
import { networkSchema, parseNetworks } from '@chainwatch/chain-core';
import type { Network } from '@chainwatch/chain-core';
import { evmTraitsSchema } from './evm-traits.ts';
import type { EvmTraits } from './evm-traits.ts';
import networksJson from './networks.json' with { type: 'json' };

const evmNetworkSchema = networkSchema.extend({
  gid: networkSchema.shape.gid.regex(/^eip155:[1-9]\d*$/),
  family: z.literal('evm'),
  tokenNamespace: z.enum(['erc20', 'bep20']),
  traits: evmTraitsSchema,
});

/** Every known EVM network, checked once at load. A new one is a row in networks.json. */
export const evmNetworks: readonly Network[] = parseNetworks(evmNetworkSchema, networksJson);

// Read for every block, so parsed only once for each network object.
const traitsOf = new WeakMap<Network, EvmTraits>();

/** The typed traits of a network; a network that an operator added without traits counts as plain Ethereum. */
export function readTraits(network: Network): EvmTraits {
  const known = traitsOf.get(network);
  if (known !== undefined) return known;
  const traits = evmTraitsSchema.parse(network.traits ?? { stack: 'ethereum' });
  traitsOf.set(network, traits);
  return traits;
}
