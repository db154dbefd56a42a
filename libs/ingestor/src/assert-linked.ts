import type { BlockHeader } from '@chainwatch/chain-core';
import { BranchMovedError } from './errors.ts';

/**
 * Proves that `headers` ascend within [from, to] and each names the one before as its parent.
 * @throws BranchMovedError: pages of a list read from a node that reorganises meanwhile do not fit together
 */
export function assertLinked(headers: readonly BlockHeader[], from: number, to: number): void {
  headers.forEach((header, position) => {
    if (header.number < from || header.number > to) {
      throw new BranchMovedError(`expected headers ${from} to ${to}, got ${header.number}`);
    }
    const before = headers[position - 1];
    if (before === undefined) return;
    if (header.number <= before.number || header.parentHash !== before.hash) {
      throw new BranchMovedError(
        `expected the parent of block ${header.number} to be ${before.hash}, got ${header.parentHash}`,
      );
    }
  });
}
