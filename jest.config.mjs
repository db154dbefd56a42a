import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const rootDir = dirname(fileURLToPath(import.meta.url));

/** Native-ESM Jest: the ESM-only SDKs (@scure, @noble, the NATS packages) do not load through CommonJS. */
export default {
  rootDir,
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript' },
          experimental: { keepImportAttributes: true },
        },
        module: { type: 'es6' },
      },
    ],
  },
  roots: ['<rootDir>/apps', '<rootDir>/libs', '<rootDir>/tools'],
  testMatch: ['**/*.spec.ts'],
  // What takes longer than a developer waits is run by `npm run soak` alone (tools/test/soak.mjs).
  testPathIgnorePatterns: ['/node_modules/', '/dist/', ...(process.env.SOAK ? [] : ['\\.soak\\.spec\\.ts$'])],
  modulePathIgnorePatterns: ['<rootDir>/.chainwatch', '<rootDir>/dist', '<rootDir>/libs/[^/]+/dist'],
  // Finds what hangs. Conditions are waited for up to a minute each, so that a slow machine fails nothing.
  testTimeout: 300_000,
  // Two more than cores: services, nodes and timers are waited for.
  maxWorkers: Math.min(availableParallelism(), 4) + 2,
  // Jest keeps what files of native modules leave behind: a worker that grew is replaced before it only collects garbage.
  workerIdleMemoryLimit: '800MB',
  reporters: ['default', '<rootDir>/tools/test/summary-reporter.mjs'],
};
