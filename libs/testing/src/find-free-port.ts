import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below those that systems give to connections, one of which could take the port before it is listened on. */
const [FIRST, END] = [20_000, 32_000];

/** A port that nobody listened on a moment ago. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, END);
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
