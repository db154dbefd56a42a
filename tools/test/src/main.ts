import { runJest } from './run-jest.ts';
import { runChecks } from './run-checks.ts';
import { startPostgresServer } from '@chainwatch/testing';

const jestArgs = process.argv.slice(2);
const startedAt = Date.now();
const counts = { passed: 0, failed: 0 };

const postgres = await startPostgresServer({ isDurable: false });
const shutDown = (): void => void postgres.stop().finally(() => process.exit(130));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, shutDown);

try {
  // Arguments name a part of the tests: whoever asks for it wants no static checks of everything else.
  const [checks, tests] = await Promise.all([
    jestArgs.length === 0 ? runChecks() : [],
    runJest(jestArgs, { TEST_DATABASE_URL: postgres.url }),
  ]);
  for (const { passed, failed } of [...checks, tests]) {
    counts.passed += passed;
    counts.failed += failed;
  }
} finally {
  await postgres.stop();
}
console.log(`\nTook ${Math.round((Date.now() - startedAt) / 1_000)} s`);
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0;
