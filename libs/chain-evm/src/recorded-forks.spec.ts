// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync } from 'node:fs';
import { keccak256Hex } from './encode-rlp.ts';
import { evmNetworks, readTraits } from './networks.ts';
import { encodeHeader, parseWholeHeader } from './parse-header.ts';

// Recorded parts of blocks after upgrades, beside the repository: ../shared/fixtures/forks (see fixtures.md). A header each:
// the rest of these blocks is not recorded.
const folder = new URL('../../../../shared/fixtures/forks/', import.meta.url);
if (!existsSync(folder)) console.log('skipped: recorded headers (../shared/fixtures/forks is absent)');

(existsSync(folder) ? describe : describe.skip)('a recorded header', () => {
  it.each([
    ['base', 'Beryl', 'base-49835559-header.json'],
    ['sepolia', 'Glamsterdam', 'sepolia-11875839-part.json'],
  ])('of %s after %s has the hash of its fields, all of them known', (name, _, file) => {
    const network = evmNetworks.find((candidate) => candidate.name === name)!;
    const recorded = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as { block?: { hash: string } };
    const block = recorded.block ?? (recorded as { hash: string });
    const { header, unknown } = parseWholeHeader(
      { ...block, transactions: [] } as never,
      readTraits(network),
    );
    expect(unknown).toEqual([]);
    expect(`0x${keccak256Hex(encodeHeader(header))}`).toBe(block.hash);
  });
});
