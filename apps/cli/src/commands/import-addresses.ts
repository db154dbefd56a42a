// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { Chainwatch, components } from '@chainwatch/sdk';
import { parseAddressFile, type AddressEntry } from '../address-file.ts';
import { CliError, EXIT, wrongInput } from '../cli-error.ts';
import type { Context } from '../context.ts';
import { readFileOrStdin } from '../read-input.ts';

type Family = components['schemas']['Blockchain']['family'];

interface Options {
  readonly family: Family;
  readonly dryRun?: boolean;
  readonly resume?: boolean;
}

interface Counts {
  created: number;
  exists: number;
  invalid: number;
}

const CHUNK = 1_000;

/** In chunks; how far it came stands beside the file, so that `--resume` goes on there. */
export async function importAddresses(
  { client, output, signal }: Context,
  path: string,
  { family, dryRun, resume }: Options,
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
  for (let from = resume ? progress.read() : 0; from < entries.length; from += CHUNK) {
    if (signal.aborted)
      throw new CliError(`Stopped at row ${from + 1}: --resume goes on there.`, EXIT.interrupted);
    const chunk = entries.slice(from, from + CHUNK);
    refused.push(
      ...(await importChunk(api, { family, chunk, counts })).map((row) => ({
        ...row,
        row: Number(row.row) + from,
      })),
    );
    progress.write(Math.min(from + CHUNK, entries.length));
    output.progress(Math.min(from + CHUNK, entries.length), entries.length, 'addresses');
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
