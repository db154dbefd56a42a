// SPDX-License-Identifier: Apache-2.0
import type { TokenMetadata } from '@chainwatch/chain-core';
import { readTokenContracts } from '@chainwatch/contract-abi';
import { callContracts, toBlockError } from './call-contracts.ts';
import { tokenAddress } from './read-balances.ts';
import type { Session } from './session.ts';

/** Metadata of token contracts, in order; undefined: the contract is not a token, or mirrors the native coin. */
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
  const prefix = `${session.network.gid}/${session.network.tokenNamespace}:`;
  const native = `${prefix}${session.traits.nativeTokenContract}`;
  const own = assetGids.filter((gid) => gid.startsWith(prefix) && gid !== native);
  try {
    const found = await readTokenContracts(
      own.map((gid) => ({ to: tokenAddress(gid), moved: moved?.get(gid) })),
      (calls) => callContracts(session, { calls, block: 'latest', signal }),
    );
    const tokens = new Map(own.map((gid, index) => [gid, found[index]]));
    return assetGids.map((gid) => tokens.get(gid));
  } catch (error) {
    throw toBlockError(error, 'the latest block');
  }
}
