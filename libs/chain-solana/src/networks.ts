// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { NetworkCatalogue, networkSchema } from '@chainwatch/chain-core';
import networksJson from './networks.json' with { type: 'json' };

const solanaNetworkSchema = networkSchema.extend({
  // The first 32 characters of the genesis hash; `localnet` is a developer's local cluster.
  gid: networkSchema.shape.gid.regex(/^solana:(?:[1-9A-HJ-NP-Za-km-z]{32}|localnet)$/),
  family: z.literal('solana'),
  native: networkSchema.shape.native.unwrap(),
  token_namespace: z.literal('token'),
});

/** Every known Solana cluster. One that this build has is a document in networks.json, checked once at load. */
export const solanaCatalogue = new NetworkCatalogue(solanaNetworkSchema, networksJson);

/** Those that this build has. */
export const solanaNetworks = solanaCatalogue.builtIn;
