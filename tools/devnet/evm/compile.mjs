// SPDX-License-Identifier: Apache-2.0
/** `node tools/devnet/evm/compile.mjs`: compiles contracts/*.sol to artifacts.json, which is committed. */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import solc from 'solc';

const contractsDir = new URL('./contracts/', import.meta.url);
const files = readdirSync(contractsDir)
  .filter((file) => file.endsWith('.sol'))
  .sort();
const input = {
  language: 'Solidity',
  sources: Object.fromEntries(
    files.map((file) => [file, { content: readFileSync(new URL(file, contractsDir), 'utf8') }]),
  ),
  settings: {
    optimizer: { enabled: true, runs: 200 },
    // Every devnet and fork that the tests use understands Shanghai.
    evmVersion: 'shanghai',
    // No metadata hash: the bytecode depends on the code alone, not on comments or this file's place.
    metadata: { bytecodeHash: 'none', appendCBOR: false },
    outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
  },
};
const output = JSON.parse(solc.compile(JSON.stringify(input)));
const errors = (output.errors ?? []).filter(({ severity }) => severity === 'error');
if (errors.length > 0) {
  console.error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'));
  process.exit(1);
}
const artifacts = {};
for (const file of files) {
  for (const [name, { abi, evm }] of Object.entries(output.contracts[file]))
    artifacts[name] = { abi, bytecode: `0x${evm.bytecode.object}` };
}
writeFileSync(new URL('./artifacts.json', import.meta.url), `${JSON.stringify(artifacts, undefined, 1)}\n`);
console.log(`compiled ${Object.keys(artifacts).join(', ')} with solc ${solc.version()}`);
