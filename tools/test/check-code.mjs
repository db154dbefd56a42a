/**
 * Type check and lint in one process: the lint rules that ask for types get them from the compiler's program, which has
 * found them out already. One after the other they would do the same work twice.
 */
import ts from 'typescript';
import { ESLint } from 'eslint';
import { repoDir } from '../../libs/host/src/repo.mjs';

const program = createProgram();
const typeErrors = ts.getPreEmitDiagnostics(program);
if (typeErrors.length > 0)
  process.stdout.write(
    ts.formatDiagnostics(typeErrors, {
      getCurrentDirectory: () => repoDir,
      getCanonicalFileName: (name) => name,
      getNewLine: () => '\n',
    }),
  );

const eslint = new ESLint({
  cwd: repoDir,
  overrideConfig: {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { projectService: false, programs: [program] } },
  },
});
const results = await eslint.lintFiles('.');
const report = await (await eslint.loadFormatter('stylish')).format(results, {
  cwd: repoDir,
  rulesMeta: eslint.getRulesMetaForResults(results),
});
process.stdout.write(report);

const isClean =
  typeErrors.length === 0 && results.every(({ errorCount, warningCount }) => errorCount + warningCount === 0);
process.exitCode = isClean ? 0 : 1;

function createProgram() {
  const { config } = ts.readConfigFile(`${repoDir}/tsconfig.json`, ts.sys.readFile);
  const { fileNames, options, errors } = ts.parseJsonConfigFileContent(config, ts.sys, repoDir);
  return ts.createProgram({ rootNames: fileNames, options, configFileParsingDiagnostics: errors });
}
