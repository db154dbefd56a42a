import { createHash } from 'node:crypto';
import type { Network } from '@chainwatch/chain-core';

export const NATIVE = 'eip155:31337/slip44:60';
export const TOKEN = 'eip155:31337/erc20:0x1111111111111111111111111111111111111111';
export const OTHER_TOKEN = 'eip155:31337/erc20:0x2222222222222222222222222222222222222222';

/** What chains in memory are of, where nothing depends on the catalogue. */
export const network: Network = {
  gid: 'eip155:31337',
  namespace: 'eip155',
  reference: '31337',
  name: 'local',
  shortName: 'local',
  displayName: 'Local',
  imageUrl: 'https://example.com/local.svg',
  family: 'evm',
  isTestnet: true,
  aliases: [],
  native: { gid: NATIVE, symbol: 'ETH', name: 'Ether', decimals: 18 },
  tokenNamespace: 'erc20',
  confirmation: { type: 'depth', depth: 3 },
  blockTimeMs: 1_000,
};

/** A hash as the chain's are, of anything that tells two of them apart. */
export function hashOf(text: string): string {
  return `0x${createHash('sha256').update(text).digest('hex')}`;
}
