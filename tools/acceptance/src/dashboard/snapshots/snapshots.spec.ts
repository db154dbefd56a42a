// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Difference } from './compare-pictures.ts';
import { ComparingProcess } from './comparing-process.ts';
import { fileOf, pictureFiles, picturesDir } from './kept-pictures.ts';
import { HAS_BROWSER } from '../browser.ts';
import { PictureStudio, THEMES, type Theme } from './picture-studio.ts';
import { shownPages, type ShownPage } from './shown-pages.ts';

/** They are read by everyone who clones the repository. */
const BYTES_MAX = 80_000;

it('keeps a small picture of each page in each theme, and no other one', () => {
  expect(readdirSync(picturesDir).sort()).toEqual([...pictureFiles].sort());
  const sizes = pictureFiles.map((file) => [file, statSync(join(picturesDir, file)).size] as const);
  expect(sizes.filter(([, size]) => size > BYTES_MAX)).toEqual([]);
});

/** The pages as they are now beside how they were when somebody looked at them: `npm run snapshots`. */
(HAS_BROWSER ? describe : describe.skip)('in Chromium', () => {
  let studio: PictureStudio;
  const comparing = new ComparingProcess();
  let folder: string;

  beforeAll(async () => {
    studio = await PictureStudio.open();
    folder = mkdtempSync(join(tmpdir(), 'chainwatch-pictures-'));
  });
  afterAll(async () => {
    await studio?.close();
    comparing.close();
  });

  const pageOf = (wanted: string): ShownPage => shownPages.find(({ name }) => name === wanted)!;
  const compare = async (name: string, theme: Theme): Promise<[Difference | undefined, Buffer]> => {
    const kept = readFileSync(join(picturesDir, fileOf(name, theme)));
    let isAsKept = false;
    const taken = await studio.take(theme, async (picture) => {
      isAsKept = (await comparing.compare(kept, picture)) === undefined;
      return isAsKept;
    });
    return [isAsKept ? undefined : await comparing.compare(kept, taken), taken];
  };

  it.each(shownPages.map((page) => [page.name, page] as const))('%s looks as it did', async (name, page) => {
    await studio.show(page);
    const changes: string[] = [];
    for (const theme of THEMES) {
      const [difference, taken] = await compare(name, theme);
      if (difference === undefined) continue;
      const path = join(folder, fileOf(name, theme));
      writeFileSync(path, taken);
      const drawn = path.replace('.png', '.difference.png');
      if (difference.picture !== undefined) writeFileSync(drawn, difference.picture);
      changes.push(
        `${fileOf(name, theme)}: ${difference.reason}; see ${path} and ${difference.picture ? drawn : 'its size'}; if it is meant so: npm run snapshots`,
      );
    }
    expect([...studio.takeFaults(), ...changes]).toEqual([]);
  });

  it.each<readonly [string, string]>([
    [
      'another color of what can be pressed',
      "document.documentElement.style.setProperty('--accent', '#7c3aed')",
    ],
    ['lines that are darker', "document.documentElement.style.setProperty('--line', '#c8c8d0')"],
    ['a button that is not there', "document.querySelector('main [role=row] button').remove()"],
    ['a word that is another one', "document.querySelector('main h1').textContent = 'Key'"],
  ])('sees %s', async (_what, change) => {
    await studio.show(pageOf('keys'));
    await studio.browser.page.evaluate(change);
    const [difference] = await compare('keys', 'light');
    expect(difference?.reason).toMatch(/^expected at most 8 levels/);
    expect(studio.takeFaults()).toEqual([]);
  });
});
