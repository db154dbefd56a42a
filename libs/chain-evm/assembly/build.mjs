/**
 * Compiles the module into src/block-prover-wasm.ts: `npm run build:wasm` after a change here. The result is kept with the
 * sources, so that nothing but its spec needs the compiler.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const directory = fileURLToPath(new URL('.', import.meta.url));
const target = new URL('../src/block-prover-wasm.ts', import.meta.url);
// Not a literal: the compiler's types would change those of arrays for whoever imports this.
const compiler = 'assemblyscript/asc';

/**
 * Text of src/block-prover-wasm.ts. Throws with the compiler's messages.
 * @returns {Promise<string>}
 */
export async function compileProver() {
  const { main } = await import(compiler);
  /** @type {Uint8Array} */
  let binary = new Uint8Array();
  const { error, stderr } = await main(
    ['index.ts', '--baseDir', directory, '--outFile', 'out.wasm', '--runtime', 'stub', '-O3', '--noAssert', '--enable', 'simd', '--maximumMemory', '8192', '--use', 'abort='],
    { readFile: readSource, writeFile: (/** @type {string} */ _, /** @type {Uint8Array} */ contents) => void (binary = contents), listFiles: () => [] },
  );
  if (error !== null) throw new Error(`${error.message}\n${stderr.toString()}`);
  const lines = Buffer.from(binary).toString('base64').match(/.{1,120}/g) ?? [];
  return `// Made from ../assembly by \`npm run build:wasm\`.\nexport const blockProverWasm = [\n${lines.map((line) => `  '${line}',\n`).join('')}].join('');\n`;
}

/** @param {string} name */
function readSource(name) {
  try {
    return readFileSync(`${directory}${name}`, 'utf8');
  } catch {
    return null;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(target, await compileProver());
