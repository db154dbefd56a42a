// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EVENT_TYPES } from '@chainwatch/events';
import { repoDir } from '@chainwatch/testing/host';

/** Written sources that list event types. Whoever makes an event names it; three names in one file are a list. */
export function findEventLists(): string[] {
  return execFileSync('git', ['ls-files', 'apps', 'libs'], { cwd: repoDir, encoding: 'utf8' })
    .split('\n')
    .filter((file) => /\.tsx?$/.test(file) && !/\.spec\.ts$|\/spec-|\/generated\//.test(file))
    .filter((file) => countTypes(readFileSync(join(repoDir, file), 'utf8')) > 2);
}

function countTypes(text: string): number {
  return EVENT_TYPES.filter((type) => text.includes(`'${type}'`)).length;
}
