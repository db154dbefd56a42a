import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repoDir } from '@chainwatch/host';
import { findFreePort, waitFor } from '@chainwatch/testing';

/** Where the reader stands. */
interface Reader {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/** What starts and ends the stack, which runs already. */
const OF_THE_STACK = /npm (?:start|run stop)\b.*/g;
/** A script that comes line by line is no input of its commands; Node's pipes are sockets, which cannot be opened. */
const READ_FROM_3 = 'exec bash /dev/fd/4 4< <(exec cat <&3) </dev/null 3<&-';
/** Of the reader's own programs. */
const PORTS = /\b(?:3000|9900)\b/g;

/**
 * Types the shell of a page into one bash, block by block, as a reader does: `<!-- shows: … -->` behind a block is what is
 * seen before the next one. Ends when all that the page started has ended. @returns everything that was printed
 */
export async function runPage(page: string, { folder, env }: Reader): Promise<string> {
  const port = String(await findFreePort());
  const text = readFileSync(join(repoDir, page), 'utf8').replace(OF_THE_STACK, '').replace(PORTS, port);
  const shell = spawn('bash', ['-c', READ_FROM_3], {
    ...{ cwd: folder, env: { PATH: process.env.PATH, HOME: folder, ...env }, detached: true },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const ended = once(shell, 'exit');
  let output = '';
  for (const stream of [shell.stdout!, shell.stderr!])
    stream.on('data', (chunk) => (output += String(chunk)));
  const typed = shell.stdio[3] as NodeJS.WritableStream;
  // As the shell of a person has it: jobs have names.
  typed.write('set -m\n');
  try {
    for (const [, block, shown = ''] of text.matchAll(
      /^```sh\n([^]*?)^```$(?:\s*<!-- shows: (.*?) -->)?/gm,
    )) {
      const start = output.length;
      typed.write(`${block}\necho "typed $((++block))"\n`);
      await waitFor(() => /typed \d+$/m.test(output.slice(start)) && output.slice(start).includes(shown), {
        message: () => `${page} to show "${shown}" behind\n${block}\ngot\n${output.slice(start)}`,
      });
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
