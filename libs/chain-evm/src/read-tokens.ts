import type { TokenMetadata } from '@chainwatch/chain-core';
import { decodeText, decodeUint, selectors } from './abi.ts';
import { callContracts, toBlockError } from './call-contracts.ts';
import { tokenAddress } from './read-balances.ts';
import type { Session } from './session.ts';

const methods = [selectors.name, selectors.symbol, selectors.decimals, selectors.totalSupply] as const;

/**
 * Metadata of token contracts, in order. A contract that answers neither `decimals` nor `totalSupply` is not a token;
 * without `decimals` alone it counts whole units; a missing name is its symbol, a missing symbol is empty.
 */
export async function readTokens(
  session: Session,
  assetGids: readonly string[],
  signal?: AbortSignal,
): Promise<(TokenMetadata | undefined)[]> {
  const prefix = `${session.network.gid}/${session.network.tokenNamespace}:`;
  const own = assetGids.filter((gid) => gid.startsWith(prefix));
  const calls = own.flatMap((gid) => methods.map((data) => ({ to: tokenAddress(gid), data })));
  try {
    const results = await callContracts(session, calls, 'latest', signal);
    const tokens = new Map(own.map((gid, index) => [gid, toToken(results.slice(index * methods.length, (index + 1) * methods.length))]));
    return assetGids.map((gid) => tokens.get(gid));
  } catch (error) {
    throw toBlockError(error, 'the latest block');
  }
}

function toToken([name, symbol, decimals, totalSupply]: readonly (string | undefined)[]): TokenMetadata | undefined {
  const places = decodeDecimals(decimals);
  if (places === undefined && decodeUint(totalSupply) === undefined) return undefined;
  const symbolText = decodeText(symbol) ?? '';
  const nameText = decodeText(name) ?? '';
  return { name: nameText === '' ? symbolText : nameText, symbol: symbolText, decimals: places ?? 0 };
}

/** ERC-20's `decimals` is a uint8; what does not fit is not an answer. */
function decodeDecimals(result: string | undefined): number | undefined {
  const value = decodeUint(result);
  return value === undefined || value > 255n ? undefined : Number(value);
}
