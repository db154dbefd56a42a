import { readFileSync } from 'node:fs';
import { cancel, isCancel, password, text } from '@clack/prompts';
import { CliError, EXIT } from './cli-error.ts';

/** A secret from a prompt, or the first line of what is piped in. */
export async function readSecret(message: string): Promise<string> {
  const answer = process.stdin.isTTY ? await password({ message }) : (await readStdin()).toString('utf8');
  return finish(answer, message).split('\n', 1)[0]?.trim() ?? '';
}

export async function ask(message: string, placeholder: string): Promise<string> {
  if (!process.stdin.isTTY) throw new CliError(`expected a terminal to ask for: ${message}`);
  return finish(await text({ message, placeholder, defaultValue: placeholder }), message);
}

/** Bytes as they come: a signature covers them. */
async function readStdin(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** A file, `-` for what is piped in. */
export async function readFileOrStdin(path: string): Promise<Buffer> {
  return path === '-' ? readStdin() : readFileSync(path);
}

function finish(answer: string | symbol, message: string): string {
  if (isCancel(answer)) {
    cancel(`${message}: not given`);
    throw new CliError('Nothing was changed.', EXIT.interrupted);
  }
  return String(answer);
}
