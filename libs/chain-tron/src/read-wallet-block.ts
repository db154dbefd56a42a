// SPDX-License-Identifier: Apache-2.0
import {
  BlockNotFoundError,
  IncompleteBlockError,
  settleUnknowns,
  type Block,
  type BlockRef,
  type ReadBlockOptions,
  type UnknownPart,
} from '@chainwatch/chain-core';
import { decodeBlock } from './decode-block.ts';
import { readLookups } from './read-lookups.ts';
import { readReceipts } from './read-receipts.ts';
import { hasEvm } from './read-headers.ts';
import { findWalletBlock, findWalletHeaderByNumber, type WalletSession } from './read-wallet-headers.ts';
import { verifyBlock, type VerifiedBlock } from './verify-block.ts';
import { parseInfos } from './parse-wallet-block.ts';
import type { TransactionInfo, WalletBlock } from './wallet-block.ts';
import { toHash } from './evm-block.ts';
import type { EvmReceipt } from './evm-types.ts';

/** A block by the wallet API; with the Ethereum-compatible interface beside it, its logs are those of both. */
export async function readWalletBlock(
  session: WalletSession,
  {
    ref,
    signal,
    options,
  }: { readonly ref: BlockRef; readonly signal?: AbortSignal; readonly options?: ReadBlockOptions },
): Promise<Block> {
  const body = findWalletBlock(session, ref.hash, signal);
  const [block, infos, receipts] = await Promise.all([
    body,
    readInfos(session, ref, signal),
    hasEvm(session)
      ? readReceipts(session, { ref, body: async () => listHashes(ref, await body), signal })
      : undefined,
  ]);
  if (block === undefined) throw notFound(ref);
  const verified = verifyBlock(ref, block, infos);
  if (receipts !== undefined) verifyLogs(ref, verified, receipts);
  const { lookups, unknowns } = await readLookups(session, verified, signal);
  return settleUnknowns(
    decodeBlock(session.network, withUnproved(verified, unknowns), lookups),
    [...verified.unknowns, ...unknowns],
    options,
  );
}

/** What a transaction refers to and the node does not tell leaves a part of it open. */
function withUnproved(verified: VerifiedBlock, unknowns: readonly UnknownPart[]): VerifiedBlock {
  if (unknowns.length === 0) return verified;
  const hashes = new Set(unknowns.map(({ transactionHash }) => transactionHash));
  return {
    ...verified,
    transactions: verified.transactions.map((tx) => (hashes.has(tx.hash) ? { ...tx, isUnproved: true } : tx)),
  };
}

/** Records are read by number. If they belong to another block, the node has moved on and they do not fit `ref`. */
async function readInfos(
  session: WalletSession,
  ref: BlockRef,
  signal?: AbortSignal,
): Promise<readonly TransactionInfo[]> {
  const infos = parseInfos(
    'gettransactioninfobyblocknum',
    await session.wallet.call('wallet/gettransactioninfobyblocknum', { num: ref.number }, signal),
  );
  // The same transactions may have other effects in another block of this height, and records are always of
  // the canonical one.
  const canonical = await findWalletHeaderByNumber(session, ref.number, signal);
  if (canonical?.hash !== ref.hash) throw notFound(ref);
  if (infos === undefined && ref.number > 0)
    throw new IncompleteBlockError(
      `block ${ref.number} ${ref.hash}: expected the records of its transactions, got none`,
    );
  return infos ?? [];
}

/** For receipts, which old nodes tell one by one. */
function listHashes(ref: BlockRef, block: WalletBlock | undefined): { transactions: { hash: string }[] } {
  if (block === undefined) throw notFound(ref);
  return { transactions: (block.transactions ?? []).map(({ txID }) => ({ hash: `0x${txID}` })) };
}

function notFound({ number, hash }: BlockRef): BlockNotFoundError {
  return new BlockNotFoundError(`block ${number} ${hash} is not known to the node`);
}

/**
 * Compares the logs of a node's two interfaces. No root covers logs, and a node that leaves some out in one
 * interface may show them in the other.
 * @throws IncompleteBlockError
 */
function verifyLogs(ref: BlockRef, { transactions }: VerifiedBlock, receipts: readonly EvmReceipt[]): void {
  const told = new Map(receipts.map((receipt) => [toHash(receipt.transactionHash), receipt]));
  for (const { hash, info } of transactions) {
    const own = (info.log ?? []).map(({ address = '', topics = [], data = '' }) =>
      [address, ...topics, data].join(' '),
    );
    const others = told
      .get(hash)
      ?.logs.map(({ address, topics, data }) =>
        [address, ...topics, data].map((hex) => hex.slice(2)).join(' '),
      );
    if (others?.join('\n') === own.join('\n')) continue;
    const got =
      others === undefined ? 'no receipt' : others.length === own.length ? 'others' : `${others.length}`;
    throw new IncompleteBlockError(
      `logs of transaction ${hash} in block ${ref.number} ${ref.hash}: expected the ${own.length} of its record in its receipt, got ${got}`,
    );
  }
}
