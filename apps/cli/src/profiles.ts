import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from './cli-error.ts';

export interface Profile {
  readonly api_url: string;
  readonly api_key?: string;
  readonly management_key?: string;
}

const FILE = 'profiles.json';

export function readProfiles(directory: string): ReadonlyMap<string, Profile> {
  const path = join(directory, FILE);
  if (!existsSync(path)) return new Map();
  try {
    return new Map(Object.entries(JSON.parse(readFileSync(path, 'utf8')) as Record<string, Profile>));
  } catch {
    throw new CliError(`${path} is not JSON: correct it, or delete it and log in again.`);
  }
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
