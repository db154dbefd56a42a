// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { Chainwatch, components } from '@chainwatch/sdk';
import { COLUMNS, formatCsvRow, formatGroups, parseAddressFile, type AddressEntry } from '../address-file.ts';
import { CliError, EXIT, wrongInput } from '../cli-error.ts';
import type { Act, Context } from '../context.ts';
import { showExamples } from '../show-examples.ts';
import { parseFamilies, parseFamily, parseList, parseText } from '../parse-options.ts';
import { readFileOrStdin } from '../read-input.ts';

type Family = components['schemas']['Blockchain']['family'];

export function addAddresses(program: Command, act: Act): void {
  const addresses = program.command('addresses').description('Addresses that the project watches');
  addresses
    .command('import')
    .description('Import addresses from CSV: address, label, groups and chain_gids (a;b), metadata (JSON)')
    .argument('<file>', 'CSV, - for stdin', parseText)
    .requiredOption('--family <name>', 'the family of chains that knows them', parseFamily)
    .option('--dry-run', 'read and check the file, import nothing')
    .option('--resume', 'go on where an import of this file was ended')
    .addHelpText(
      'after',
      showExamples({
        notes: `Importing a file twice changes nothing. Exit code 4: rows were refused; they are listed, the others are imported.`,
        examples: `chainwatch addresses import customers.csv --family evm --dry-run
chainwatch addresses import customers.csv --family evm --resume`,
      }),
    )
    .action(act(importAddresses));
  addresses
    .command('check')
    .description('Check a file before it is imported; families are detected, nothing is stored')
    .argument('<file>', 'CSV, - for stdin', parseText)
    .option('--family <name>', 'the family of all rows; without it, each is detected', parseFamily)
    .addHelpText(
      'after',
      showExamples({
        notes: `Exit code 4: rows would be rejected; they are listed with the reason.`,
        examples: `chainwatch addresses check customers.csv
chainwatch addresses check customers.csv --family evm --json`,
      }),
    )
    .action(act(checkAddressFile));
  addresses
    .command('export')
    .description('All addresses as CSV, as import reads them')
    .option('--groups <list>', 'only those in one of these groups', parseList)
    .option('--families <list>', 'only of these families', parseFamilies)
    .addHelpText('after', showExamples({ examples: `chainwatch addresses export > addresses.csv` }))
    .action(act(exportAddresses));
  addresses
    .command('watch')
    .description('Watch one address from now on')
    .argument('<address>', 'as its chain writes it', parseText)
    .requiredOption('--family <name>', 'the family of chains that knows it', parseFamily)
    .option('--label <text>', 'as you call it')
    .option('--groups <list>', 'groups of yours, with commas between', parseList)
    .option(
      '--chains <list>',
      'CAIP-2 ids, where several chains write the address in their own way',
      parseList,
    )
    .addHelpText(
      'after',
      showExamples({
        examples: `chainwatch addresses watch 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045 --family evm --label Treasury`,
      }),
    )
    .action(act(watch));
}

interface ImportOptions {
  readonly family: Family;
  readonly dryRun?: boolean;
  readonly resume?: boolean;
}

interface Counts {
  created: number;
  exists: number;
  invalid: number;
}

const IMPORT_CHUNK = 1_000;

/** In chunks; how far it came stands beside the file, so that `--resume` goes on there. */
async function importAddresses(
  { client, output, signal }: Context,
  path: string,
  { family, dryRun, resume }: ImportOptions,
): Promise<void> {
  const bytes = await readFileOrStdin('file', path);
  const entries = parseAddressFile(bytes);
  if (dryRun) {
    const distinct = new Set(entries.map(({ value }) => value)).size;
    output.print(
      { rows: entries.length, distinct },
      `${entries.length} rows, ${distinct} addresses; nothing was imported`,
    );
    return;
  }
  const progress = openProgress(path, createHash('sha256').update(bytes).update(family).digest('hex'));
  const api = client();
  const counts: Counts = { created: 0, exists: 0, invalid: 0 };
  const refused: Record<string, unknown>[] = [];
  for (let from = resume ? progress.read() : 0; from < entries.length; from += IMPORT_CHUNK) {
    if (signal.aborted)
      throw new CliError(`Stopped at row ${from + 1}: --resume goes on there.`, EXIT.interrupted);
    const chunk = entries.slice(from, from + IMPORT_CHUNK);
    refused.push(
      ...(await importChunk(api, { family, chunk, counts })).map((row) => ({
        ...row,
        row: Number(row.row) + from,
      })),
    );
    progress.write(Math.min(from + IMPORT_CHUNK, entries.length));
    output.progress(Math.min(from + IMPORT_CHUNK, entries.length), entries.length, 'addresses');
  }
  progress.clear();
  if (refused.length > 0 && !output.isJson) output.table(refused);
  output.print(
    { ...counts, refused },
    `${counts.created} imported, ${counts.exists} there before, ${counts.invalid} refused`,
  );
  if (refused.length > 0) process.exitCode = EXIT.notRight;
}

