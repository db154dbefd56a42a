// SPDX-License-Identifier: Apache-2.0
import { ChainClientError, type BlockHeader, type BlockRef } from '@chainwatch/chain-core';
import {
  findEvmFinalized,
  findEvmHeaderByHash,
  readEvmHead,
  readEvmHeaders,
  type EvmSession,
} from './read-evm-headers.ts';
import {
  findSolidified,
  findWalletHeaderByHash,
  findWalletHeaderByNumber,
  readWalletHead,
  type WalletSession,
} from './read-wallet-headers.ts';
import type { Session } from './session.ts';

export function hasWallet(session: Session): session is WalletSession {
  return session.wallet !== undefined;
}

export function hasEvm(session: Session): session is EvmSession {
  return session.evm !== undefined;
}

export function readHead(session: Session, signal?: AbortSignal): Promise<BlockHeader> {
  return hasWallet(session) ? readWalletHead(session, signal) : readEvmHead(requireEvm(session), signal);
}

export async function findFinalized(session: Session, signal?: AbortSignal): Promise<BlockRef | undefined> {
  const solidified = hasWallet(session) ? await findSolidified(session, signal) : undefined;
  return solidified ?? (hasEvm(session) ? findEvmFinalized(session, signal) : undefined);
}

export function findHeaderByHash(
  session: Session,
  hash: string,
  signal?: AbortSignal,
): Promise<BlockHeader | undefined> {
  return hasWallet(session)
    ? findWalletHeaderByHash(session, hash, signal)
    : findEvmHeaderByHash(requireEvm(session), hash, signal);
}

export async function findHeaderByNumber(
  session: Session,
  number: number,
  signal?: AbortSignal,
): Promise<BlockHeader | undefined> {
  return (await readHeaders(session, { from: number, to: number, signal }))[0];
}

/** @throws ChainClientError when the headers are not linked: the chain changed meanwhile, or the node mixes two */
export async function readHeaders(
  session: Session,
  { from, to, signal }: { readonly from: number; readonly to: number; readonly signal?: AbortSignal },
): Promise<BlockHeader[]> {
  // The wallet API has whole blocks in ranges and single headers, no ranges of headers.
  const headers =
    hasEvm(session) && !hasWallet(session)
      ? await readEvmHeaders(session, { from, to, signal })
      : await readEach(session as WalletSession, { from, to, signal });
  for (const [index, header] of headers.entries()) {
    const previous = headers[index - 1];
    if (previous !== undefined && header.parentHash !== previous.hash) {
      throw new ChainClientError(
        `headers are not linked: expected parent ${previous.hash} of block ${header.number}, got ${header.parentHash}`,
      );
    }
  }
  return headers;
}

export function requireEvm(session: Session): EvmSession {
  if (!hasEvm(session))
    throw new ChainClientError('endpoint: expected one of the two interfaces of a node, got none');
  return session;
}

async function readEach(
  session: WalletSession,
  { from, to, signal }: { readonly from: number; readonly to: number; readonly signal?: AbortSignal },
): Promise<BlockHeader[]> {
  const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const found = await Promise.all(numbers.map((number) => findWalletHeaderByNumber(session, number, signal)));
  const end = found.indexOf(undefined);
  return (end < 0 ? found : found.slice(0, end)) as BlockHeader[];
}
