// SPDX-License-Identifier: Apache-2.0
import { loadExpressions, type ChannelFilters, type ChannelKind } from '@chainwatch/channels';
import { invalidRequest } from '@chainwatch/common/problem';
import type { ApiDeps } from '../api-deps.ts';
import { checkOutboundUrl } from '../server/check-outbound-url.ts';
import { splitAssetGid } from '@chainwatch/common/caip';
import { findNetwork, normalizeChainGid } from '@chainwatch/chain-registry';
import { tryAssetGid } from '../assets/find-asset.ts';

/**
 * Checks what the request's schema cannot, and resolves to what was given with its filters in one spelling. @throws
 * ProblemError 400, or 422 for a URL that leads into a blocked range
 */
export async function checkChannel<G extends { readonly filters?: unknown }>(
  kind: ChannelKind,
  given: G,
  { dial, settings }: Pick<ApiDeps, 'dial' | 'settings'>,
): Promise<G> {
  const context = {
    allowsHttp: settings.allowHttpWebhooks,
    checkUrl: (url: string, protocols: readonly string[]) => checkOutboundUrl(url, dial, protocols),
  };
  await kind.check?.(given, context, settings.channelOptions[kind.kind] ?? {});
  if (given.filters === undefined) return given;
  const filters = given.filters as ChannelFilters;
  if (typeof filters.expression === 'string') await checkExpression(filters.expression);
  return { ...given, filters: await canonicalizeFilters(filters) };
}

/** @throws ProblemError 400 with the line and column of what is refused */
async function checkExpression(text: string): Promise<void> {
  const { compileExpression, ExpressionError } = await loadExpressions();
  try {
    compileExpression(text);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    throw invalidRequest([{ name: 'filters.expression', reason: error.message }]);
  }
}

/**
 * Filters as events have what they name: they are compared letter by letter, so that another spelling (EIP-55, `erc20:` on
 * BSC, `tron:mainnet`, a UUID in upper case) would let nothing through.
 * @throws ProblemError 400 for an asset that its chain cannot have: no event ever has it
 */
async function canonicalizeFilters<F extends ChannelFilters>(filters: F): Promise<F> {
  const { chain_gids: chains, asset_gids: assets, address_ids: addresses } = filters;
  return {
    ...filters,
    ...(chains && { chain_gids: distinct(chains.map(normalizeChainGid)) }),
    ...(assets && { asset_gids: distinct(await Promise.all(assets.map(canonicalizeAsset))) }),
    ...(addresses && { address_ids: distinct(addresses.map((id) => id.toLowerCase())) }),
  };
}

/** Chains that this release does not know stay as they are. */
async function canonicalizeAsset(gid: string, index: number): Promise<string> {
  const { chainGid, namespace, reference } = splitAssetGid(gid);
  const network = findNetwork(normalizeChainGid(chainGid));
  if (network === undefined) return gid;
  const canonical = await tryAssetGid(network, `${namespace}:${reference}`);
  if (canonical !== undefined) return canonical;
  throw invalidRequest([
    { name: `filters.asset_gids[${index}]`, reason: `expected an asset of ${network.gid}, got ${gid}` },
  ]);
}

const distinct = (values: readonly string[]): string[] => [...new Set(values)];
