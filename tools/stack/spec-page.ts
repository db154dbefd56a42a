// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';
import { findFreePort, waitFor } from '@chainwatch/testing';

/** Where the reader stands. */
export interface Reader {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** What the reader types in the place of addresses that are another one's, or this stack's by default. */
  readonly instead: Readonly<Record<string, string>>;
}

/** Its first block says what `$API` and the keys are; pages that need them lead there. */
const SAMPLES = 'docs/guides/requests.md';
/** What starts and ends the stack, which runs already. */
const OF_THE_STACK = /npm (?:start|run stop)\b.*/g;
/** A script that comes line by line is no input of its commands; Node's pipes are sockets, which cannot be opened. */
const READ_FROM_3 = 'exec bash /dev/fd/4 4< <(exec cat <&3) </dev/null 3<&-';
/** Of the reader's own programs. */
const PORTS = /\b(?:3000|9900)\b/g;
const BLOCK = /^( *)```sh\n([^]*?)^\1```$(?:\s*<!-- shows: (.*?)( \^C)? -->)?/gm;

interface Block {
  readonly code: string;
  /** Seen before the next one is typed. */
  readonly shown: string;
  /** It goes on until the reader has seen that and presses Ctrl-C. */
  readonly isEndless: boolean;
}

/** Every page with shell for this machine (`sh`; what is for another one is `bash`). */
export function listPagesWithShell(): string[] {
  return readdirSync(join(repoDir, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((path) => `docs/${path}`)
    .filter((path) => path.endsWith('.md') && readBlocks(path).length > 0)
    .sort();
}

function readBlocks(page: string): Block[] {
  const text = readFileSync(join(repoDir, page), 'utf8');
  const own = [...text.matchAll(BLOCK)].map(([, , code = '', shown = '', end]) => ({
    ...{ code, shown, isEndless: end !== undefined },
  }));
  return page !== SAMPLES && text.includes('requests.md#samples')
    ? [...readBlocks(SAMPLES).slice(0, 1), ...own]
    : own;
}

/**
 * Types the shell of a page into one bash, block by block, as a reader does: `<!-- shows: … -->` behind a block is what is
 * seen before the next one, and `^C` in it ends the block. A variable that no block has set is an error. Ends when all
 * that the page started has ended. @returns everything that was printed
 */
export async function runPage(page: string, { folder, env, instead }: Reader): Promise<string> {
  const port = String(await findFreePort());
  const adapt = (text: string): string =>
    Object.entries(instead)
      .reduce((adapted, [name, value]) => adapted.replaceAll(name, value), text)
      .replace(OF_THE_STACK, '')
      .replace(PORTS, port);
  const shell = spawn('bash', ['-c', READ_FROM_3], {
    ...{ cwd: folder, env: { PATH: process.env.PATH, HOME: folder, ...env }, detached: true },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const ended = once(shell, 'exit');
  let output = '';
  for (const stream of [shell.stdout!, shell.stderr!])
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  const typed = shell.stdio[3] as NodeJS.WritableStream;
  // As the shell of a person has it: jobs have names, and Ctrl-C ends them alone.
  typed.write('set -mu; trap : INT\n');
  try {
    for (const [index, { code, shown, isEndless }] of readBlocks(page).entries()) {
      const start = output.length;
      const before = listSession(shell.pid!);
      const isTyped = (): boolean => output.slice(start).includes(`typed ${index}\n`);
      const isShown = (): boolean => output.slice(start).includes(adapt(shown));
      const see = async (probe: () => boolean): Promise<void> => {
        const message = (): string =>
          `${page} to show "${shown}" behind\n${code}\ngot\n${output.slice(start)}`;
        await waitFor(() => probe() || shell.exitCode !== null, { message });
        if (!probe()) throw new Error(`expected ${message()}`);
      };
      typed.write(`${adapt(code)}\necho "typed ${index}"\n`);
      await see(() => isShown() && (isEndless || isTyped()));
      if (isEndless)
        for (const pid of listSession(shell.pid!)) if (!before.includes(pid)) process.kill(pid, 'SIGINT');
      await see(isTyped);
    }
    typed.end();
    await ended;
    await waitFor(() => listSession(shell.pid!).length === 0, {
      message: () => `what ${page} started to end\n${output}`,
    });
    return output;
  } finally {
    for (const pid of listSession(shell.pid!)) process.kill(pid, 'SIGKILL');
  }
}

/** Processes that a shell started and its children, also those of jobs, which are groups of their own. */
function listSession(leader: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isOfSession(name, leader))
    .map(Number);
}

function isOfSession(pid: string, leader: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, , , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state !== 'Z' && session === String(leader);
  } catch {
    return false;
  }
}
