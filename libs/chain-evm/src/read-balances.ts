// SPDX-License-Identifier: Apache-2.0
import { splitAssetGid } from '@chainwatch/common/caip';
import { BlockNotFoundError, ChainClientError, unwrap } from '@chainwatch/chain-core';
import type { BalanceQuery, BlockRef } from '@chainwatch/chain-core';
import { decodeUint, encodeBalanceOf } from '@chainwatch/ethereum/abi';
import { callContracts, toBlockError } from './call-contracts.ts';
import type { BlockParameter } from './call-contracts.ts';
import { isInvalidParams } from './classify-node-error.ts';
import { encodeGetEthBalance, MULTICALL3_ADDRESS } from './multicall.ts';
import { requireHeader } from './read-headers.ts';
import type { Session } from './session.ts';

type Balances = (bigint | undefined)[];

/**
 * Balances at a block. The block is named by its hash. A node that takes only numbers is asked before and
 * after which hash it has at that number.
 * @throws BlockNotFoundError, ChainClientError
 */
export async function readBalances(
  session: Session,
  {
    at,
    queries,
    signal,
  }: { readonly at: BlockRef; readonly queries: readonly BalanceQuery[]; readonly signal?: AbortSignal },
): Promise<Balances> {
  if (queries.length === 0) return [];
  try {
    if (session.capabilities.hasBlockByHash) {
      try {
        return await readAt(session, { block: { blockHash: at.hash }, queries, signal });
      } catch (error) {
        if (!isInvalidParams(error)) throw error;
        session.capabilities.hasBlockByHash = false;
      }
    }
    await expectCanonical(session, at, signal);
    const balances = await readAt(session, { block: `0x${at.number.toString(16)}`, queries, signal });
    await expectCanonical(session, at, signal);
    return balances;
  } catch (error) {
    throw toBlockError(error, `block ${at.number} ${at.hash}`);
  }
}

async function readAt(
  session: Session,
  {
    block,
    queries,
    signal,
  }: {
    readonly block: BlockParameter;
    readonly queries: readonly BalanceQuery[];
    readonly signal?: AbortSignal;
  },
): Promise<Balances> {
  const { network, capabilities } = session;
  const useMulticall = capabilities.hasMulticall && queries.length > 1;
  const natives = queries.filter(({ assetGid }) => assetGid === network.native?.gid);
  const tokens = queries.filter(({ assetGid }) => assetGid !== network.native?.gid);
  const tokenCalls = tokens.map((query) => ({
    to: tokenAddress(query.assetGid),
    data: encodeBalanceOf(query.address),
  }));
  const nativeCalls = useMulticall
    ? natives.map(({ address }) => ({
        to: MULTICALL3_ADDRESS,
        data: encodeGetEthBalance(address),
      }))
    : [];
  const [direct, results] = await Promise.all([
    useMulticall ? [] : readNative(session, { block, queries: natives, signal }),
    callContracts(session, { calls: [...nativeCalls, ...tokenCalls], block, signal }),
  ]);
  const words = results.map(decodeUint);
  let native = useMulticall ? words.slice(0, natives.length) : direct;
  if (native.includes(undefined)) native = await readNative(session, { block, queries: natives, signal });
  const token = words.slice(nativeCalls.length);
  let nextNative = 0;
  let nextToken = 0;
  return queries.map(({ assetGid }) =>
    assetGid === network.native?.gid ? native[nextNative++] : token[nextToken++],
  );
}

async function readNative(
  session: Session,
  {
    block,
    queries,
    signal,
  }: {
    readonly block: BlockParameter;
    readonly queries: readonly BalanceQuery[];
    readonly signal?: AbortSignal;
  },
): Promise<Balances> {
  const calls = queries.map(({ address }) => ({ method: 'eth_getBalance', params: [address, block] }));
  return (await session.transport.callMany(calls, signal)).map((answer) => {
    const result = unwrap(answer);
    if (typeof result !== 'string' || !/^0x[0-9a-fA-F]+$/.test(result)) {
      throw new ChainClientError(
        `eth_getBalance: expected a quantity, got ${result === null ? 'null' : typeof result}`,
      );
    }
    return BigInt(result);
  });
}

async function expectCanonical(session: Session, at: BlockRef, signal?: AbortSignal): Promise<void> {
  const { hash } = await requireHeader(session, at.number, signal);
  if (hash !== at.hash)
    throw new BlockNotFoundError(`block ${at.number}: expected ${at.hash}, the node has ${hash} there`);
}

/** The contract of a token's CAIP-19 gid. */
export function tokenAddress(assetGid: string): string {
  return splitAssetGid(assetGid).reference;
}
