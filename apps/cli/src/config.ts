// SPDX-License-Identifier: Apache-2.0
import { homedir } from 'node:os';
import { join } from 'node:path';

/** What the environment says; docs/guides/cli.md describes each. */
export interface Config {
  readonly apiKey: string | undefined;
  readonly apiKeyFile: string | undefined;
  readonly apiUrl: string | undefined;
  readonly managementKey: string | undefined;
  readonly profile: string | undefined;
  readonly webhookSecret: string | undefined;
  /** Holds `profiles.json`. */
  readonly configDirectory: string;
  readonly hasColors: boolean;
}

export function readConfig(env: NodeJS.ProcessEnv, isTerminal: boolean): Config {
  const read = (name: string): string | undefined => env[name]?.trim() || undefined;
  return {
    apiKey: read('CHAINWATCH_API_KEY'),
    apiKeyFile: read('CHAINWATCH_API_KEY_FILE'),
    apiUrl: read('CHAINWATCH_API_URL'),
    managementKey: read('CHAINWATCH_MANAGEMENT_KEY'),
    profile: read('CHAINWATCH_PROFILE'),
    webhookSecret: read('CHAINWATCH_WEBHOOK_SECRET'),
    configDirectory: join(read('XDG_CONFIG_HOME') ?? join(homedir(), '.config'), 'chainwatch'),
    hasColors: isTerminal && read('NO_COLOR') === undefined && env.TERM !== 'dumb',
  };
}
