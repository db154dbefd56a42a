// SPDX-License-Identifier: Apache-2.0
import { IncompleteBlockError, type BlockRef } from '@chainwatch/chain-core';
import { toHash } from './evm-block.ts';
import type { EvmReceipt } from './evm-types.ts';
import type { VerifiedBlock } from './verify-block.ts';

/**
 * Compares the logs of a node's two interfaces. No root covers logs, and a node that leaves some out in one
 * interface may show them in the other.
 * @throws IncompleteBlockError
 */
export function verifyLogs(
  ref: BlockRef,
  { transactions }: VerifiedBlock,
  receipts: readonly EvmReceipt[],
): void {
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
