// SPDX-License-Identifier: Apache-2.0
import { ChainClientError, unwrap, type BlockHeader, type BlockRef } from '@chainwatch/chain-core';
import type { EvmApi } from './evm-api.ts';
import { parseEvmHeader } from './evm-block.ts';
import type { Session } from './session.ts';

/** A session whose Ethereum-compatible interface is configured. */
export type EvmSession = Session & { readonly evm: EvmApi };

/** The words of nodes that report a missing block as an error instead of answering null. */
const MISSING_TEXT =
  /header not found|header for hash not found|block (num|number|hash)?.{0,20}(not found|does not exist)/i;

export async function readEvmHead(
  { evm, capabilities }: EvmSession,
  signal?: AbortSignal,
): Promise<BlockHeader> {
  const result = await evm.call('eth_getBlockByNumber', ['latest', false], signal);
  if (result === null)
    throw new ChainClientError('eth_getBlockByNumber: expected the latest block, got null');
  return parseEvmHeader(result, capabilities);
}

/** Undefined where the node knows no such tag (java-tron before 4.8). */
export async function findEvmFinalized(
  { evm, capabilities }: EvmSession,
  signal?: AbortSignal,
): Promise<BlockRef | undefined> {
  try {
    const result = await evm.call('eth_getBlockByNumber', ['finalized', false], signal);
    if (result === null) return undefined;
    const { number, hash } = parseEvmHeader(result, capabilities);
    return { number, hash };
  } catch (error) {
    if (
      error instanceof ChainClientError &&
      (error.nodeCode === -32602 || error.nodeCode === -32600 || isMissingBlock(error))
    )
      return undefined;
    throw error;
  }
}

export async function findEvmHeaderByHash(
  { evm, capabilities }: EvmSession,
  hash: string,
  signal?: AbortSignal,
): Promise<BlockHeader | undefined> {
  try {
    const result = await evm.call('eth_getBlockByHash', [`0x${hash}`, false], signal);
    if (result === null) return undefined;
    const header = parseEvmHeader(result, capabilities);
    if (header.hash !== hash)
      throw new ChainClientError(`eth_getBlockByHash: expected ${hash}, got ${header.hash}`);
    return header;
  } catch (error) {
    if (isMissingBlock(error)) return undefined;
    throw error;
  }
}

/** Headers of [from, to], as far as the node has them; the caller must check that they are linked. */
export async function readEvmHeaders(
  { evm, capabilities }: EvmSession,
  { from, to, signal }: { readonly from: number; readonly to: number; readonly signal?: AbortSignal },
): Promise<BlockHeader[]> {
  const calls = Array.from({ length: to - from + 1 }, (_, index) => ({
    method: 'eth_getBlockByNumber',
    params: [`0x${(from + index).toString(16)}`, false],
  }));
  const headers: BlockHeader[] = [];
  for (const answer of await evm.callMany(calls, signal)) {
    if (answer.type === 'error' && isMissingBlock(answer.error)) break;
    const result = unwrap(answer);
    if (result === null) break;
    const header = parseEvmHeader(result, capabilities);
    if (header.number !== from + headers.length)
      throw new ChainClientError(
        `eth_getBlockByNumber: expected block ${from + headers.length}, got ${header.number}`,
      );
    headers.push(header);
  }
  return headers;
}

export function isMissingBlock(error: unknown): boolean {
  return (
    error instanceof ChainClientError && error.nodeCode !== undefined && MISSING_TEXT.test(error.message)
  );
}
