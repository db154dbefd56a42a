/** NATS did not answer. Nothing is lost: the outbox in PostgreSQL still holds what could not be published. */
export class BusUnavailableError extends Error {
  readonly code = 'bus_unavailable';
  readonly retryable = true;
  readonly publicMessage = 'The message bus is not available.';
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'BusUnavailableError';
  }
}