async function importChunk(
  api: Chainwatch,
  {
    family,
    chunk,
    counts,
  }: { readonly family: Family; readonly chunk: readonly AddressEntry[]; readonly counts: Counts },
): Promise<Record<string, unknown>[]> {
  const { items } = await api.addresses.import({ chain_family: family, addresses: [...chunk] });
  return items.flatMap((item, index) => {
    counts[item.status] += 1;
    if (item.status !== 'invalid') return [];
    // The heading is row 1.
    return [{ row: index + 2, address: chunk[index]?.value, reason: reasonOf(item.problem) }];
  });
}

function reasonOf({ detail, title, fields }: components['schemas']['Problem']): string {
  return fields?.map(({ name, reason }) => `${name}: ${reason}`).join('; ') ?? detail ?? title;
}

function parseProgress(file: string): { readonly hash: string; readonly rows: number } {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as { hash: string; rows: number };
  } catch {
    throw wrongInput(file, 'expected how far an import came; delete the file to begin anew');
  }
}

/** `<file>.progress`: which file, by its hash, and how many rows are done. */
function openProgress(path: string, hash: string) {
  const file = `${path}.progress`;
  return {
    read(): number {
      if (path === '-' || !existsSync(file)) return 0;
      const { hash: known, rows } = parseProgress(file);
      if (known !== hash)
        throw new CliError(
          `${path} is not the file that was being imported: leave --resume out to begin anew.`,
        );
      return rows;
    },
    write(rows: number): void {
      if (path === '-') return;
      writeFileSync(`${file}.partial`, JSON.stringify({ hash, rows }));
      renameSync(`${file}.partial`, file);
    },
    clear: () => path !== '-' && rmSync(file, { force: true }),
  };
}

async function exportAddresses(
  { client, output }: Context,
  { groups, families }: { readonly groups?: string[]; readonly families?: Family[] },
): Promise<void> {
  if (!output.isJson) output.print(undefined, ['chain_family', ...COLUMNS].join(','));
  const list = client().addresses.list({
    groups,
    chain_families: families,
    sort_by: 'created_at',
    limit: 100,
  });
  for await (const address of list) {
    const { chain_family: family, address: value, label, groups: own, metadata } = address;
    output.print(address, formatCsvRow([family, value, label, formatGroups(own), JSON.stringify(metadata)]));
  }
}

async function watch(
  { client, output }: Context,
  value: string,
  {
    family,
    label,
    groups,
    chains,
  }: {
    readonly family: Family;
    readonly label?: string;
    readonly groups?: string[];
    readonly chains?: string[];
  },
): Promise<void> {
  const address = await client().addresses.createExternal({
    value,
    chain_family: family,
    label,
    groups,
    chain_gids: chains,
  });
  output.print(address, [`Watching ${address.address}`, ...address.warnings].join('\n'));
}

type Status = components['schemas']['CheckedAddress']['status'];

const CHECK_CHUNK = 5_000;

/** Asks what an import of the file would do with each row. Nothing is stored. */
async function checkAddressFile(
  { client, output }: Context,
  path: string,
  { family }: { readonly family?: Family },
): Promise<void> {
  const entries = parseAddressFile(await readFileOrStdin('file', path));
  const counts: Record<Status, number> = { new: 0, exists: 0, invalid: 0, ambiguous: 0, burn: 0 };
  const families = new Map<string, number>();
  const rejected: Record<string, unknown>[] = [];
  for (let from = 0; from < entries.length; from += CHECK_CHUNK) {
    const chunk = entries.slice(from, from + CHECK_CHUNK);
    const { items } = await client().addresses.checkMany({
      addresses: chunk.map(({ value, chain_gids }) => ({ value, chain_gids, chain_family: family })),
    });
    for (const [index, { status, value, chain_family: found, problem }] of items.entries()) {
      counts[status] += 1;
      if (found !== null) families.set(found, (families.get(found) ?? 0) + 1);
      // The heading is row 1.
      if (problem !== null) rejected.push({ row: from + index + 2, address: value, status, reason: problem });
    }
    output.progress(Math.min(from + CHECK_CHUNK, entries.length), entries.length, 'addresses');
  }
  if (rejected.length > 0 && !output.isJson) output.table(rejected);
  const found = [...families].map(([name, count]) => `${count} ${name}`).join(', ');
  output.print(
    { ...counts, families: Object.fromEntries(families), rejected },
    `${counts.new} new, ${counts.exists} already registered, ${rejected.length} rejected${found === '' ? '' : ` (${found})`}`,
  );
  if (rejected.length > 0) process.exitCode = EXIT.notRight;
}
