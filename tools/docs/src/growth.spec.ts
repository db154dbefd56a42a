// SPDX-License-Identifier: Apache-2.0
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';
import { BLOCK_SECONDS, BYTES, EXAMPLES, growthOf, sayBytes } from '../site/theme/growth.mjs';

const readPage = (name: string): string => readFileSync(join(repoDir, 'docs/guides', name), 'utf8');
const cellsOf = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

describe('what the database grows by', () => {
  it('is on the page as the calculator counts it', () => {
    const rows = readPage('growth.md')
      .split('\n')
      .filter((line) => /^\| An? /.test(line))
      .map(cellsOf);
    const PARTS = ['transactions', 'addresses', 'blocks', 'events', 'deliveries', 'total', 'growth'] as const;
    expect(rows).toEqual(
      Object.entries(EXAMPLES).map(([name, use]) => {
        const growth = growthOf(use);
        return [
          ...[name, use.addresses.toLocaleString('en'), String(use.deposits), String(use.chains.length)],
          ...PARTS.map((part) => sayBytes(growth[part])),
        ];
      }),
    );
  });

  it('comes of the bytes a row that were measured', () => {
    const page = readPage('sizing.md');
    const bytesOf = (table: string): number =>
      Number(new RegExp(`\\| \`${table}\` \\| ([\\d,]+) \\|`).exec(page)![1]!.replaceAll(',', ''));
    for (const [table, name] of [
      ['addresses', 'address'],
      ['address_watches', 'address_watch'],
      ['balances', 'balance'],
      ['balance_history', 'balance_history'],
      ['event_keys', 'event_key'],
    ] as const)
      expect([name, BYTES[name]]).toEqual([name, bytesOf(table)]);
    expect(page).toContain('| an event, with its indexes | 1.6 kB');
    expect(page).toContain('| a block that concerns no address | 47 bytes');
    expect(page).toContain('| any other block | 0.6 to 0.9 kB');
    expect(page).toContain('| a transaction, with transfers and indexes | 2.5 kB');
    expect(page).toContain('| a delivery, with its attempt and indexes | 2.2 kB');
    expect(page).toContain('| an inline proof in it | 6.4 kB');
  });

  it('comes of the block times of this release', () => {
    const families = readdirSync(join(repoDir, 'libs')).filter((name) =>
      /^chain-(?!core|registry)/.test(name),
    );
    const seconds = new Map(
      families.flatMap((name) => {
        const text = readFileSync(join(repoDir, 'libs', name, 'src/networks.json'), 'utf8');
        const networks = JSON.parse(text) as { name: string; block_time_ms: number }[];
        return networks.map((network) => [network.name, network.block_time_ms / 1_000] as const);
      }),
    );
    expect(Object.keys(BLOCK_SECONDS).map((name) => [name, seconds.get(name)])).toEqual(
      Object.entries(BLOCK_SECONDS),
    );
  });

  it('counts the proofs of channels that have them, in each delivery', () => {
    const use = { ...EXAMPLES['A shop']!, channels: 3 };
    const perChannel = use.deposits * use.days * 86_400 * 2 * BYTES.proof;
    const bytesOf = (proved: number): number =>
      growthOf({ ...use, proved }).deliveries - growthOf(use).deliveries;
    expect([bytesOf(1), bytesOf(3), bytesOf(9)]).toEqual([
      expect.closeTo(perChannel, 0),
      expect.closeTo(3 * perChannel, 0),
      expect.closeTo(3 * perChannel, 0),
    ]);
  });

  it('keeps events and deliveries for their days, and all else for ever', () => {
    const use = EXAMPLES['A shop']!;
    const twice = growthOf({ ...use, days: 2 * use.days });
    expect(twice.events).toBe(2 * growthOf(use).events);
    expect(twice.growth).toBe(growthOf(use).growth);
  });
});
