// SPDX-License-Identifier: Apache-2.0
import { BaseError } from '@chainwatch/common/problem';

/** NATS did not answer. Nothing is lost: the outbox in PostgreSQL still holds what could not be published. */
export class BusUnavailableError extends BaseError {
  readonly code = 'bus_unavailable';
  readonly retryable = true;
  constructor(message: string, cause?: unknown) {
    super(message, { cause, publicMessage: 'The message bus is not available.' });
  }
}
