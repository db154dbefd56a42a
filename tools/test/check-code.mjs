// SPDX-License-Identifier: Apache-2.0
/**
 * Type check and lint in one process: the lint rules that ask for types get them from the compiler's program, which has
 * found them out already. Started by nx/check-projects.mjs, which sends the tasks and is sent what is wrong with each.
 */
import { relative } from 'node:path';
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { once } from 'node:events';
import ts from 'typescript';
import { ESLint } from 'eslint';
import { repoDir } from '../../libs/testing/src/host/repo.mjs';

// @nx/enforce-module-boundaries reads the project graph once for ESLint's own command, and for each file elsewhere.
process.argv[1] = createRequire(import.meta.url)
  .resolve('eslint/package.json')
  .replace('package.json', 'bin/eslint.js');

/** Files of the repository's root, of prisma's folder and of the examples are checked with this project. */
const ROOT_PROJECT = 'tools/test';

const [tasks] = /** @type {[readonly { id: string, root: string, kind: string }[]]} */ (
  await once(process, 'message')
);
/** Of all at once: Biome starts once where nothing is wrong. */
const isFormatted = checkFormat(tasks.filter(({ kind }) => kind === 'lint').map(({ root }) => root)) === '';
const shared = createProgram(new Set(tasks.map(({ root }) => root)));
/** Of projects with settings of their own. @type {Map<string, ts.Program>} */
const ownPrograms = new Map();
for (const task of tasks) {
  const program = programOf(task.root);
  const faults = task.kind === 'lint' ? await lint(task.root, program) : checkTypes(task.root, program);
  process.stdout.write(`${faults === '' ? 'PASS' : 'FAIL'} ${task.kind} ${task.root}\n${faults}`);
  process.send?.({ id: task.id, faults });
}
process.disconnect();

/** @param {string} fileName */
function rootOf(fileName) {
  const [folder = '', name = ''] = relative(repoDir, fileName).split('/');
  return /^(apps|libs|tools)$/.test(folder) ? `${folder}/${name}` : ROOT_PROJECT;
}

/** @param {ReadonlySet<string>} roots */
function createProgram(roots) {
  const { config } = ts.readConfigFile(`${repoDir}/tsconfig.json`, ts.sys.readFile);
  const { fileNames, options, errors } = ts.parseJsonConfigFileContent(config, ts.sys, repoDir);
  const rootNames = fileNames.filter((fileName) => roots.has(rootOf(fileName)));
  return ts.createProgram({ rootNames, options, configFileParsingDiagnostics: errors });
}

/**
 * A page in a browser has other types around it than a service: a project with JSX is a program of its own.
 * @param {string} root
 */
function programOf(root) {
  const known = ownPrograms.get(root);
  if (known !== undefined) return known;
  const dir = `${repoDir}/${root}`;
  const { config } = ts.readConfigFile(`${dir}/tsconfig.json`, ts.sys.readFile);
  if (config?.compilerOptions?.jsx === undefined) return shared;
  const { fileNames, options, errors } = ts.parseJsonConfigFileContent(config, ts.sys, dir);
  const program = ts.createProgram({
    rootNames: fileNames,
    options: { ...options, noEmit: true, composite: false, incremental: false, emitDeclarationOnly: false },
    configFileParsingDiagnostics: errors,
  });
  ownPrograms.set(root, program);
  return program;
}

/** @param {string} root @param {ts.Program} program */
function checkTypes(root, program) {
  const ofConfig = [...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics()];
  const ofFiles = program
    .getSourceFiles()
    .filter(({ fileName }) => !fileName.includes('/node_modules/') && rootOf(fileName) === root)
    .flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]);
  return ts.formatDiagnostics([...ofConfig, ...ofFiles], {
    getCurrentDirectory: () => repoDir,
    getCanonicalFileName: (name) => name,
    getNewLine: () => '\n',
  });
}

/** @param {string} root @param {ts.Program} program */
async function lint(root, program) {
  const eslint = new ESLint({
    cwd: repoDir,
    overrideConfig: {
      files: ['**/*.ts', '**/*.tsx'],
      languageOptions: { parserOptions: { projectService: false, programs: [program] } },
    },
  });
  const paths = root === ROOT_PROJECT ? [root, 'examples', '*.mjs', '*.ts'] : [root];
  const results = await eslint.lintFiles(paths);
  const formatter = await eslint.loadFormatter('stylish');
  return (await formatter.format(results)) + (isFormatted ? '' : checkFormat([root]));
}

/** @param {readonly string[]} roots */
function checkFormat(roots) {
  if (roots.length === 0) return '';
  const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [biome, 'format', '--no-errors-on-unmatched', ...roots],
    {
      cwd: repoDir,
      encoding: 'utf8',
    },
  );
  return status === 0 ? '' : `${stdout}${stderr}`;
}
