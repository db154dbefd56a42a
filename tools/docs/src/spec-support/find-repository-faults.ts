// SPDX-License-Identifier: Apache-2.0
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';
import { serviceNames } from '../../../stack/services.mjs';
import { parseStackOptions } from '../../../stack/stack-options.mjs';
import { DEMO_FLAGS } from '../../../stack/demo-options.mjs';

const readText = (path: string): string => readFileSync(join(repoDir, path), 'utf8');
const isThere = (path: string): boolean => existsSync(join(repoDir, path));
const listNames = (path: string, pattern: RegExp): string[] =>
  [...readText(path).matchAll(pattern)].map(([, name]) => name!);

type Scripts = Readonly<Record<string, string>>;
const readScripts = (folder: string): Scripts | undefined =>
  isThere(join(folder, 'package.json'))
    ? (JSON.parse(readText(join(folder, 'package.json'))) as { scripts?: Scripts }).scripts
    : undefined;
const scripts = readScripts('.')!;
const NPM = ['ci', 'install', 'pack', 'publish'];
/** What they run is named after them. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  soak: listNames('tools/test/soak.mjs', /^ {4}name: '([\w-]+)',$/gm),
  bench: listNames('tools/bench/src/main.ts', /^ {2}'?([\w-]+)'?: (?:async )?\(\) =>/gm),
  docs: ['build'],
};
const specs = ['apps', 'libs', 'tools'].flatMap((folder) =>
  readdirSync(join(repoDir, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.spec.ts') && !path.includes('node_modules'))
    .map((path) => `${folder}/${path}`),
);

type Find = (words: readonly string[], made: readonly string[]) => string | undefined;

const FINDERS: Readonly<Record<string, Find>> = {
  npx: ([name, ...words]) => (name === 'nx' ? findNxFault(words) : undefined),
  nx: findNxFault,
  node: findNodeFault,
  docker: findDockerFault,
  kubectl: findKubectlFault,
};

/** Names of this repository in a command that are not there: scripts, their arguments, projects, services, files. */
export function findRepositoryFault(
  [name = '', ...words]: readonly string[],
  made: readonly string[],
): string | undefined {
  const find = Object.hasOwn(FINDERS, name) ? FINDERS[name] : undefined;
  // Specs are named by a part of their path, examples by their folder.
  return name === 'npm'
    ? findNpmFault(words, made)
    : (find?.(words, made) ?? findFileFault([name, ...words], made));
}

/** What the commands of a script make, so that later ones may name it: files, and what a generator is told. */
export function listMade(commands: readonly (readonly string[])[]): string[] {
  return commands.flatMap((words) =>
    words.filter((word, at) => /^(?:>|-o)$/.test(words[at - 1] ?? '') || isGenerator(words[at - 1])),
  );
}

function isGenerator(word = ''): boolean {
  return word.startsWith('@chainwatch/tools:');
}

function findNpmFault(given: readonly string[], made: readonly string[]): string | undefined {
  const at = given.indexOf('--');
  const [own, args] = at < 0 ? [given, []] : [given.slice(0, at), given.slice(at + 1)];
  if (own[0] === '--prefix') return findScriptFault(readScripts(own[1]!), own.slice(2));
  const [first = '', ...rest] = own.filter((word) => !word.startsWith('-'));
  if (NPM.includes(first)) return undefined;
  const [script = ''] = first === 'run' ? rest : [first];
  return findScriptFault(scripts, [script]) ?? findArgumentFault(script, args, made);
}

function findScriptFault(known: Scripts | undefined, [name = '']: readonly string[]): string | undefined {
  return known !== undefined && Object.hasOwn(known, name)
    ? undefined
    : `expected a script of package.json, got ${name}`;
}

function findArgumentFault(
  script: string,
  args: readonly string[],
  made: readonly string[],
): string | undefined {
  if (script === 'start') return messageOf(() => parseStackOptions(args));
  if (script === 'demo') return findDemoFault(args);
  const names = args.filter((word, at) => !word.startsWith('-') && !/^-/.test(args[at - 1] ?? ''));
  if (script === 'test') {
    const lost = names.find(
      (name) => !isMade(name, made) && !specs.some((spec) => new RegExp(name).test(spec)),
    );
    return lost === undefined ? undefined : `expected a part of the path of a spec, got ${lost}`;
  }
  const parts = Object.hasOwn(PARTS, script) ? PARTS[script]! : undefined;
  const lost = names
    .slice(0, script === 'docs' ? 1 : names.length)
    .find((name) => parts?.includes(name) === false);
  return lost === undefined ? undefined : `expected one of ${parts!.join(', ')}, got ${lost}`;
}

