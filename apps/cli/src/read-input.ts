// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { cancel, isCancel, password, text } from '@clack/prompts';
import { CliError, EXIT, wrongInput } from './cli-error.ts';

/** A secret from a prompt, or the first line of what is piped in. @throws CliError where there is none */
export async function readSecret(message: string): Promise<string> {
  const answer = process.stdin.isTTY ? await password({ message }) : (await readStdin()).toString('utf8');
  const secret = finish(answer, message).split('\n', 1)[0]?.trim() ?? '';
  if (secret === '') throw wrongInput('stdin', `expected ${message} in its first line, got nothing`);
  return secret;
}

/** A header carries it. @param name whose value it is; the value itself is never repeated */
export function checkKey(name: string, key: string): string {
  if (!/^[\x21-\x7e]+$/.test(key)) throw wrongInput(name, 'expected a key, got text that no key contains');
  return key;
}

export async function ask(message: string, placeholder: string): Promise<string> {
  if (!process.stdin.isTTY) throw wrongInput('stdin', `expected a terminal to ask for: ${message}`);
  return finish(await text({ message, placeholder, defaultValue: placeholder }), message);
}

/** Bytes as they come: a signature covers them. */
async function readStdin(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** A file, `-` for what is piped in. @param name the argument that names the file @throws CliError where it cannot be read */
export async function readFileOrStdin(name: string, path: string): Promise<Buffer> {
  return path === '-' ? readStdin() : readFile(name, path);
}

export function readFile(name: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw wrongInput(name, `expected a readable file: ${(error as Error).message}`);
  }
}

/** Of `--secret-file`. @throws CliError */
export function readSecretFile(path: string): string {
  const secret = readFile('--secret-file', path).toString('utf8').trim();
  if (secret === '') throw wrongInput('--secret-file', 'expected a secret, got an empty file');
  return secret;
}

function finish(answer: string | symbol, message: string): string {
  if (isCancel(answer)) {
    cancel(`${message}: not given`);
    throw new CliError('Nothing was changed.', EXIT.interrupted);
  }
  return String(answer);
}
