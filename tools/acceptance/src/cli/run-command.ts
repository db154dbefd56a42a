// SPDX-License-Identifier: Apache-2.0
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';
import type { Call, Ended } from './command-host.ts';

export const COMMAND = join(repoDir, 'apps/cli/chainwatch.mjs');

export interface Run {
  readonly child: ChildProcess;
  readonly seen: { stdout: string; stderr: string };
  readonly ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
}

/** The command as people run it: a process of its own, whose home is its working folder. */
export function startCommand(
  folder: string,
  {
    args,
    env,
    input = '',
  }: {
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
    readonly input?: string;
  },
): Run {
  const child = spawn(process.execPath, [COMMAND, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, XDG_CONFIG_HOME: folder, ...env },
  });
  const seen = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (seen.stdout += String(chunk)));
  child.stderr.on('data', (chunk) => (seen.stderr += String(chunk)));
  child.stdin.end(input);
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...seen }));
  return { child, seen, ended };
}

/** Longer than any call of the command takes on a busy machine. */
const CALL_MS_MAX = 240_000;

/** `command-host.ts` in this folder: calls that are answered in their order. One without an answer ends it. */
export function startCommandHost(folder: string): {
  call(call: Call): Promise<Ended>;
  stop(): void;
} {
  const child = fork(join(import.meta.dirname, 'command-host.ts'), {
    cwd: folder,
    execArgv: ['--import', import.meta.resolve('tsx')],
    env: { PATH: process.env.PATH, HOME: folder },
  });
  const gone = once(child, 'exit').then(() => [{ code: -1, stdout: '', stderr: 'the host ended' }]);
  let last: Promise<unknown> = Promise.resolve();
  const ask = async (call: Call): Promise<Ended> => {
    const timer = setTimeout(() => child.kill('SIGKILL'), CALL_MS_MAX);
    if (child.connected) child.send(call);
    const [ended] = (await Promise.race([once(child, 'message'), gone])) as [Ended];
    clearTimeout(timer);
    return ended;
  };
  return {
    call: (call) => {
      const answered = last.then(() => ask(call));
      last = answered.catch(() => undefined);
      return answered;
    },
    stop: () => void child.kill('SIGKILL'),
  };
}

/** Results of `--json`. */
export const linesOf = <T>(stdout: string): T[] =>
  stdout
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T);

/** A program of the customer that takes webhooks. */
export interface Hook {
  readonly url: string;
  readonly deliveries: { readonly body: string; readonly headers: IncomingHttpHeaders }[];
  close(): Promise<unknown>;
}

export async function startHook(): Promise<Hook> {
  const deliveries: Hook['deliveries'] = [];
  const server = createServer((req, res) => {
    let body = '';
    req.on('data', (chunk) => (body += String(chunk)));
    req.on('end', () => {
      deliveries.push({ body, headers: req.headers });
      res.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    deliveries,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
