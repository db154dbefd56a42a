// SPDX-License-Identifier: Apache-2.0
import { chmodSync, existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { wrongInput } from './cli-error.ts';
import { readFile } from './read-input.ts';

export interface Profile {
  readonly api_url: string;
  readonly api_key?: string;
  readonly management_key?: string;
}

const FILE = 'profiles.json';

export function readProfiles(directory: string): ReadonlyMap<string, Profile> {
  const path = join(directory, FILE);
  if (!existsSync(path)) return new Map();
  const text = readFile(path, path).toString('utf8');
  try {
    const profiles = Object.entries(JSON.parse(text) as Record<string, Profile>);
    if (profiles.every(([, profile]) => isProfile(profile))) return new Map(profiles);
  } catch {
    // Reported below.
  }
  throw wrongInput(path, 'expected profiles as JSON; correct the file, or delete it and log in again');
}

function isProfile(profile: Profile | null): boolean {
  const keys = [profile?.api_key, profile?.management_key];
  return (
    typeof profile?.api_url === 'string' && keys.every((key) => key === undefined || typeof key === 'string')
  );
}

/** Readable by this user alone; replaced at once, so that nobody reads half of it. */
export function writeProfile(directory: string, name: string, profile: Profile): string {
  const path = join(directory, FILE);
  const all = new Map(readProfiles(directory)).set(name, profile);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const partial = `${path}.${process.pid}`;
  writeFileSync(partial, `${JSON.stringify(Object.fromEntries(all), undefined, 2)}\n`, { mode: 0o600 });
  chmodSync(partial, 0o600);
  renameSync(partial, path);
  return path;
}
