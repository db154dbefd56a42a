/**
 * Compiles the module into src/block-prover-wasm.ts: `npm run build:wasm` after a change here. The result is kept with the
 * sources, so that nothing but this folder's spec needs the compiler.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

const directory = fileURLToPath(new URL('.', import.meta.url));
const target = new URL('../src/block-prover-wasm.ts', import.meta.url);

/** Text of src/block-prover-wasm.ts. @throws Error with the compiler's messages */
export async function compileProver() {
  let binary;
  const { error, stderr } = await asc.main(
    ['index.ts', '--baseDir', directory, '--outFile', 'out.wasm', '--runtime', 'stub', '-O3', '--noAssert', '--enable', 'simd', '--use', 'abort='],
    { readFile: (name) => readSource(name), writeFile: (_, contents) => void (binary = contents), listFiles: () => [] },
  );
  if (error !== null) throw new Error(`${error.message}\n${stderr.toString()}`);
  const lines = Buffer.from(binary).toString('base64').match(/.{1,120}/g);
  return `// Made from ../assembly by \`npm run build:wasm\`.\nexport const blockProverWasm = [\n${lines.map((line) => `  '${line}',\n`).join('')}].join('');\n`;
}

function readSource(name) {
  try {
    return readFileSync(`${directory}${name}`, 'utf8');
  } catch {
    return null;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(target, await compileProver());
