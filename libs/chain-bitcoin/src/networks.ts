import { z } from 'zod';
import { networkSchema, parseNetworks } from '@chainwatch/chain-core';
import type { Network } from '@chainwatch/chain-core';
import { bitcoinTraitsSchema } from './bitcoin-traits.ts';
import type { BitcoinTraits } from './bitcoin-traits.ts';
import networksJson from './networks.json' with { type: 'json' };

const bitcoinNetworkSchema = networkSchema.extend({
  gid: networkSchema.shape.gid.regex(/^bip122:[0-9a-f]{32}$/),
  family: z.literal('bitcoin'),
  tokenNamespace: z.literal('slip44'),
  traits: bitcoinTraitsSchema,
});

/** Every known Bitcoin network, checked once at load. A new one is a row in networks.json. */
export const bitcoinNetworks: readonly Network[] = parseNetworks(bitcoinNetworkSchema, networksJson);

const traitsOf = new WeakMap<Network, BitcoinTraits>();

/** The typed traits of a network, parsed once for each network object. @throws ZodError when it has none */
export function readTraits(network: Network): BitcoinTraits {
  const known = traitsOf.get(network);
  if (known !== undefined) return known;
  const traits = bitcoinTraitsSchema.parse(network.traits);
  traitsOf.set(network, traits);
  return traits;
}
