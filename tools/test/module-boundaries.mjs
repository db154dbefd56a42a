// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const CHAIN_SDKS = [
  'viem',
  'viem/*',
  '@ethereumjs/*',
  'bitcoinjs-lib',
  '@scure/bip32',
  'tiny-secp256k1',
  '@solana/*',
  'litesvm',
  'tronweb',
];
const PURE_PACKAGES = ['zod', 'uuid', '@noble/*', '@scure/*', '@ethereumjs/rlp'];

/**
 * The table of docs/adr/0001: which tag may import which tags and which npm packages. `type:testing` stands in no row
 * but its own and the tools': product code cannot import it, specs are let through by `specConstraints`.
 */
export const constraints = [
  {
    sourceTag: 'type:domain',
    onlyDependOnLibsWithTags: ['type:domain'],
    allowedExternalImports: PURE_PACKAGES,
  },
  {
    sourceTag: 'type:family-base',
    onlyDependOnLibsWithTags: ['type:domain'],
    allowedExternalImports: [...PURE_PACKAGES, ...CHAIN_SDKS],
  },
  {
    sourceTag: 'type:transport',
    onlyDependOnLibsWithTags: ['type:domain'],
    allowedExternalImports: [...PURE_PACKAGES, 'ipaddr.js'],
  },
  {
    sourceTag: 'type:family',
    onlyDependOnLibsWithTags: ['type:domain', 'type:family-base', 'type:transport'],
    allowedExternalImports: [...PURE_PACKAGES, ...CHAIN_SDKS, 'ws', 'hash-wasm', 'lru-cache', 'tinypool'],
  },
  {
    sourceTag: 'type:registry',
    onlyDependOnLibsWithTags: ['type:domain', 'type:family'],
    allowedExternalImports: PURE_PACKAGES,
  },
  {
    sourceTag: 'type:adapter',
    onlyDependOnLibsWithTags: ['type:domain', 'type:transport', 'type:adapter'],
    bannedExternalImports: CHAIN_SDKS,
  },
  {
    sourceTag: 'type:app',
    onlyDependOnLibsWithTags: ['type:domain', 'type:transport', 'type:adapter', 'type:registry'],
    bannedExternalImports: CHAIN_SDKS,
  },
  { sourceTag: 'type:testing', onlyDependOnLibsWithTags: ['*'] },
  { sourceTag: 'type:tool', onlyDependOnLibsWithTags: ['*'] },
];

/** Specs start real servers and compare with other libraries; the direction of their own lib's imports is still checked. */
export const specConstraints = constraints.map(({ sourceTag, onlyDependOnLibsWithTags }) => ({
  sourceTag,
  onlyDependOnLibsWithTags: [
    ...new Set([
      ...onlyDependOnLibsWithTags,
      'type:testing',
      'type:registry',
      'type:family',
      'type:family-base',
      'type:transport',
      'type:adapter',
      'type:domain',
    ]),
  ],
}));

/** Where a package of each folder may stand in the table. */
const TAGS_BY_FOLDER = {
  apps: ['type:app'],
  libs: [
    'type:domain',
    'type:family-base',
    'type:transport',
    'type:family',
    'type:registry',
    'type:adapter',
    'type:testing',
  ],
  tools: ['type:tool'],
};

/**
 * The Nx rule overlooks a package without a tag as long as it imports nothing of ours: here it is an error, as is a tag
 * that the table does not know.
 * @param {string} repoDir
 * @returns {string[]} the faults, empty when every package has exactly one tag that its folder allows
 */
export function findTagFaults(repoDir) {
  const faults = [];
  for (const [folder, allowed] of Object.entries(TAGS_BY_FOLDER)) {
    for (const name of readdirSync(join(repoDir, folder))) {
      const manifest = join(repoDir, folder, name, 'package.json');
      if (!existsSync(manifest)) {
        // Files beside packages, such as a README, are none.
        if (existsSync(join(repoDir, folder, name, 'src')))
          faults.push(`${folder}/${name} has no package.json`);
        continue;
      }
      const tags = JSON.parse(readFileSync(manifest, 'utf8')).nx?.tags ?? [];
      if (tags.length !== 1 || !allowed.includes(tags[0])) {
        faults.push(
          `${folder}/${name}: expected exactly one tag of ${allowed.join(', ')}, got ${tags.join(', ') || 'none'}`,
        );
      }
    }
  }
  return faults;
}