function findDemoFault([tool, ...args]: readonly string[]): string | undefined {
  if (tool === undefined) return undefined;
  if (!Object.hasOwn(DEMO_FLAGS, tool)) return `expected a tool of the demo, got ${tool}`;
  const known: readonly string[] = DEMO_FLAGS[tool as keyof typeof DEMO_FLAGS];
  const lost = args.find((word) => word.startsWith('--') && !known.includes(word.slice(2)));
  return lost === undefined ? undefined : `expected a flag of ${tool}, got ${lost}`;
}

function messageOf(act: () => unknown): string | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    return `expected flags of npm start, got ${(error as Error).message}`;
  }
}

/** `nx test <project>`, `nx g @chainwatch/tools:<generator> … --<property>` */
function findNxFault([target, name = '', ...rest]: readonly string[]): string | undefined {
  if (/^(?:test|lint|typecheck|build)$/.test(target ?? ''))
    return ['apps', 'libs', 'tools'].some((folder) => isThere(`${folder}/${name}/package.json`))
      ? undefined
      : `expected a project, got ${name}`;
  if (!isGenerator(name)) return undefined;
  const path = `tools/nx/${name.split(':')[1]}/schema.json`;
  if (!isThere(path)) return `expected a generator, got ${name}`;
  const { properties } = JSON.parse(readText(path)) as { readonly properties: object };
  const flags = rest.filter((word) => word.startsWith('--')).map((word) => word.slice(2).split('=')[0]!);
  const lost = flags.find((flag) => flag !== 'dry-run' && !Object.hasOwn(properties, flag));
  return lost === undefined ? undefined : `expected an option of ${name}, got --${lost}`;
}

/** A program of the release stands beside the others, or in `dist`. */
function findNodeFault(words: readonly string[]): string | undefined {
  const [, name] = /^(?:dist\/)?([\w-]+)\.mjs$/.exec(words[0] ?? '') ?? [];
  return name === undefined ? undefined : findProgramFault(name);
}

function findProgramFault(name: string): string | undefined {
  const isProgram =
    serviceNames.includes(name) || name === 'chainwatch' || isThere(`tools/db/src/${name}.ts`);
  return isProgram ? undefined : `expected a program of the release, got ${name}.mjs`;
}

/** `docker compose … run [--rm] <service> <program>.mjs` */
function findDockerFault(words: readonly string[]): string | undefined {
  const at = words.indexOf('run');
  if (words[0] !== 'compose' || at < 0) return undefined;
  const [service = '', program] = words.slice(at + 1).filter((word) => !word.startsWith('-'));
  if (!listNames('deploy/compose.yaml', /^ {2}([\w-]+):$/gm).includes(service))
    return `expected a service of compose.yaml, got ${service}`;
  return program === undefined ? undefined : findNodeFault([program]);
}

/** `kubectl scale deployment <service>` */
function findKubectlFault(words: readonly string[]): string | undefined {
  const after = words[words.indexOf('deployment') + 1];
  const name = words.includes('deployment') && after?.startsWith('-') === false ? after : undefined;
  return name === undefined || serviceNames.includes(name) ? undefined : `expected a service, got ${name}`;
}

/** Files of the repository; what a command makes, and what the reader has, is elsewhere. */
function findFileFault(words: readonly string[], made: readonly string[]): string | undefined {
  const file = words.find(
    (word) =>
      /^(?:\.\/)?(?:tools|libs|apps|deploy|examples|docs)\//.test(word) &&
      !word.includes('/dist') &&
      !isMade(word, made) &&
      !isThere(word),
  );
  return file === undefined ? undefined : `expected a file, got ${file}`;
}

function isMade(name: string, made: readonly string[]): boolean {
  return made.some((one) => name.includes(one));
}
