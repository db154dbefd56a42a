// SPDX-License-Identifier: Apache-2.0
import { CliError, EXIT, wrongInput } from './cli-error.ts';
import type { Config } from './config.ts';
import { findLocalStack } from './local-stack.ts';
import { readProfiles, type Profile } from './profiles.ts';
import { checkKey, readFile } from './read-input.ts';

export interface Access {
  readonly apiUrl: string;
  readonly key: string;
  /** Where it comes from, for `doctor` and messages. */
  readonly source: string;
}

const DEFAULT_PROFILE = 'default';

const API_URL = /^https?:\/\/[^\s/]+(\/.*)?\/v\d+\/?$/;
const API_URL_EXAMPLE = 'https://api.example.com/v1';

/** The key and the address that a command uses: from the environment, a profile, else the local stack. Never from argv. */
export function findAccess(config: Config, kind: 'api' | 'management', profileName?: string): Access {
  const access = lookUp(config, kind, profileName);
  const isFromEnvironment = access.apiUrl === config.apiUrl;
  checkApiUrl(isFromEnvironment ? 'CHAINWATCH_API_URL' : `api_url of ${access.source}`, access.apiUrl);
  checkKey(`key of ${access.source}`, access.key);
  return access;
}

/** @param name whose value it is @throws CliError */
export function checkApiUrl(name: string, url: string): string {
  if (!API_URL.test(url) || !URL.canParse(url))
    throw wrongInput(name, `expected the address of the API such as ${API_URL_EXAMPLE}`);
  return url;
}

function lookUp(config: Config, kind: 'api' | 'management', profileName?: string): Access {
  const name = profileName ?? config.profile;
  const profile = readProfiles(config.configDirectory).get(name ?? DEFAULT_PROFILE);
  const stack = findLocalStack();
  const fromEnvironment = profileName === undefined ? readEnvironment(config, kind) : undefined;
  if (fromEnvironment !== undefined) {
    const apiUrl = config.apiUrl ?? profile?.api_url ?? stack?.api_url;
    if (apiUrl === undefined) {
      const reason = `expected the address of the API such as ${API_URL_EXAMPLE}`;
      throw new CliError(`Set CHAINWATCH_API_URL: ${reason}`, EXIT.usage, [
        { name: 'CHAINWATCH_API_URL', reason },
      ]);
    }
    return { apiUrl, key: fromEnvironment, source: 'the environment' };
  }
  if (name !== undefined && profile === undefined)
    throw new CliError(`There is no profile ${name}: chainwatch login --profile ${name}`, EXIT.notLoggedIn);
  const kept = profile && keyOf(profile, kind);
  if (profile !== undefined && kept !== undefined)
    return {
      apiUrl: config.apiUrl ?? profile.api_url,
      key: kept,
      source: `profile ${name ?? DEFAULT_PROFILE}`,
    };
  if (stack !== undefined)
    return {
      apiUrl: config.apiUrl ?? stack.api_url,
      key: stack.keys[kind],
      source: '.chainwatch/stack.json',
    };
  throw new CliError(
    kind === 'api'
      ? 'Log in first: chainwatch login, or set CHAINWATCH_API_KEY and CHAINWATCH_API_URL.'
      : 'This needs a management key: chainwatch login --management, or set CHAINWATCH_MANAGEMENT_KEY.',
    EXIT.notLoggedIn,
  );
}

function keyOf({ api_key: api, management_key: management }: Profile, kind: 'api' | 'management') {
  return kind === 'api' ? api : management;
}

function readEnvironment(
  { apiKey, apiKeyFile, managementKey }: Config,
  kind: 'api' | 'management',
): string | undefined {
  if (kind === 'management') return managementKey;
  return apiKey ?? (apiKeyFile === undefined ? undefined : readKeyFile(apiKeyFile));
}

function readKeyFile(path: string): string {
  const key = readFile('CHAINWATCH_API_KEY_FILE', path).toString('utf8').trim();
  return checkKey('CHAINWATCH_API_KEY_FILE', key);
}
