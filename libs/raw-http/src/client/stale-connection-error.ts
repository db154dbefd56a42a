/** A kept connection was lost before a byte of the reply: the server closed it, perhaps before the request came. */
export class StaleConnectionError extends Error {
  override readonly name = 'StaleConnectionError';
  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}
