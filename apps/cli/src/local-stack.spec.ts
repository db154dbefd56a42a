// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from './config.ts';
import { findAccess } from './find-access.ts';
import { findLocalStack } from './local-stack.ts';
import { writeProfile } from './profiles.ts';

const KEYS = { api: 'stack-api', management: 'stack-management' };

let folder: string;
const before = process.cwd();
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'chainwatch-'));
  process.chdir(folder);
});
afterEach(() => {
  process.chdir(before);
  rmSync(folder, { recursive: true });
});

function writeStack(apiUrl: string): void {
  mkdirSync('.chainwatch', { recursive: true });
  writeFileSync('.chainwatch/stack.json', JSON.stringify({ api_url: apiUrl, keys: KEYS }));
}

const config = (more: Partial<Config> = {}): Config => ({
  ...{ apiKey: undefined, apiKeyFile: undefined, apiUrl: undefined, managementKey: undefined },
  ...{ profile: undefined, webhookSecret: undefined, configDirectory: join(folder, 'config') },
  hasColors: false,
  ...more,
});

it.each(['http://127.0.0.1:3000/v1', 'http://localhost:3000/v1', 'http://[::1]:3000/v1'])(
  'a stack on this machine is found from any folder below it: %s',
  (url) => {
    writeStack(url);
    mkdirSync('a/b', { recursive: true });
    expect(findLocalStack(join(folder, 'a/b'))?.api_url).toBe(url);
    expect(findAccess(config({ apiKey: 'mine' }), 'api')).toMatchObject({ apiUrl: url, key: 'mine' });
    expect(findAccess(config(), 'api')).toMatchObject({ apiUrl: url, key: KEYS.api });
  },
);

it.each([
  'https://evil.example/v1',
  'http://127.0.0.1@evil.example/v1',
  'http://127.0.0.1.evil.example/v1',
  'x',
])('a folder from elsewhere gets no key by naming %s', (url) => {
  writeStack(url);
  expect(() => findAccess(config({ apiKey: 'mine' }), 'api')).toThrow('Set CHAINWATCH_API_URL');
  expect(() => findAccess(config({ managementKey: 'mine' }), 'management')).toThrow('CHAINWATCH_API_URL');
  expect(() => findAccess(config(), 'api')).toThrow('Log in first');
});

describe('whose key', () => {
  beforeEach(() => {
    for (const name of ['default', 'staging'])
      writeProfile(join(folder, 'config'), name, { api_url: `https://${name}.example/v1`, api_key: name });
  });

  it.each<[string, Partial<Config>, string | undefined, string, string]>([
    ['--profile', { apiKey: 'env' }, 'staging', 'staging', 'https://staging.example/v1'],
    [
      'the environment',
      { apiKey: 'env', profile: 'staging' },
      undefined,
      'env',
      'https://staging.example/v1',
    ],
    [
      'the profile of the environment',
      { profile: 'staging' },
      undefined,
      'staging',
      'https://staging.example/v1',
    ],
    ['the profile default', {}, undefined, 'default', 'https://default.example/v1'],
  ])('is that of %s', (_name, more, profile, key, apiUrl) => {
    expect(findAccess(config(more), 'api', profile)).toMatchObject({ key, apiUrl });
  });

  it('is nobody else’s where the profile is not there', () => {
    expect(() => findAccess(config(), 'api', 'production')).toThrow('There is no profile production');
  });
});
