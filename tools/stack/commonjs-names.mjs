// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const NAMESPACE = 'commonjs-names';
const run = promisify(execFile);

/**
 * esbuild plugin: `import('package')` of a CommonJS package gives its names, as Node does. With code splitting esbuild
 * itself gives `default` alone.
 * @type {import('esbuild').Plugin}
 */
export const commonJsNames = {
  name: NAMESPACE,
  setup(build) {
    build.onResolve({ filter: /^[@a-z]/ }, async ({ path, kind, resolveDir, importer }) => {
      if (
        kind !== 'dynamic-import' ||
        /^(node:|@chainwatch\/)/.test(path) ||
        importer.includes('node_modules')
      )
        return undefined;
      // Another kind than this handler answers, so that it is not asked again.
      const resolved = await build.resolve(path, { kind: 'import-statement', resolveDir });
      const names = await findNames(resolved.path);
      return names ? { path, namespace: NAMESPACE, pluginData: { names, resolveDir } } : undefined;
    });
    build.onLoad({ filter: /./, namespace: NAMESPACE }, ({ path, pluginData }) => ({
      contents: `import * as all from ${JSON.stringify(path)};\nexport default all.default ?? all;\nexport const { ${pluginData.names.join(', ')} } = all;\n`,
      resolveDir: pluginData.resolveDir,
    }));
  },
};

const SCRIPT = `
const { createRequire } = await import('node:module');
const file = process.argv[1];
const exported = createRequire(file)(file);
const namespace = await import((await import('node:url')).pathToFileURL(file).href);
const isCommonJs = namespace.default === exported;
process.stdout.write(JSON.stringify(isCommonJs ? Object.keys(namespace) : null));
`;

/**
 * Asked in a process of its own: under tsx and Jest packages load in another form than they do for the services.
 * @param {string} file @returns {Promise<string[] | undefined>} undefined for an ES module
 */
async function findNames(file) {
  try {
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', SCRIPT, file], {
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    const names = JSON.parse(stdout);
    return names?.filter(
      (/** @type {string} */ name) =>
        /^[A-Za-z_$][\w$]*$/.test(name) && name !== 'default' && name !== '__esModule',
    );
  } catch {
    return undefined;
  }
}
