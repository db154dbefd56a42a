/** What came over the connection is no HTTP/1.x reply that has one reading only (RFC 9112). */
export class MalformedReplyError extends Error {
  override readonly name = 'MalformedReplyError';
}
