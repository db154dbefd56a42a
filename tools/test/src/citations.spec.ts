// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: repoDir,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(repoDir, file)));
const pages = files.filter((file) => file.endsWith('.md'));
const sources = files.filter(
  (file) => /\.(ts|mjs|sql|yaml)$/.test(file) && !file.endsWith('citations.spec.ts'),
);
const readPage = (file: string): string => readFileSync(join(repoDir, file), 'utf8');

const decisions = readPage('docs/rules/decisions.md');
const invariants = numbersOf(sectionOf(readPage('docs/architecture.md'), 'Invariants'));
const traps = numbersOf(sectionOf(readPage('docs/rules/rpc-gateway.md'), 'Traps between client and node'));
const interfaceText = readPage('docs/rules/interface.md').toLowerCase();

function sectionOf(text: string, heading: string): string {
  const [, rest = ''] = text.split(new RegExp(`^## ${heading}.*$`, 'm'));
  return rest.split(/^## /m)[0]!;
}

function numbersOf(section: string): ReadonlySet<string> {
  return new Set([...section.matchAll(/^(\d+)\. /gm)].map(([, number]) => number!));
}

/** `4` is a heading, `1.7` a row of the table of section 1. */
function isDecision(place: string): boolean {
  const [section, row] = place.split('.');
  const text = sectionOf(decisions, `${section}\\.`);
  return text !== '' && (row === undefined || text.includes(`\n| ${row} |`));
}

/** Comments go over lines: what is cited may stand behind a line's end and the next one's star. */
function readText(file: string): string {
  return readPage(file).replace(/\n\s*(\*|\/\/|--) ?/g, ' ');
}

const programs = new Set(files.filter((file) => /\.tsx?$/.test(file)).map((file) => basename(file)));

/** Migrations stay as they were applied, with the names of their time. */
const isHistory = (file: string): boolean => file.startsWith('prisma/migrations/');

/** TypeScript files that comments name and that are nowhere; `*.spec.ts` and `.worker.ts` are endings, not names. */
function findLostPrograms(text: string): string[] {
  return [...text.matchAll(/\/\*[^]*?\*\/|(?<=^|\s)(?:\/\/|--|#).*$/gm)]
    .flatMap(([comment]) => [...comment.matchAll(/(?<![\w.*<>{}$/-])(?:[\w.-]+\/)*([\w-][\w.-]*\.tsx?)\b/g)])
    .filter(([, name]) => !programs.has(name!))
    .map(([cited]) => cited);
}

/** Files that a configuration names, without patterns. */
function findLostFiles(text: string): string[] {
  return [...text.matchAll(/'((?:apps|libs|tools)\/[\w./-]+\.\w+)'/g)]
    .map(([, file]) => file!)
    .filter((file) => !files.includes(file));
}

/** What a text cites and is not there, in words. */
function findLostCitations(text: string, names: ReadonlySet<string>): string[] {
  const lost: string[] = [];
  for (const [, name] of text.matchAll(/(?<![\w/.-])([\w-]+\.md)\b/g))
    if (!names.has(name!)) lost.push(name!);
  for (const [cited, place] of text.matchAll(/decisions\.md,? (?:§|section )?(\d+(?:\.\d+)?)/g))
    if (!isDecision(place!)) lost.push(cited);
  for (const [cited, list] of text.matchAll(/\binvariants? (\d+(?:(?:,| and| to) \d+)*)/g))
    if (list!.match(/\d+/g)!.some((number) => !invariants.has(number))) lost.push(cited);
  for (const [cited, number] of text.matchAll(/rpc-gateway\.md, trap (\d+)/g))
    if (!traps.has(number!)) lost.push(cited);
  for (const [cited, place] of text.matchAll(/interface\.md, ([A-Za-z ]+?)(?=[);,.]| has| as)/g))
    if (!interfaceText.includes(place!.toLowerCase())) lost.push(cited);
  for (const [cited, number] of text.matchAll(/\bADRs? (\d+)/g))
    if (!pages.some((page) => page.startsWith(`docs/adr/${number!.padStart(4, '0')}-`))) lost.push(cited);
  return lost;
}

describe('citations', () => {
  const names = new Set(pages.map((page) => basename(page)));

  it('in code are of pages, sections, invariants, traps and decisions that are in the repository', () => {
    const lost = sources.flatMap((file) =>
      findLostCitations(readText(file), names).map((cited) => `${file}: ${cited}`),
    );
    expect(lost).toEqual([]);
  });

  it('in comments are of TypeScript files that are in the repository', () => {
    const lost = [...sources, ...files.filter((file) => file.endsWith('.tsx'))]
      .filter((file) => !isHistory(file))
      .flatMap((file) => findLostPrograms(readPage(file)).map((cited) => `${file}: ${cited}`));
    expect(lost).toEqual([]);
  });

  it('in the configuration of lint are of files that are in the repository', () => {
    expect(findLostFiles(readPage('eslint.config.mjs'))).toEqual([]);
    expect(findLostFiles("['libs/gone/src/gone.ts', 'apps/*/x.ts']")).toEqual(['libs/gone/src/gone.ts']);
  });

  it('in pages are links to what is there', () => {
    const lost = pages.flatMap((page) =>
      [...readPage(page).matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, link]) => link!)
        .filter((link) => !/^(https?:|mailto:|#)/.test(link))
        // Written from the code when the site is built: tools/docs/src/pages.spec.ts looks for these.
        .filter((link) => !link.startsWith('/reference/'))
        .filter((link) => !existsSync(join(repoDir, normalize(join(dirname(page), link.split('#')[0]!)))))
        .map((link) => `${page}: ${link}`),
    );
    expect(lost).toEqual([]);
  });

  it.each([
    ['a page', '(pages.md)'],
    ['a section', 'decisions.md §99'],
    ['a row', 'decisions.md 1.99'],
    ['an invariant', 'invariant 99'],
    ['one of several invariants', 'invariants 6 and 99'],
    ['a trap', 'rpc-gateway.md, trap 99'],
    ['a part of the contract', 'interface.md, Telepathy)'],
    ['a decision', 'ADR 99'],
  ])('notice %s that is not there', (_what, text) => {
    expect(findLostCitations(text, names)).toHaveLength(1);
  });

  it.each([
    '// as gone-file.ts has it',
    '/** See libs/gone/src/gone-file.ts. */',
    '-- gone-file.ts',
    '# gone-file.ts',
  ])('notice a file in a comment that is not there: %s', (text) => {
    expect(findLostPrograms(text)).toHaveLength(1);
  });

  it.each(['// citations.spec.ts, *.soak.spec.ts', "const file = 'gone-file.ts';"])(
    'leave names and endings alone: %s',
    (text) => {
      expect(findLostPrograms(text)).toEqual([]);
    },
  );

  it('leave what is there alone', () => {
    const text =
      'decisions.md §4, decisions.md 1.7, architecture.md, invariants 6 and 12, rpc-gateway.md, trap 5, ADR 1, interface.md, Errors)';
    expect(findLostCitations(text, names)).toEqual([]);
  });
});
