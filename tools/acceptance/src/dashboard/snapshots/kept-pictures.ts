// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';
import { THEMES, type Theme } from './picture-studio.ts';
import { shownPages } from './shown-pages.ts';

/** Pages of the documentation show some of them. */
export const picturesDir = join(repoDir, 'docs/pictures');

export function fileOf(name: string, theme: Theme): string {
  return `${name}-${theme}.png`;
}

export const pictureFiles: readonly string[] = shownPages.flatMap(({ name }) =>
  THEMES.map((theme) => fileOf(name, theme)),
);
