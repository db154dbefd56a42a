// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { NetworkCatalogue, networkSchema } from '@chainwatch/chain-core';
import networksJson from './networks.json' with { type: 'json' };

const tronNetworkSchema = networkSchema.extend({
  gid: networkSchema.shape.gid.regex(/^tron:0x[1-9a-f][0-9a-f]{0,15}$/),
  family: z.literal('tron'),
  native: networkSchema.shape.native.unwrap(),
  token_namespace: z.literal('trc20'),
});

/** Every known TRON network. One that this build has is a document in networks.json, checked once at load. */
export const tronCatalogue = new NetworkCatalogue(tronNetworkSchema, networksJson);

/** Those that this build has. */
export const tronNetworks = tronCatalogue.builtIn;
