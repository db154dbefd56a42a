import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const NAMESPACE = 'commonjs-names';

/**
 * esbuild plugin: `import('package')` of a CommonJS package gives its names, as Node does. With code splitting esbuild
 * itself gives `default` alone.
 * @type {import('esbuild').Plugin}
 */
export const commonJsNames = {
  name: NAMESPACE,
  setup(build) {
    build.onResolve({ filter: /^[@a-z]/ }, async ({ path, kind, resolveDir, importer }) => {
      if (kind !== 'dynamic-import' || /^(node:|@chainwatch\/)/.test(path) || importer.includes('node_modules')) return undefined;
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

/** @param {string} file @returns {Promise<string[] | undefined>} undefined for an ES module */
async function findNames(file) {
  try {
    const exports = createRequire(file)(file);
    const namespace = await import(pathToFileURL(file).href);
    if (namespace.default !== exports) return undefined;
    return Object.keys(namespace).filter((name) => /^[A-Za-z_$][\w$]*$/.test(name) && name !== 'default' && name !== '__esModule');
  } catch {
    return undefined;
  }
}
