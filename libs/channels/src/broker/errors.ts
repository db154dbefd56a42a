// SPDX-License-Identifier: Apache-2.0
import { BaseError } from '@chainwatch/common/problem';

/** `code` is what classifyFailure knows. */
export class TimeoutError extends BaseError {
  /** A bundle renames a class that has the name of another package's. */
  override readonly name = 'TimeoutError';
  readonly code = 'ETIMEDOUT';
  readonly retryable = true;
  constructor(timeoutMs: number) {
    super(`the server did not confirm the message within ${timeoutMs} ms`);
  }
}

/** The server closed the connection before it confirmed the message. */
export class ConnectionLostError extends BaseError {
  readonly code = 'ECONNRESET';
  readonly retryable = true;
  constructor(cause: unknown) {
    super('the server closed the connection before it confirmed the message', { cause });
  }
}

/** The server did not say that it stored the message. */
export class NotAcknowledgedError extends BaseError {
  readonly code = 'not_acknowledged';
  readonly retryable = true;
  constructor(cause: unknown) {
    super(
      `the server did not acknowledge the message: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    );
  }
}

/** The server said what no client may read on after. */
export class InvalidAnswerError extends BaseError {
  readonly code = 'invalid_answer';
  readonly retryable = true;
  constructor(got: unknown) {
    super(
      `expected answers of its protocol, got ${got instanceof Error ? `what cannot be read: ${got.message}` : String(got)}`,
      { cause: got instanceof Error ? got : undefined },
    );
  }
}
