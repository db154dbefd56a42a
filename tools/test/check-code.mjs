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
import { repoDir } from '../../libs/host/src/repo.mjs';

/** Files of the repository's root, and of prisma's folder, are checked with this project. */
const ROOT_PROJECT = 'tools/test';

const [tasks] = /** @type {[readonly { id: string, root: string, kind: string }[]]} */ (
  await once(process, 'message')
);
const program = createProgram(new Set(tasks.map(({ root }) => root)));
for (const task of tasks) {
  const faults = task.kind === 'lint' ? await lint(task.root) : checkTypes(task.root);
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

/** @param {string} root */
function checkTypes(root) {
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

/** @param {string} root */
async function lint(root) {
  const eslint = new ESLint({
    cwd: repoDir,
    overrideConfig: {
      files: ['**/*.ts'],
      languageOptions: { parserOptions: { projectService: false, programs: [program] } },
    },
  });
  const paths = root === ROOT_PROJECT ? [root, '*.mjs', '*.ts'] : [root];
  const results = await eslint.lintFiles(paths);
  const formatter = await eslint.loadFormatter('stylish');
  return (await formatter.format(results)) + checkFormat(root);
}

/** @param {string} root */
function checkFormat(root) {
  const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [biome, 'format', '--no-errors-on-unmatched', root],
    {
      cwd: repoDir,
      encoding: 'utf8',
    },
  );
  return status === 0 ? '' : `${stdout}${stderr}`;
}
