/** `npm test`: everything; `npm test -- libs/caip -t pattern`: Jest alone with these arguments. */
import { spawn } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import { prepare } from '../stack/prepare.mjs';
import { repoDir } from '../../libs/host/src/repo.mjs';
import { exitWith } from '../../libs/host/src/setup-error.mjs';

try {
  // Specs start their own servers whatever this shell points at.
  const { natsServer, redisServer } = await prepare({ env: { ...process.env, NATS_URL: '', REDIS_URL: '' } });
  const serverDirs = [natsServer, redisServer]
    .filter((file) => file !== undefined)
    .map((file) => dirname(file));
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', join(repoDir, 'tools/test/src/main.ts'), ...process.argv.slice(2)],
    {
      cwd: repoDir,
      stdio: 'inherit',
      env: { ...process.env, PATH: [process.env.PATH, ...new Set(serverDirs)].join(delimiter) },
    },
  );
  // The child hears Ctrl-C itself and stops its servers; this process waits for it.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => signal !== 'SIGINT' && child.kill(signal));
  child.on('exit', (code) => process.exit(code ?? 1));
} catch (error) {
  exitWith(error);
}
