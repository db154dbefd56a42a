// SPDX-License-Identifier: Apache-2.0
import { BaseError } from '@chainwatch/common/problem';

/** Another attempt has begun, or the statement was deleted: this one writes nothing more. */
export class StatementLostError extends BaseError {
  readonly code = 'statement_lost';
  readonly retryable = false;

  constructor(id: string) {
    super(`expected to hold the statement ${id}, got another attempt or none`);
  }
}

/** Trying again changes nothing; the reason is for its reader. */
export class StatementImpossibleError extends BaseError {
  readonly code = 'statement_impossible';
  readonly retryable = false;

  constructor(reason: string) {
    super(reason, { publicMessage: reason });
  }
}

/** A block that the statement stands on is no longer on its chain. */
export class WindowChangedError extends BaseError {
  readonly code = 'statement_window_changed';
  readonly retryable = true;

  constructor(chainGid: string, number: number) {
    super(`block ${number} of ${chainGid} was replaced while the statement was written`);
  }
}
