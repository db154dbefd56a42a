// SPDX-License-Identifier: Apache-2.0
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const rootDir = dirname(fileURLToPath(import.meta.url));

/**
 * Specs are modules of Node itself, as in production: Jest's sandbox looks up each global by an interceptor and loads every
 * library again for each spec. A worker's specs share its process: what one sets up for the process, it takes down again.
 */
export default {
  rootDir,
  runner: '<rootDir>/tools/test/spec-runner.mjs',
  setupFilesAfterEnv: ['<rootDir>/tools/test/spec-setup.mjs'],
  roots: ['<rootDir>/apps', '<rootDir>/libs', '<rootDir>/tools'],
  testMatch: ['**/*.spec.ts'],
  // What takes longer than a developer waits is run by `npm run soak` alone (tools/test/soak.mjs).
  testPathIgnorePatterns: ['/node_modules/', '/dist/', ...(process.env.SOAK ? [] : ['\\.soak\\.spec\\.ts$'])],
  modulePathIgnorePatterns: ['<rootDir>/.chainwatch', '<rootDir>/dist', '<rootDir>/libs/[^/]+/dist'],
  // Two more than cores: services, nodes and timers are waited for.
  maxWorkers: Math.min(availableParallelism(), 4) + 2,
  reporters: ['default', '<rootDir>/tools/test/summary-reporter.mjs'],
};
