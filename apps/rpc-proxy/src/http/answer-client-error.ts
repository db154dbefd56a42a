// SPDX-License-Identifier: Apache-2.0
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** node:http keeps the response that a connection is sending in this private member. */
type Answering = Duplex & { readonly _httpMessage?: ServerResponse | null };

/**
 * Answers bytes that are not HTTP, or that two readers may read differently: a second Content-Length, or one beside
 * Transfer-Encoding.
 */
export function answerClientError(
  error: NodeJS.ErrnoException & { rawPacket?: Buffer },
  socket: Duplex,
): void {
  const answer = (socket as Answering)._httpMessage;
  // In the middle of an answer, this text would be taken for a part of it.
  const isAnswering = answer?.headersSent === true && !answer.writableEnded;
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) return void socket.destroy();
  const [status, title] =
    error.code === 'HPE_HEADER_OVERFLOW' ? [431, 'Request Header Fields Too Large'] : [400, 'Bad Request'];
  const body = JSON.stringify({ error: 'the request is not well-formed HTTP' });
  // A client that sent HEAD would take a body for the next answer.
  const isHead = error.rawPacket?.toString('latin1', 0, 5) === 'HEAD ';
  socket.end(
    `HTTP/1.1 ${status} ${title}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${isHead ? '' : body}`,
  );
}
