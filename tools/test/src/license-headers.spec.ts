// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';

const SOURCE = /\.(ts|tsx|mjs|go|css|py|sh)(\.template)?$/;
/** Written by programs, or to be copied into programs of others. */
const OTHERS = [/(^|\/)generated\//, /^examples\//, /\.d\.ts$/];

it('each source file names its license in its first two lines', () => {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: repoDir,
    encoding: 'utf8',
  })
    .trim()
    .split('\n')
    .filter((file) => SOURCE.test(file) && !OTHERS.some((pattern) => pattern.test(file)));
  const without = files.filter(
    (file) =>
      !readFileSync(join(repoDir, file), 'utf8')
        .split('\n', 2)
        .some((line) => /^(\/\/|\/\*|#) SPDX-License-Identifier: Apache-2\.0( \*\/)?$/.test(line)),
  );
  expect(files.length).toBeGreaterThan(2_500);
  expect(without).toEqual([]);
});
