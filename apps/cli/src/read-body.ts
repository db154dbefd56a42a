// SPDX-License-Identifier: Apache-2.0
import { wrongInput } from './cli-error.ts';
import { readFileOrStdin } from './read-input.ts';

/** Members of a request as a JSON object, from a file or stdin. They may hold secrets, which a command line must not. */
export async function readBody(path: string | undefined): Promise<Readonly<Record<string, unknown>>> {
  if (path === undefined) return {};
  const text = (await readFileOrStdin('--data', path)).toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw wrongInput('--data', 'expected a JSON object, got text that is no JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw wrongInput('--data', 'expected a JSON object');
  return value as Readonly<Record<string, unknown>>;
}

/** Without members that were not given. */
export function givenOf<T extends object>(members: T): Partial<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<T>;
}
