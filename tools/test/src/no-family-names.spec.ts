// SPDX-License-Identifier: Apache-2.0
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';

/** A family is a folder in libs, an app that binds it, a line of the registry and a row of deploy/services.json. */
const OWN = /^(libs\/chain-(?!core$|registry$)|apps\/block-ingestor-)/;
const OWN_TAGS = ['type:family', 'type:family-base', 'type:testing'];
/** Lines of the registry, and files of examples for people. */
const ALLOWED = [
  'libs/chain-registry/src/entries.ts',
  'libs/events/src/event-matters.ts',
  'libs/events/src/event-records.ts',
  'libs/events/src/events.ts',
  'apps/api-gateway/src/openapi/build-document.ts',
];
const FAMILIES = readdirSync(join(repoDir, 'libs')).flatMap(
  (name) => /^chain-(?!core$|registry$)(.+)$/.exec(name)?.[1] ?? [],
);
const WORDS = [...FAMILIES, 'ethereum', 'eip155', 'bip122', 'erc20', 'trc20'].join('|');
const CAPITALS = [...FAMILIES, 'ethereum'].map((name) => name[0]!.toUpperCase() + name.slice(1)).join('|');
const NAMES = new RegExp(`(?<![a-z])(?:${WORDS})(?![a-z])|(?:${CAPITALS})(?![a-z])`);

function listShared(): string[] {
  return ['apps', 'libs']
    .flatMap((parent) => readdirSync(join(repoDir, parent)).map((name) => `${parent}/${name}`))
    .filter((folder) => existsSync(join(repoDir, folder, 'package.json')))
    .filter((folder) => !OWN.test(folder) && !OWN_TAGS.includes(readTag(folder)));
}

function readTag(folder: string): string {
  const manifest = JSON.parse(readFileSync(join(repoDir, folder, 'package.json'), 'utf8')) as {
    nx?: { tags?: string[] };
  };
  return manifest.nx?.tags?.[0] ?? '';
}

function listSources(folder: string): string[] {
  return readdirSync(join(repoDir, folder, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !/(^|\/)(spec-|generated\/|testing\/)|\.spec\.tsx?$/.test(file))
    .map((file) => `${folder}/src/${file}`);
}

/** Without what only people read: comments, examples, descriptions, texts that say "such as". */
function readCode(text: string): string {
  return text
    .replace(/\/\*[^]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')
    .replace(
      /\b(?:examples?|description):\s*(?:\[[^]*?\](?=[,\s}])|\{[^]*?\}(?=[,\s)])|'[^']*'|`[^`]*`)/g,
      '',
    )
    .replace(/such as .*/g, '');
}

it('every app and library but a family and its ingestor is looked at', () => {
  expect(listShared()).toEqual(
    expect.arrayContaining([
      'apps/api-gateway',
      'apps/tx-analyzer',
      'libs/ingestor',
      'libs/common',
      'libs/data',
    ]),
  );
});

it.each(listShared())('%s names no chain family', (folder) => {
  const sources = listSources(folder).filter((file) => !ALLOWED.includes(file));
  expect(sources).not.toEqual([]);
  expect(sources.filter((file) => NAMES.test(readCode(readFileSync(join(repoDir, file), 'utf8'))))).toEqual(
    [],
  );
});

it.each([
  ["const families = ['evm'];", true],
  ['const updateTron = 1;', true],
  ["z.string().meta({ description: 'Of Solana.', examples: ['eip155:1'] })", false],
  ['/** TRON and EVM: tron */ const one = 1;', false],
])('a name is found in code alone: %s', (text, isFound) => {
  expect(NAMES.test(readCode(text))).toBe(isFound);
});
