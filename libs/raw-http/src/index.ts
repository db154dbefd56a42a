/**
 * HTTP/1.1 read and written by hand, where an HTTP library would cost more than the call itself: connections to servers
 * (`client/`) and connections of clients (`server/`). README.md has the rules, the limits and the figures.
 *
 * @example
 * const http = createHttpServer({ handle, payers, headerNames: new Set(['content-type']), answerOther, isPlain: false });
 * http.server.listen(8080);
 * const pool = new ConnectionPool({ openSocket, clock, connectionsMax: 256 });
 * pool.send(handler, `${writeRequestLine('POST', '/')}${headers}Content-Length: 2\r\n\r\n`, Buffer.from('{}'));
 */
export { ConnectionPool } from './client/connection-pool.ts';
export { LARGE_BUFFER_BYTES, LargeBuffer } from './client/large-buffer.ts';
export { StaleConnectionError, type ReplyHandler, type ReplySource } from './client/pooled-connection.ts';
export type { ReplyHead, WireHead } from './client/read-reply-head.ts';
export { writeHeaders, writeRequestLine } from './client/request-head.ts';
export { createHttpServer, type HttpServer } from './server/create-http-server.ts';
export {
  BodyHeldError,
  BodyTooLargeError,
  type BodyPayers,
  type ReceivedBody,
  type RequestHandler,
} from './server/http-request.ts';
export { BODY_BYTES_MAX } from './server/read-body.ts';
export type { ReplyChannel, ReplyStart } from './server/reply-channel.ts';
