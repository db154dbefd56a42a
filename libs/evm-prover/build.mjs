/**
 * Makes everything that the sources give: `npm run build:wasm` after a change of `assembly/` or `layout.mjs`. The results
 * are kept with the sources, so that nothing but their spec needs the compiler.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { makeAssemblyKeys, makeAssemblyLayout, makeCallerLayout } from './make-tables.mjs';

const directory = fileURLToPath(new URL('./assembly/', import.meta.url));
// Not a literal: the compiler's types would change those of arrays for whoever imports this.
const compiler = 'assemblyscript/asc';

/** The texts that are made of layout.mjs, by their file. */
export const tables = new Map([
  ['assembly/layout.ts', makeAssemblyLayout],
  ['assembly/keys.ts', makeAssemblyKeys],
  ['src/layout.ts', makeCallerLayout],
]);

/**
 * Bytes of src/prover.wasm, of the sources as they stand. Throws with the compiler's messages.
 * @returns {Promise<Uint8Array>}
 */
export async function compileProver() {
  const { main } = await import(compiler);
  /** @type {Uint8Array} */
  let binary = new Uint8Array();
  const flags = ['--runtime', 'stub', '-O3', '--noAssert', '--enable', 'simd', '--maximumMemory', '8192'];
  const { error, stderr } = await main(
    ['index.ts', '--baseDir', directory, '--outFile', 'out.wasm', ...flags, '--use', 'abort='],
    {
      readFile: readSource,
      writeFile: (/** @type {string} */ _, /** @type {Uint8Array} */ contents) => void (binary = contents),
      listFiles: () => [],
    },
  );
  if (error !== null) throw new Error(`${error.message}\n${stderr.toString()}`);
  return binary;
}

/** @param {string} name */
function readSource(name) {
  try {
    return readFileSync(`${directory}${name}`, 'utf8');
  } catch {
    return null;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [file, make] of tables) writeFileSync(new URL(file, import.meta.url), make());
  writeFileSync(new URL('src/prover.wasm', import.meta.url), await compileProver());
}
