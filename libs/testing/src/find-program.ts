// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The first program of this name in PATH and the folders of system programs; undefined where it is not installed. */
export function findProgram(name: string, folders: readonly string[] = []): string | undefined {
  return [...folders, ...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
}
