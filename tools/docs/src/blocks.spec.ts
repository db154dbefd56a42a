// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';
import { listPages } from './list-pages.ts';
import { readCodeBlocks, readGiven, type CodeBlock } from './markdown.ts';
import { findCliFault, findRouteFault, findShellFaults } from './spec-support/find-shell-faults.ts';
import { parseBlocks, typeCheckBlocks } from './spec-support/type-check-blocks.ts';

const { pages } = listPages();
/** As the repository has them: comments say what a block takes for granted. */
const texts = pages.map(({ path, source, text }) => ({
  path,
  isWritten: source === undefined,
  text: source === undefined ? text : readFileSync(join(repoDir, source), 'utf8'),
}));
/** Of rooms to which no page leads. */
const readmes = ['apps', 'libs', 'tools', 'examples']
  .flatMap((folder) =>
    readdirSync(join(repoDir, folder), { recursive: true, encoding: 'utf8' }).map(
      (path) => `${folder}/${path}`,
    ),
  )
  .filter((path) => path.endsWith('README.md') && !/(?:^|\/)(?:node_modules|dist)\//.test(path))
  .filter((path) => pages.every(({ source }) => source !== path))
  .map((path) => ({ path, isWritten: false, text: readFileSync(join(repoDir, path), 'utf8') }));
const blocks = [...texts, ...readmes].flatMap(({ path, text, isWritten }) =>
  readCodeBlocks(text).map((block) => ({
    ...block,
    ...{ path, isWritten },
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
    const found = written('ts')
      .filter(isWhole)
      .map(({ place, code, given, pageGiven, isWritten }) => ({
        place,
        code,
        given: given || (hasImport(code) ? '' : isWritten ? SAMPLES_GIVEN : pageGiven),
      }));
    expect(found.length).toBeGreaterThan(100);
    expect(typeCheckBlocks(found)).toEqual([]);
  });

  it('parses where it is JavaScript, or a part of a file', () => {
    const found = written('ts', 'js').filter((block) => block.language === 'js' || !isWhole(block));
    expect(found.length).toBeGreaterThan(20);
    expect(parseBlocks(found)).toEqual([]);
    expect(parseBlocks([{ place: 'a page', code: 'const x = ;' }])).toHaveLength(1);
  });

  it('would not with a method or a member that is not there', () => {
    const code = `await chainwatch.addresses.listAll();\nawait chainwatch.addresses.list({ limits: 1 });`;
    expect(typeCheckBlocks([{ place: 'a page', code, given: SAMPLES_GIVEN }])).toHaveLength(2);
  });
});

/** Pages for developers of chainwatch itself show parts of files. */
function isWhole({ path }: { readonly path: string }): boolean {
  return (
    !/^(?:repository|apps|libs|tools)\//.test(path) ||
    /^repository\/(?:index|libs\/(?:sdk|webhook-signature)\/)/.test(path)
  );
}

function hasImport(code: string): boolean {
  return /^import /m.test(code);
}

describe('shell of the pages', () => {
  const scripts = written('sh', 'bash');

  it('is marked as sh or bash', () => {
    expect(written('shell', 'console', 'zsh', 'shellsession').map(({ place }) => place)).toEqual([]);
  });

  it('has no comments, which zsh takes for words at its prompt', () => {
    expect(scripts.filter(({ code }) => /(?:^|\s)#\s/.test(code)).map(({ place }) => place)).toEqual([]);
  });

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
    ['npm start -- --detached', 'expected flags of npm start'],
    ['npm run soak -- gone', 'expected one of oracle'],
    ['npm run bench -- gone', 'expected one of deliveries'],
    ['npm run demo -- sent --to x', 'expected a tool'],
    ['npm run --silent demo -- send --from x', 'expected a flag of send'],
    ['npm --prefix examples/gone start', 'expected a script'],
    ['npm test -- libs/gone -t x', 'expected a part of the path'],
    ['npx nx test gone', 'expected a project'],
    ['npx nx g @chainwatch/tools:gone x', 'expected a generator'],
    ['npx nx g @chainwatch/tools:endpoint x.y --gone=1', 'expected an option'],
    ['A=1 node tools/gone.mjs', 'expected a file'],
    ['node gone.mjs && true', 'expected a program'],
    ['docker build -f deploy/Gone -t x .', 'expected a file'],
    ['docker compose -f deploy/compose.yaml run --rm gone x.mjs', 'expected a service'],
    ['docker compose -f deploy/compose.yaml run --rm migrate gone.mjs', 'expected a program'],
    ['kubectl apply -k deploy/kubernetes/gone', 'expected a file'],
    ['kubectl scale deployment gone --replicas 3', 'expected a service'],
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

  it('names scripts, their arguments and files that are there', () => {
    const commands = [...texts, ...readmes]
      .filter(({ path }) => !/CHANGELOG|^adr\//.test(path))
      .flatMap(({ path, text }) =>
        [...text.matchAll(/`((?:[A-Z_]+=\S* )*(?:npm|npx|nx|node|tsx|sh|docker|kubectl) [^`]*?)…?`/g)].map(
          ([, code]) => ({
            path,
            code: code!,
          }),
        ),
      );
    expect(commands.length).toBeGreaterThan(100);
    expect(
      commands.flatMap(({ path, code }) => findShellFaults(code).map((fault) => `${path}: ${fault}`)),
    ).toEqual([]);
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
  return /^package /m.test(code) ? code : `package main\n\nfunc main() {\n${code}\n}\n`;
}
