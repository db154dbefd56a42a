// SPDX-License-Identifier: Apache-2.0
import { Readable } from 'node:stream';
import { runCli } from '../../../../apps/cli/src/run-cli.ts';

/** A call, as it is sent to this process. */
export interface Call {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
}

/** What it is answered. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Calls of the CLI one after another in one process, which has a working folder of its own: what differs between hundreds
 * of wrong arguments is no matter of how a process begins and ends.
 */
process.on('message', (call: Call) => void answer(call).then((ended) => process.send!(ended)));

async function answer({ args, env, input }: Call): Promise<Ended> {
  process.env = { ...env };
  process.exitCode = 0;
  Object.defineProperty(process, 'stdin', { value: Readable.from([Buffer.from(input)]), configurable: true });
  const written = { stdout: '', stderr: '' };
  const streams = ['stdout', 'stderr'] as const;
  for (const name of streams)
    process[name].write = (text: string | Uint8Array) => {
      written[name] += typeof text === 'string' ? text : Buffer.from(text).toString('utf8');
      return true;
    };
  await runCli([process.execPath, 'chainwatch', ...args], new AbortController());
  const code = Number(process.exitCode);
  process.exitCode = 0;
  return { code, ...written };
}
