/** The bytes received are not an unambiguous HTTP/1.x reply (RFC 9112). */
export class MalformedReplyError extends Error {
  override readonly name = 'MalformedReplyError';
}
