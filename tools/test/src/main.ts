// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';
import { chooseDataDir, startPostgresServer } from '@chainwatch/testing';
import { runJest } from './run-jest.ts';

/** `npm test -- arguments`: Jest alone with these arguments, over one PostgreSQL. */
const startedAt = Date.now();
process.env.TEST_DATA_DIR = chooseDataDir();
const postgres = await startPostgresServer({ isDurable: false });
const shutDown = (): void => void postgres.stop().finally(() => process.exit(130));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, shutDown);
const counts = { passed: 0, failed: 0 };
try {
  const args = ['--config', join(repoDir, 'jest.config.mjs'), ...process.argv.slice(2)];
  for (const { passed, failed } of await runJest(args, { TEST_DATABASE_URL: postgres.url })) {
    counts.passed += passed;
    counts.failed += failed;
  }
} finally {
  await postgres.stop();
}
console.log(`\nTook ${Math.round((Date.now() - startedAt) / 1_000)} s`);
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0;
