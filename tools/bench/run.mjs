/** `npm run bench [-- watch-set pipeline latency]`: prepares the machine, then measures. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { prepare } from '../stack/prepare.mjs';

await prepare();
const main = fileURLToPath(new URL('./src/main.ts', import.meta.url));
const { status } = spawnSync(process.execPath, ['--import', 'tsx', main, ...process.argv.slice(2)], {
  stdio: 'inherit',
});
process.exit(status ?? 1);
