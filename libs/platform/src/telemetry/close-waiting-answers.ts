// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Closes the answers that wait behind another one of their connection when that connection closes. Node closes the one
 * whose turn it is, and forgets the others: what is kept for them until they close would be kept for ever.
 */
export function closeWaitingAnswers(server: Pick<Server, 'prependListener'>): void {
  const waiting = new WeakMap<Socket, Set<ServerResponse>>();
  const listen = (socket: Socket): Set<ServerResponse> => {
    const answers = new Set<ServerResponse>();
    waiting.set(socket, answers);
    socket.once('close', () => {
      for (const res of answers) res.destroy().emit('close');
      answers.clear();
    });
    return answers;
  };
  server.prependListener('request', ({ socket }: IncomingMessage, res: ServerResponse) => {
    // Its turn is now.
    if (res.socket !== null) return;
    const answers = waiting.get(socket) ?? listen(socket);
    answers.add(res);
    res.once('socket', () => answers.delete(res));
  });
}
