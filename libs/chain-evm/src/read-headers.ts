// SPDX-License-Identifier: Apache-2.0
import { BlockNotFoundError, ChainClientError, unwrap } from '@chainwatch/chain-core';
import type { BlockHeader, BlockRef } from '@chainwatch/chain-core';
import { isInvalidParams, isMissingBlock, isUnsupported } from './classify-node-error.ts';
import { parseHeader } from './parse-header.ts';
import type { Session } from './session.ts';

export async function readHead(session: Session, signal?: AbortSignal): Promise<BlockHeader> {
  const result = await session.transport.call('eth_getBlockByNumber', ['latest', false], signal);
  if (result === null)
    throw new ChainClientError('eth_getBlockByNumber: expected the latest block, got null');
  return parseHeader(result, session.traits);
}

/** The block that the node calls final; undefined where it has none or does not know the tag. */
export async function findFinalized(session: Session, signal?: AbortSignal): Promise<BlockRef | undefined> {
  const tag = session.network.confirmation.tag ?? 'finalized';
  try {
    const result = await session.transport.call('eth_getBlockByNumber', [tag, false], signal);
    if (result === null) return undefined;
    const { number, hash } = parseHeader(result, session.traits);
    return { number, hash };
  } catch (error) {
    if (isMissingBlock(error) || isInvalidParams(error) || isUnsupported(error) || isUnknownTag(error))
      return undefined;
    throw error;
  }
}

export async function findHeaderByNumber(
  session: Session,
  number: number,
  signal?: AbortSignal,
): Promise<BlockHeader | undefined> {
  const [header] = await readHeaders(session, { from: number, to: number, signal });
  return header;
}

export async function findHeaderByHash(
  session: Session,
  hash: string,
  signal?: AbortSignal,
): Promise<BlockHeader | undefined> {
  try {
    const result = await session.transport.call('eth_getBlockByHash', [hash, false], signal);
    if (result === null) return undefined;
    const header = parseHeader(result, session.traits);
    if (header.hash !== hash)
      throw new ChainClientError(`eth_getBlockByHash: expected ${hash}, got ${header.hash}`);
    return header;
  } catch (error) {
    if (isMissingBlock(error)) return undefined;
    throw error;
  }
}

/** @throws ChainClientError when the headers are not linked: the chain changed meanwhile, or the node mixes two */
export async function readHeaders(
  session: Session,
  { from, to, signal }: { readonly from: number; readonly to: number; readonly signal?: AbortSignal },
): Promise<BlockHeader[]> {
  const calls = [];
  for (let number = from; number <= to; number++) {
    calls.push({ method: 'eth_getBlockByNumber', params: [`0x${number.toString(16)}`, false] });
  }
  const headers: BlockHeader[] = [];
  for (const answer of await session.transport.callMany(calls, signal)) {
    if (answer.type === 'error' && isMissingBlock(answer.error)) break;
    const result = unwrap(answer);
    if (result === null) break;
    const header = parseHeader(result, session.traits);
    expectLinked(from + headers.length, headers.at(-1), header);
    headers.push(header);
  }
  return headers;
}

/** Headers of a range that must be whole. @throws BlockNotFoundError */
export async function requireHeader(
  session: Session,
  number: number,
  signal?: AbortSignal,
): Promise<BlockHeader> {
  const header = await findHeaderByNumber(session, number, signal);
  if (header === undefined) throw new BlockNotFoundError(`block ${number} is not known to the node`);
  return header;
}

function expectLinked(number: number, previous: BlockHeader | undefined, header: BlockHeader): void {
  if (header.number !== number)
    throw new ChainClientError(`eth_getBlockByNumber: expected block ${number}, got ${header.number}`);
  if (previous !== undefined && header.parentHash !== previous.hash) {
    throw new ChainClientError(
      `headers are not linked: expected parent ${previous.hash} of block ${number}, got ${header.parentHash}`,
    );
  }
}

function isUnknownTag(error: unknown): boolean {
  return error instanceof ChainClientError && /finalized|safe|unknown tag|invalid block/i.test(error.message);
}
