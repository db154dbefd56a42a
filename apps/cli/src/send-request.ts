// SPDX-License-Identifier: Apache-2.0
import { createWriteStream, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ConnectionError, readProblem } from '@chainwatch/sdk';
import { CliError, EXIT } from './cli-error.ts';
import type { Access } from './find-access.ts';

/**
 * Not by the SDK, which keeps a body in memory: a document may be large.
 * @param path after the address of the API, with its slash
 * @throws ProblemError, ConnectionError, CliError where it was interrupted
 */
export async function sendRequest(
  { apiUrl, key }: Access,
  path: string,
  { headers, ...init }: RequestInit & { readonly headers?: Readonly<Record<string, string>> },
): Promise<Response> {
  const response = await fetch(apiUrl.replace(/\/+$/, '') + path, {
    ...init,
    headers: { ...headers, 'X-Api-Key': key },
    redirect: 'manual',
  }).catch((error: unknown) => {
    throw broken(error, init.signal);
  });
  if (!response.ok) throw await readProblem(response);
  return response;
}

/** Without a path: to stdout. A file that is not complete is removed. */
export async function saveBody(
  response: Response,
  path: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const source = Readable.fromWeb(response.body! as Parameters<typeof Readable.fromWeb>[0]);
  if (path === undefined) return pipeline(source, process.stdout, { end: false }).catch(fail);
  await pipeline(source, createWriteStream(path)).catch(async (error: unknown) => {
    // Never a pipe or a device.
    if (statSync(path, { throwIfNoEntry: false })?.isFile()) await rm(path);
    return fail(error);
  });

  function fail(error: unknown): never {
    // What the disk or a pipe refuses has a code of the system, and speaks for itself.
    if ((error as NodeJS.ErrnoException).syscall !== undefined) throw error;
    throw broken(error, signal);
  }
}

function broken(error: unknown, signal: AbortSignal | null | undefined): Error {
  if (signal?.aborted) return new CliError('Stopped.', EXIT.interrupted);
  return new ConnectionError(`the API did not answer: ${(error as Error).message}`, error);
}
