import type { TokenMetadata } from '@chainwatch/chain-core';
import { decodeBytes, metadataCalls, toTokenMetadata } from '@chainwatch/contract-abi';
import { callContracts } from './call-contracts.ts';
import { findContract, findTokenId } from './read-balances.ts';
import type { Session } from './session.ts';

/** Metadata of TRC-20 contracts and, where the wallet API is there, of TRC-10 tokens; in order, undefined for what is no token. */
export async function readTokens(
  session: Session,
  assetGids: readonly string[],
  signal?: AbortSignal,
): Promise<(TokenMetadata | undefined)[]> {
  const contracts = assetGids.filter((gid) => findContract(gid) !== undefined);
  const calls = contracts.flatMap((gid) => metadataCalls.map((data) => ({ to: findContract(gid)!, data })));
  const [results, assets] = await Promise.all([
    callContracts(session, calls, signal),
    Promise.all(assetGids.map((gid) => readAsset(session, gid, signal))),
  ]);
  const count = metadataCalls.length;
  const tokens = new Map(
    contracts.map((gid, index) => [gid, toTokenMetadata(results.slice(index * count, (index + 1) * count))]),
  );
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
