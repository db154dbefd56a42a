// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { wrongInput } from './cli-error.ts';

const LOCAL_HOSTS = ['127.0.0.1', 'localhost', '[::1]'];

/** What `npm start` leaves for scripts: `.chainwatch/stack.json` in the repository. */
export interface LocalStack {
  readonly api_url: string;
  readonly keys: { readonly api: string; readonly management: string };
  /** Absent: it has no local chains. */
  readonly playground_url?: string;
}

/**
 * Of the folder or one above it. One that leads to another machine was not made by `npm start`: a folder from elsewhere
 * would get the keys that are meant for another API.
 */
export function findLocalStack(directory = process.cwd()): LocalStack | undefined {
  for (let folder = directory; ; folder = dirname(folder)) {
    const path = join(folder, '.chainwatch', 'stack.json');
    if (existsSync(path)) {
      const stack = readStack(path);
      return LOCAL_HOSTS.includes(URL.parse(stack.api_url)?.hostname ?? '') ? stack : undefined;
    }
    if (dirname(folder) === folder) return undefined;
  }
}

function readStack(path: string): LocalStack {
  try {
    const stack = JSON.parse(readFileSync(path, 'utf8')) as Partial<LocalStack> | null;
    const texts: readonly unknown[] = [stack?.api_url, stack?.keys?.api, stack?.keys?.management];
    if (texts.every((text) => typeof text === 'string')) return stack as LocalStack;
  } catch {
    // Reported below.
  }
  throw wrongInput(
    path,
    'expected the file that npm start writes; start the stack again, or delete the file',
  );
}
