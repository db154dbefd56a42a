import type { TokenMetadata } from '@chainwatch/chain-core';
import { metadataCalls, toTokenMetadata } from '@chainwatch/contract-abi';
import { callContracts, toBlockError } from './call-contracts.ts';
import { tokenAddress } from './read-balances.ts';
import type { Session } from './session.ts';

/** Metadata of token contracts, in order; undefined: the contract is not a token. */
export async function readTokens(
  session: Session,
  assetGids: readonly string[],
  signal?: AbortSignal,
): Promise<(TokenMetadata | undefined)[]> {
  const prefix = `${session.network.gid}/${session.network.tokenNamespace}:`;
  const own = assetGids.filter((gid) => gid.startsWith(prefix));
  const calls = own.flatMap((gid) => metadataCalls.map((data) => ({ to: tokenAddress(gid), data })));
  try {
    const results = await callContracts(session, { calls, block: 'latest', signal });
    const count = metadataCalls.length;
    const tokens = new Map(
      own.map((gid, index) => [gid, toTokenMetadata(results.slice(index * count, (index + 1) * count))]),
    );
    return assetGids.map((gid) => tokens.get(gid));
  } catch (error) {
    throw toBlockError(error, 'the latest block');
  }
}
