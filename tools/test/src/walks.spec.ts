// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';
import { countFiles, findUnreached, GOALS, readRecipes, readWalks } from './walks.ts';

const walks = readWalks();
const recipes = readRecipes();
const isGone = (file: string): boolean => !existsSync(join(repoDir, file));

describe('the walks of docs/architecture.md', () => {
  it('are those that have a goal, and a reorg', () => {
    expect([...walks, ...recipes].map(({ name }) => name).sort()).toEqual(
      [...Object.keys(GOALS), 'Reorg'].sort(),
    );
  });

  it.each(walks.map((walk) => [walk.name, walk] as const))('%s: every file is there', (_name, { stages }) => {
    const files = stages.flatMap((stage) => [...stage.setUp, ...stage.files]);
    expect(files.length).toBeGreaterThan(stages.length);
    expect(files.filter(isGone)).toEqual([]);
  });

  it.each(walks.map((walk) => [walk.name, walk] as const))(
    '%s: an entry or an earlier file of the process imports each file',
    (_name, { stages }) => {
      expect(stages.flatMap(findUnreached)).toEqual([]);
    },
  );

  it.each(walks.map((walk) => [walk.name, walk] as const))(
    '%s: no process lists a file twice',
    (_name, walk) => {
      for (const { files } of walk.stages) expect(files).toEqual([...new Set(files)]);
      expect(countFiles(walk)).toBeGreaterThan(0);
    },
  );

  it.each(recipes.map((recipe) => [recipe.name, recipe] as const))(
    '%s: every file is there',
    (_name, { files }) => {
      expect(files.length).toBeGreaterThan(0);
      expect(files.filter(isGone)).toEqual([]);
    },
  );
});

describe('findUnreached', () => {
  const setUp = ['apps/notifier/src/main.ts', 'apps/notifier/src/start-notifier.ts'];

  it('takes what an earlier file imports', () => {
    expect(
      findUnreached({ process: '', setUp, files: ['apps/notifier/src/positions/start-positioning.ts'] }),
    ).toEqual([]);
  });

  it('takes what the index of a package exports', () => {
    expect(
      findUnreached({ process: '', setUp, files: ['libs/deliveries/src/create-delivery-engine.ts'] }),
    ).toEqual([]);
  });

  it('names a file that only a later one imports', () => {
    const files = [
      'libs/deliveries/src/claim/claim-loop.ts',
      'libs/deliveries/src/create-delivery-engine.ts',
    ];
    expect(findUnreached({ process: '', setUp, files })).toEqual(['libs/deliveries/src/claim/claim-loop.ts']);
  });

  it('names a first file that is no entry', () => {
    expect(findUnreached({ process: '', setUp: [], files: ['apps/notifier/src/config.ts'] })).toEqual([
      'apps/notifier/src/config.ts',
    ]);
  });
});
