import type { ChainNotation } from '@chainwatch/chain-core';
import { solanaNetworks } from './networks.ts';
import { parseAddress } from './parse-address.ts';
import { parseAssetPath } from './parse-asset-path.ts';

/** Solana as it is written. No client: its chains stand in the catalogue, and cannot be followed. */
export const solanaFamily: ChainNotation = { name: 'solana', namespace: 'solana', networks: solanaNetworks, parseAddress, parseAssetPath };
