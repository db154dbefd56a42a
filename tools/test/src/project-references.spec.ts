// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';
import { describeProjects } from '../project-references.mjs';

it.each([...describeProjects()])(
  '%s refers to the projects that its package depends on; else run tools/test/project-references.mjs',
  (path, config) => {
    expect(JSON.parse(readFileSync(join(repoDir, path), 'utf8'))).toEqual(config);
  },
);
