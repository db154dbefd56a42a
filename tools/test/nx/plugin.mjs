// SPDX-License-Identifier: Apache-2.0
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What `npm run e2e` runs: the whole service and its stack; of single services oracles, lies, real nodes, and loads. */
const E2E = [
  /^tools\/(acceptance|stack)\//,
  /^apps\/.*\.(property|lies\.\w+|anvil|bcoin)\.spec\.ts$/,
  /\/(broker-channels|generated-clients|hundred-thousand|kafka-cuts|liars|random-liars|standby-load|(reconciliations|statements)\/workers)\.spec\.ts$/,
];
const RUN = '@chainwatch/tool-test:run';
const COUNTS = '{workspaceRoot}/.chainwatch/counts/{projectName}';

/**
 * Infers the targets of every package from its folder. Cache and inputs are in nx.json (`targetDefaults`); what only one
 * package has (build, bench, knip) is in its package.json.
 */
export const createNodes = [
  '{apps,libs,tools}/*/package.json',
  (
    /** @type {readonly string[]} */ manifests,
    /** @type {unknown} */ _options,
    /** @type {{ workspaceRoot: string }} */ { workspaceRoot },
  ) =>
    manifests.map((manifest) => {
      const root = dirname(manifest);
      const kinds = new Set(['lint', 'typecheck', ...listSpecs(workspaceRoot, root).map(kindOf)]);
      /** @type {Record<string, { executor: string, outputs?: string[], dependsOn?: string[] }>} */
      const targets = Object.fromEntries(
        [...kinds].map((kind) => [kind, { executor: RUN, outputs: [`${COUNTS}/${kind}.json`] }]),
      );
      if (root.startsWith('apps/'))
        targets.build = { executor: 'nx:noop', dependsOn: ['@chainwatch/tool-stack:build'] };
      return [manifest, { projects: { [root]: { targets } } }];
    }),
];

/**
 * A run that names targets or projects that are not there is an error; nothing affected is none.
 * @param {unknown} _options
 * @param {{ taskResults: object, argv: readonly string[] }} context
 */
export function postTasksExecution(_options, { taskResults, argv }) {
  if (argv.includes('run-many') && Object.keys(taskResults).length === 0)
    throw new Error(`expected tasks to run, got none: nx ${argv.slice(2).join(' ')}`);
}

/** @param {string} spec @returns {'test' | 'e2e'} */
export function kindOf(spec) {
  return E2E.some((pattern) => pattern.test(spec)) ? 'e2e' : 'test';
}

/** @param {string} repoDir @param {string} root @returns {string[]} paths from the repository's root, without what only soak runs */
export function listSpecs(repoDir, root) {
  return readdirSync(join(repoDir, root), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.spec.ts') && !path.endsWith('.soak.spec.ts'))
    .filter((path) => !/(^|\/)(node_modules|dist)\//.test(path))
    .map((path) => `${root}/${path}`)
    .sort();
}
