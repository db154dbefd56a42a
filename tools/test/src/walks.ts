// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';

/** What one process does for a walk: a list of files in the order in which they are entered. */
interface Stage {
  readonly process: string;
  /** Files that start and join the parts, the entry first. */
  readonly setUp: readonly string[];
  readonly files: readonly string[];
}

interface Walk {
  readonly name: string;
  readonly stages: readonly Stage[];
}

/** A recipe: the files there already that a change has to touch. */
interface Recipe {
  readonly name: string;
  readonly files: readonly string[];
  /** Those of them that a command writes. */
  readonly written: readonly string[];
}

/** At most so many files, as the walks are named in docs/architecture.md. */
export const GOALS: Readonly<Record<string, number>> = {
  'ERC-20 transfer → webhook': 60,
  'POST /addresses/external': 15,
  'RPC call': 25,
  'A fifth family': 5,
  'A channel kind': 2,
  'An event type': 2,
  'An endpoint': 2,
};

const PAGE = 'docs/architecture.md';

/** The section `Walks` of docs/architecture.md. */
export function readWalks(): readonly Walk[] {
  return readChapters('Walks').map(({ name, text }) => ({ name, stages: parseStages(text) }));
}

/** The section `Recipes` of docs/architecture.md. */
export function readRecipes(): readonly Recipe[] {
  return readChapters('Recipes').map(({ name, text }) => ({
    name,
    files: listItems(text),
    written: listItems(text.replace(/^(?!.*: written by ).*\n/gm, '')),
  }));
}

/** A file that several processes enter is read once. */
export function countFiles({ stages }: Walk): number {
  return new Set(stages.flatMap(({ files }) => files)).size;
}

/** Files of a stage that no earlier one imports. Its first file of the set-up is an entry; a message brings nothing in. */
export function findUnreached({ setUp, files }: Stage): string[] {
  const [entry, ...others] = [...setUp, ...files];
  const reached = new Set(entry === undefined || !isEntry(entry) ? [] : listImports(entry));
  const unreached = entry === undefined || isEntry(entry) ? [] : [entry];
  for (const file of others) {
    if (!reached.has(file)) unreached.push(file);
    for (const imported of listImports(file)) reached.add(imported);
  }
  return unreached;
}

function isEntry(file: string): boolean {
  return /\/main\.ts$|\.worker\.ts$/.test(file);
}

function readChapters(heading: string): readonly { name: string; text: string }[] {
  const page = readFileSync(join(repoDir, PAGE), 'utf8');
  const section = page.split(new RegExp(`^## ${heading}$`, 'm'))[1]?.split(/^## /m)[0] ?? '';
  return section
    .split(/^### /m)
    .slice(1)
    .map((chapter) => {
      const [name = '', ...lines] = chapter.split('\n');
      return { name, text: lines.join('\n') };
    });
}

function parseStages(text: string): Stage[] {
  return text.split(/^(?=\*\*)/m).flatMap((part) => {
    const [, process, setUp] = /^\*\*([^*]+)\*\*(.*)$/m.exec(part) ?? [];
    return process === undefined ? [] : [{ process, setUp: listPaths(setUp!), files: listItems(part) }];
  });
}

function listItems(text: string): string[] {
  return [...text.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file]) => file!);
}

function listPaths(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, file]) => file!);
}

const imports = new Map<string, readonly string[]>();

/** Files that a file imports, also for their types alone: directly, or by the index of their package. */
function listImports(file: string): readonly string[] {
  const known = imports.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(join(repoDir, file), 'utf8');
  const names = [...text.matchAll(/(?:from |import\()'([^']+)'/g)].map(([, name]) => name!);
  const found = names.flatMap((name) => resolve(file, name) ?? []);
  const all = found.flatMap((imported) =>
    imported.endsWith('/index.ts') ? [imported, ...listImports(imported)] : [imported],
  );
  imports.set(file, all);
  return all;
}

function resolve(file: string, name: string): string | undefined {
  if (name.startsWith('.')) {
    const path = normalize(join(dirname(file), name));
    return existsSync(join(repoDir, path)) ? path : `${path}.ts`;
  }
  const [, library, subpath] = /^@chainwatch\/([\w-]+)(\/.*)?$/.exec(name) ?? [];
  if (library === undefined) return undefined;
  const manifest = JSON.parse(readFileSync(join(repoDir, 'libs', library, 'package.json'), 'utf8')) as {
    exports?: Record<string, string>;
  };
  const target = manifest.exports?.[`.${subpath ?? ''}`];
  return target === undefined ? undefined : normalize(join('libs', library, target));
}
