import { z } from 'zod';
import { networkSchema, parseNetworks } from '@chainwatch/chain-core';
import type { Network } from '@chainwatch/chain-core';
import networksJson from './networks.json' with { type: 'json' };

const tronNetworkSchema = networkSchema.extend({
  gid: networkSchema.shape.gid.regex(/^tron:0x[0-9a-f]{1,16}$/),
  family: z.literal('tron'),
  tokenNamespace: z.literal('trc20'),
});

/** Every known TRON network, checked once at load. A new one is a row in networks.json. */
export const tronNetworks: readonly Network[] = parseNetworks(tronNetworkSchema, networksJson);
