import { readFileSync } from 'node:fs';
import { compileProver, tables } from '../build.mjs';

const read = (file: string): Buffer => readFileSync(new URL(`../${file}`, import.meta.url));

describe('what is kept with the sources', () => {
  it.each([...tables])('%s is what layout.mjs gives', (file, make) => {
    expect(read(file).toString()).toBe(make());
  });

  it('src/prover.wasm is what the sources give', async () => {
    expect(read('src/prover.wasm').equals(await compileProver())).toBe(true);
  }, 60_000);
});
