import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below those that systems give to connections, one of which could take the port before it is listened on. */
const FIRST = 20_000;
/** Each worker of a run has ports of its own, and takes each once: nobody takes one between the look and its use. */
const [WORKERS, PORTS] = [6, 2_000];
let taken = randomInt(PORTS);

/** A port that nobody listened on a moment ago. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const worker = Number(process.env['JEST_WORKER_ID'] ?? 0) % WORKERS;
    const port = FIRST + worker * PORTS + (taken++ % PORTS);
    const server = createServer();
    const isFree = once(server, 'listening').then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EADDRINUSE') throw error;
        return false;
      },
    );
    server.listen(port);
    if (!(await isFree)) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
