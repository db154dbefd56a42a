// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { NetworkCatalogue, networkSchema, traitsSchema } from '@chainwatch/chain-core';
import type { Network } from '@chainwatch/chain-core';
import { bitcoinTraitsSchema } from './bitcoin-traits.ts';
import type { BitcoinTraits } from './bitcoin-traits.ts';
import networksJson from './networks.json' with { type: 'json' };

const bitcoinNetworkSchema = networkSchema.extend({
  gid: networkSchema.shape.gid.regex(/^bip122:[0-9a-f]{32}$/),
  family: z.literal('bitcoin'),
  native: networkSchema.shape.native.unwrap(),
  token_namespace: z.literal('slip44'),
  traits: traitsSchema(bitcoinTraitsSchema),
});

/** Every known Bitcoin network. One that this build has is a document in networks.json, checked once at load. */
export const bitcoinCatalogue = new NetworkCatalogue(bitcoinNetworkSchema, networksJson);

/** Those that this build has. */
export const bitcoinNetworks = bitcoinCatalogue.builtIn;

const traitsOf = new WeakMap<Network, BitcoinTraits>();

/** The typed traits of a network, parsed once for each network object. @throws ZodError when it has none */
export function readTraits(network: Network): BitcoinTraits {
  const known = traitsOf.get(network);
  if (known !== undefined) return known;
  const traits = bitcoinTraitsSchema.parse(network.traits);
  traitsOf.set(network, traits);
  return traits;
}
