// SPDX-License-Identifier: Apache-2.0
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
export function startReplay(file: string, hasTraces = false, chainId = 31_337): Promise<Replay> {
  return startNode('./replay-server.mjs', file, String(chainId), ...(hasTraces ? ['traces'] : []));
}

/** The same for the blocks of `writeSolanaChain`. */
export function startSolanaReplay(file: string): Promise<Replay> {
  return startNode('./replay-solana.mjs', file);
}

async function startNode(script: string, file: string, ...args: readonly string[]): Promise<Replay> {
  const port = await freePort();
  const path = fileURLToPath(new URL(script, import.meta.url));
  const child: ChildProcess = spawn(process.execPath, [path, file, String(port), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
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
