import type { ChainNotation } from '@chainwatch/chain-core';
import { tronNetworks } from './networks.ts';
import { parseAddress } from './parse-address.ts';
import { parseAssetPath } from './parse-asset-path.ts';

/** TRON as it is written. No client: its chains stand in the catalogue, and cannot be followed. */
export const tronFamily: ChainNotation = { name: 'tron', namespace: 'tron', networks: tronNetworks, parseAddress, parseAssetPath };
