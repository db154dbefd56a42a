import { BaseError } from '@chainwatch/problem';

/** `code` is what classifyFailure knows. */
export class TimeoutError extends BaseError {
  /** A bundle renames a class that has the name of another package's. */
  override readonly name = 'TimeoutError';
  readonly code = 'ETIMEDOUT';
  readonly retryable = true;
  constructor(timeoutMs: number) {
    super(`the NATS server did not confirm the message within ${timeoutMs} ms`);
  }
}

/** The server closed the connection before it confirmed the message. */
export class ConnectionLostError extends BaseError {
  readonly code = 'ECONNRESET';
  readonly retryable = true;
  constructor(cause: unknown) {
    super('the NATS server closed the connection before it confirmed the message', { cause });
  }
}

/** A stream takes the subject, but did not acknowledge the message. */
export class NotAcknowledgedError extends BaseError {
  readonly code = 'not_acknowledged';
  readonly retryable = true;
  constructor(cause: unknown) {
    super(
      `the stream did not acknowledge the message: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    );
  }
}
