// SPDX-License-Identifier: Apache-2.0
import { BaseError } from '@chainwatch/common/problem';

interface UnknownTransaction {
  /** As in UnknownPart: `transaction-version:2`, `transaction-config:7`. */
  readonly kind: string;
  readonly expected: string;
  readonly got: string;
}

/** The transaction is of a kind that this release cannot read from its bytes. */
export class UnknownTransactionError extends BaseError {
  readonly code = 'unknown_transaction';
  readonly retryable = false;
  readonly kind: string;
  readonly expected: string;
  readonly got: string;
  constructor({ kind, expected, got }: UnknownTransaction) {
    super(`expected a transaction of ${expected}, got ${got}`);
    this.kind = kind;
    this.expected = expected;
    this.got = got;
  }
}

export function unknownVersion(version: number): UnknownTransactionError {
  return new UnknownTransactionError({
    kind: `transaction-version:${version}`,
    expected: 'version 0, version 1 or legacy',
    got: `version ${version}`,
  });
}
