import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const rootDir = dirname(fileURLToPath(import.meta.url));

/** Native-ESM Jest: the ESM-only SDKs (@scure, @noble, the NATS packages) do not load through CommonJS. */
export default {
  rootDir,
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2022', parser: { syntax: 'typescript' }, experimental: { keepImportAttributes: true } }, module: { type: 'es6' } }],
  },
  roots: ['<rootDir>/apps', '<rootDir>/libs', '<rootDir>/tools'],
  testMatch: ['**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
  modulePathIgnorePatterns: ['<rootDir>/.chainwatch', '<rootDir>/dist'],
  testTimeout: 30_000,
  maxWorkers: 2,
  reporters: ['default', '<rootDir>/tools/test/summary-reporter.mjs'],
};
