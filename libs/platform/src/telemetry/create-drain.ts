// SPDX-License-Identifier: Apache-2.0
import type { Server, ServerResponse } from 'node:http';

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
