// SPDX-License-Identifier: Apache-2.0
import type { z } from 'zod';
import { ConfigError } from './config-error.ts';

/**
 * Reads the environment through a schema. An empty variable counts as absent, as deployment files leave them.
 * @throws ConfigError that names every wrong variable
 */
export function loadConfig<S extends z.ZodObject>(
  schema: S,
  env: Readonly<Record<string, string | undefined>> = process.env,
): z.infer<S> {
  const present = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const result = schema.safeParse(present);
  if (result.success) return result.data;
  throw new ConfigError(
    result.error.issues.map((issue) => {
      const name = String(issue.path[0] ?? '(all)');
      const inner = issue.path.slice(1).join('.');
      const reason = present[name] === undefined ? 'is required' : issue.message;
      return { name, reason: inner === '' ? reason : `at ${inner}: ${reason}` };
    }),
  );
}
