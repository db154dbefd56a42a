// SPDX-License-Identifier: Apache-2.0
import type { TokenMetadata } from '@chainwatch/chain-core';
import { decodeBytes, readTokenContracts } from '@chainwatch/contract-abi';
import { callContracts } from './call-contracts.ts';
import { findContract, findTokenId } from './read-balances.ts';
import type { Session } from './session.ts';

/** Metadata of TRC-20 and TRC-721 contracts and, where the wallet API is there, of TRC-10 tokens; in order, undefined for what is no token. */
export async function readTokens(
  session: Session,
  {
    assetGids,
    moved,
    signal,
  }: {
    readonly assetGids: readonly string[];
    readonly moved?: ReadonlyMap<string, bigint> | undefined;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<(TokenMetadata | undefined)[]> {
  const contracts = assetGids.filter((gid) => findContract(gid) !== undefined);
  const [found, assets] = await Promise.all([
    readTokenContracts(
      contracts.map((gid) => ({ to: findContract(gid)!, moved: moved?.get(gid) })),
      (calls) => callContracts(session, calls, signal),
    ),
    Promise.all(assetGids.map((gid) => readAsset(session, gid, signal))),
  ]);
  const tokens = new Map(contracts.map((gid, index) => [gid, found[index]]));
  return assetGids.map((gid, index) => tokens.get(gid) ?? assets[index]);
}

async function readAsset(
  { wallet }: Session,
  gid: string,
  signal?: AbortSignal,
): Promise<TokenMetadata | undefined> {
  const id = findTokenId(gid);
  if (id === undefined || wallet === undefined) return undefined;
  const asset = await wallet.call('wallet/getassetissuebyid', { value: id }, signal);
  if (typeof asset !== 'object' || asset === null || !('name' in asset)) return undefined;
  const { name, abbr = '', precision = 0 } = asset as { name: string; abbr?: string; precision?: number };
  return { name: decodeBytes(name), symbol: decodeBytes(abbr === '' ? name : abbr), decimals: precision };
}
