// SPDX-License-Identifier: Apache-2.0
import type { Command } from 'commander';
import { createClient, type Chainwatch } from '@chainwatch/sdk';
import type { Config } from './config.ts';
import { findAccess, type Access } from './find-access.ts';
import { createOutput, type Output } from './output.ts';

/** What every command gets. */
export interface Context {
  readonly config: Config;
  readonly output: Output;
  /** As the flag or the environment names it. */
  readonly profile: string | undefined;
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal;
  access(kind?: 'api' | 'management'): Access;
  client(kind?: 'api' | 'management'): Chainwatch;
}

export interface Surroundings {
  readonly config: Config;
  readonly signal: AbortSignal;
  /** `--json` is among the arguments. */
  readonly isJson: boolean;
}

/** From the flags that every command has. */
function openContext(command: Command, { config, signal }: Surroundings): Context {
  const { json = false, profile } = command.optsWithGlobals<{ json?: boolean; profile?: string }>();
  const access = (kind: 'api' | 'management' = 'api'): Access => findAccess(config, kind, profile);
  return {
    config,
    signal,
    profile: profile ?? config.profile,
    output: createOutput({
      isJson: json,
      hasColors: config.hasColors && !json,
      stdout: process.stdout,
      stderr: process.stderr,
    }),
    access,
    client(kind) {
      const { apiUrl, key } = access(kind);
      return createClient({ baseUrl: apiUrl, apiKey: key });
    },
  };
}

/** An action with its context first, then its arguments and options as commander gives them. */
export type Act = (
  action: (context: Context, ...args: never[]) => Promise<void>,
) => (...args: unknown[]) => Promise<void>;

export function createAct(surroundings: Surroundings): Act {
  return (action) =>
    async (...args) => {
      const command = args.at(-1) as Command;
      await action(openContext(command, surroundings), ...(args.slice(0, -1) as never[]));
    };
}
