import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repoDir } from '@chainwatch/host';
import { listPages } from './list-pages.ts';
import { readCodeBlocks, readGiven, type CodeBlock } from './markdown.ts';
import { findCliFault, findRouteFault, findShellFaults } from './spec-support/find-shell-faults.ts';
import { typeCheckBlocks } from './spec-support/type-check-blocks.ts';

const { pages } = listPages();
/** As the repository has them: comments say what a block takes for granted. */
const texts = pages.map(({ path, source, text }) => ({
  path,
  isWritten: source === undefined,
  text: source === undefined ? text : readFileSync(join(repoDir, source), 'utf8'),
}));
/** Pages for developers of chainwatch itself show parts of files. */
const blocks = texts
  .filter(
    ({ path }) =>
      !path.startsWith('repository/') || /^repository\/(index|libs\/(sdk|webhook-signature)\/)/.test(path),
  )
  .flatMap(({ path, text, isWritten }) =>
    readCodeBlocks(text).map((block) => ({
      ...block,
      isWritten,
      place: `${path}:${block.line}`,
      pageGiven: readGiven(text).join('\n'),
    })),
  );
const written = (...languages: string[]): (typeof blocks)[number][] =>
  blocks.filter(({ language }) => languages.includes(language));

const SAMPLES_GIVEN = `import { createClient } from '@chainwatch/sdk';
const chainwatch = createClient({ baseUrl: '', apiKey: '' });`;

describe('TypeScript of the pages', () => {
  it('type-checks', () => {
    const found = written('ts').map(({ place, code, given, pageGiven, isWritten }) => ({
      place,
      code,
      given: given || (hasImport(code) ? '' : isWritten ? SAMPLES_GIVEN : pageGiven),
    }));
    expect(found.length).toBeGreaterThan(100);
    expect(typeCheckBlocks(found)).toEqual([]);
  });

  it('would not with a method or a member that is not there', () => {
    const code = `await chainwatch.addresses.listAll();\nawait chainwatch.addresses.list({ limits: 1 });`;
    expect(typeCheckBlocks([{ place: 'a page', code, given: SAMPLES_GIVEN }])).toHaveLength(2);
  });
});

function hasImport(code: string): boolean {
  return /^import /m.test(code);
}

describe('shell of the pages', () => {
  const scripts = written('sh', 'bash');

  it.each(scripts.map(({ place, code }) => [place, code]))('%s: bash reads it', (_place, code) => {
    const { status, stderr } = spawnSync('bash', ['-n'], { input: code, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });

  it('names commands, flags, scripts, files, routes, parameters and bodies that are there', () => {
    expect(scripts.length).toBeGreaterThan(100);
    expect(
      scripts.flatMap(({ place, code }) => findShellFaults(code).map((fault) => `${place}: ${fault}`)),
    ).toEqual([]);
  });

  it.each([
    ['npx chainwatch listen', 'expected npx --no-install'],
    ['npx --no-install chainwatch lisen', 'expected a command'],
    ['npx --no-install chainwatch listen --forward http://x', 'expected an option'],
    ['npx --no-install chainwatch events get one two', 'expected at most 1'],
    ['npm run nothing -- --x', 'expected a script'],
    ['A=1 node tools/gone.mjs', 'expected a file'],
    ['x=$(curl -s "$API/adresses")', 'expected a route'],
    ['curl -X PATCH "$API/transactions"', 'expected a route'],
    ['true && curl "$API/addresses?pages=1" | cat', 'expected a parameter'],
    [`curl "$API/addresses/external" -d '{"value": "0x00", "family": "evm"}'`, 'must NOT have additional'],
    [`curl "$API/addresses/external" -d '{"value": }'`, 'expected JSON'],
    ['echo $(( $(curl "$API/gone") + 2 ))', 'expected a route'],
  ])('%s: %s', (script, fault) => {
    expect(findShellFaults(script)).toEqual([expect.stringContaining(fault)]);
  });
});

describe('code within sentences', () => {
  const own = texts.filter(({ path }) =>
    /^(guides|concepts|cookbook|start|compare|reference\/(?!api))/.test(path),
  );
  const listCode = (pattern: RegExp): { path: string; found: RegExpExecArray }[] =>
    own.flatMap(({ path, text }) => [...text.matchAll(pattern)].map((found) => ({ path, found })));

  it('names routes that are there', () => {
    const routes = listCode(/`(GET|POST|PUT|PATCH|DELETE) (?:\/v1)?(\/[a-z][^`\s]*)/g);
    expect(routes.length).toBeGreaterThan(50);
    const faults = routes.flatMap(({ path, found: [, method, route] }) => {
      const cleaned = route!.replace(/=?…/g, '');
      // That page leaves out what it says in its first line.
      const base =
        path === 'guides/management.md' && !/^\/(tokens|assets)/.test(cleaned) ? '/management' : '';
      const fault = findRouteFault(method!, `${base}${cleaned}`);
      return fault === undefined ? [] : [`${path}: ${fault}`];
    });
    expect(faults).toEqual([]);
  });

  it('names commands of the program that are there', () => {
    const commands = listCode(/`(?:npx --no-install )?chainwatch ([a-z][^`]*)`/g);
    expect(commands.length).toBeGreaterThan(3);
    const faults = commands.flatMap(({ path, found: [, words] }) => {
      const fault = findCliFault(words!.split(/\s+/));
      return fault === undefined ? [] : [`${path}: ${fault}`];
    });
    expect(faults).toEqual([]);
  });
});

describe.each([
  ['python', 'python3', ['-c', 'import ast, json, sys\nfor block in json.load(sys.stdin): ast.parse(block)']],
  ['go', 'gofmt', ['-e', '-l']],
] as const)('%s of the pages', (language, command, args) => {
  const own = written(language);
  const isThere = spawnSync(command, ['--help']).error === undefined;
  if (!isThere) console.log(`skipped: ${command} was not found`);

  (isThere ? it : it.skip)('is well formed', () => {
    expect(own.length).toBeGreaterThan(100);
    const inputs = language === 'python' ? [JSON.stringify(own.map(({ code }) => code))] : own.map(toGoFile);
    for (const input of inputs) {
      const { status, stderr } = spawnSync(command, args, { input, encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, '']);
    }
  });
});

/** A sample is a statement. */
function toGoFile({ code }: CodeBlock): string {
  return code.startsWith('package ') ? code : `package main\n\nfunc main() {\n${code}\n}\n`;
}
