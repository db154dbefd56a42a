// SPDX-License-Identifier: Apache-2.0
import type { Server, ServerResponse, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Where an answer stands in the list of the open ones. */
const PLACE = Symbol('place');
type Open = ServerResponse & { [PLACE]?: number };

export interface Drain {
  /** From now on every answer is the last one of its connection; new connections are still taken. */
  start(): void;
}

/**
 * Lets clients leave a server in order before it closes. A load balancer goes on sending requests for some
 * seconds after it was told to stop; these must be answered, not refused.
 */
export function createDrain(server: Pick<Server, 'prependListener'>): Drain {
  // Not a `Set`: a table that V8 has replaced still refers to its successor, so that all answers outlive the next collections.
  const open: Open[] = [];
  let isDraining = false;
  server.prependListener('request', (_req: unknown, res: Open) => {
    if (isDraining) return void res.setHeader('connection', 'close');
    res[PLACE] = open.push(res) - 1;
    res.once('close', () => {
      const last = open.pop()!;
      if (last === res) return;
      last[PLACE] = res[PLACE]!;
      open[last[PLACE]] = last;
    });
  });
  return {
    start() {
      isDraining = true;
      for (const res of open) if (!res.headersSent) res.setHeader('connection', 'close');
    },
  };
}

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
