/** Native-ESM Jest: the ESM-only SDKs (@scure, @noble, the NATS packages) do not load through CommonJS. */
export default {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'es6' } }],
  },
  testMatch: ['<rootDir>/{apps,libs,tools}/**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/', '\\.soak\\.spec\\.ts$'],
  modulePathIgnorePatterns: ['<rootDir>/.chainwatch', '<rootDir>/dist'],
  testTimeout: 30_000,
  maxWorkers: 2,
  reporters: ['default', '<rootDir>/tools/test/summary-reporter.mjs'],
};
