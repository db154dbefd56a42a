// SPDX-License-Identifier: Apache-2.0
/** `npm run snapshots`: takes the pictures in docs/pictures anew, with which npm test compares the pages. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { comparePictures } from './compare-pictures.ts';
import { fileOf, pictureFiles, picturesDir } from './kept-pictures.ts';
import { PictureStudio, THEMES } from './picture-studio.ts';
import { shownPages } from './shown-pages.ts';
import { shrinkPicture } from './shrink-picture.ts';

const studio = await PictureStudio.open();
mkdirSync(picturesDir, { recursive: true });
for (const file of readdirSync(picturesDir))
  if (!pictureFiles.includes(file)) rmSync(join(picturesDir, file));
for (const page of shownPages) {
  await studio.show(page);
  for (const theme of THEMES) {
    const path = join(picturesDir, fileOf(page.name, theme));
    const taken = shrinkPicture(await studio.take(theme));
    // What looks the same stays as it is: no change without a reason.
    if (existsSync(path) && comparePictures(readFileSync(path), taken) === undefined) continue;
    writeFileSync(path, taken);
    console.log(`${fileOf(page.name, theme)}: ${taken.length.toLocaleString('en')} bytes`);
  }
}
const faults = studio.takeFaults();
for (const fault of faults) console.error(fault);
await studio.close();
process.exitCode = faults.length === 0 ? 0 : 1;
