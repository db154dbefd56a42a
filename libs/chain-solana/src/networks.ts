import { z } from 'zod';
import { networkSchema, parseNetworks } from '@chainwatch/chain-core';
import type { Network } from '@chainwatch/chain-core';
import networksJson from './networks.json' with { type: 'json' };

const solanaNetworkSchema = networkSchema.extend({
  // The first 32 characters of the genesis hash; `localnet` is a developer's local cluster.
  gid: networkSchema.shape.gid.regex(/^solana:(?:[1-9A-HJ-NP-Za-km-z]{32}|localnet)$/),
  family: z.literal('solana'),
  tokenNamespace: z.literal('token'),
});

/** Every known Solana cluster, checked once at load. A new one is a row in networks.json. */
export const solanaNetworks: readonly Network[] = parseNetworks(solanaNetworkSchema, networksJson);
