import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { killWithParent } from '@chainwatch/testing';
import { freePort } from '../../acceptance/src/services.ts';

export interface Replay {
  readonly url: string;
  setHead(number: number): Promise<void>;
  stop(): void;
}

/** Serves a recording in another process, so that the node's work is not counted as ours. */
export async function startReplay(file: string, hasTraces = false, chainId = 31_337): Promise<Replay> {
  const port = await freePort();
  const script = fileURLToPath(new URL('./replay-server.mjs', import.meta.url));
  const child: ChildProcess = spawn(
    process.execPath,
    [script, file, String(port), String(chainId), ...(hasTraces ? ['traces'] : [])],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  if (child.pid !== undefined) child.once('exit', killWithParent(child.pid, 'KILL'));
  await new Promise<void>((resolve, reject) => {
    child.stdout!.once('data', () => resolve());
    child.once('exit', (code) => reject(new Error(`the replay server ended with ${code}`)));
  });
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    setHead: async (head) =>
      void (await fetch(`${url}/control`, { method: 'POST', body: JSON.stringify({ head }) })),
    stop: () => void child.kill('SIGKILL'),
  };
}
