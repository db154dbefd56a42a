// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { joinAssetGid, parseChainGid } from '@chainwatch/common/caip';
import type { Network } from '@chainwatch/chain-core';

const CHAIN = parseChainGid('eip155:31337');
export const NATIVE = joinAssetGid(CHAIN, 'slip44:60');
export const TOKEN = joinAssetGid(CHAIN, 'erc20:0x1111111111111111111111111111111111111111');
export const OTHER_TOKEN = joinAssetGid(CHAIN, 'erc20:0x2222222222222222222222222222222222222222');

/** What chains in memory are of, where nothing depends on the catalogue. */
export const network: Network = {
  gid: CHAIN,
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
