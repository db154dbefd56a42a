// SPDX-License-Identifier: Apache-2.0
/** `npm run walks`: how many files each walk and each recipe of docs/architecture.md enters, beside its goal. */
import { countFiles, GOALS, readRecipes, readWalks } from './walks.ts';

for (const walk of readWalks()) print(walk.name, countFiles(walk));
for (const { name, files, written } of readRecipes())
  print(name, files.length - written.length, `, ${written.length} more are written by commands`);

function print(name: string, count: number, more = ''): void {
  const goal = GOALS[name];
  const verdict = goal === undefined ? '' : ` of at most ${goal}${count > goal ? ', missed' : ''}`;
  console.log(`${name}: ${count} files${verdict}${more}`);
}
