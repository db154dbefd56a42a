import type { Server, ServerResponse } from 'node:http';

export interface Drain {
  /** From now on every answer is the last one of its connection; new connections are still taken. */
  start(): void;
}

/**
 * Lets clients leave a server in order before it closes. A load balancer goes on sending requests for some
 * seconds after it was told to stop; these must be answered, not refused.
 */
export function createDrain(server: Pick<Server, 'prependListener'>): Drain {
  const open = new Set<ServerResponse>();
  let isDraining = false;
  server.prependListener('request', (_req: unknown, res: ServerResponse) => {
    if (isDraining) return void res.setHeader('connection', 'close');
    open.add(res);
    res.once('close', () => open.delete(res));
  });
  return {
    start() {
      isDraining = true;
      for (const res of open) if (!res.headersSent) res.setHeader('connection', 'close');
    },
  };
}
