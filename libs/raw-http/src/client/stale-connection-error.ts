/**
 * A kept connection was lost before the first byte of the reply: the server had closed it, perhaps before the request
 * arrived.
 */
export class StaleConnectionError extends Error {
  override readonly name = 'StaleConnectionError';
  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}
