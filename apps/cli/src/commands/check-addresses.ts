// SPDX-License-Identifier: Apache-2.0
import type { components } from '@chainwatch/sdk';
import { parseAddressFile } from '../address-file.ts';
import { EXIT } from '../cli-error.ts';
import type { Context } from '../context.ts';
import { readFileOrStdin } from '../read-input.ts';

type Family = components['schemas']['Blockchain']['family'];
type Status = components['schemas']['CheckedAddress']['status'];

const CHUNK = 5_000;

/** Asks what an import of the file would do with each row. Nothing is stored. */
export async function checkAddressFile(
  { client, output }: Context,
  path: string,
  { family }: { readonly family?: Family },
): Promise<void> {
  const entries = parseAddressFile(await readFileOrStdin('file', path));
  const counts: Record<Status, number> = { new: 0, exists: 0, invalid: 0, ambiguous: 0, burn: 0 };
  const families = new Map<string, number>();
  const rejected: Record<string, unknown>[] = [];
  for (let from = 0; from < entries.length; from += CHUNK) {
    const chunk = entries.slice(from, from + CHUNK);
    const { items } = await client().addresses.checkMany({
      addresses: chunk.map(({ value, chain_gids }) => ({ value, chain_gids, chain_family: family })),
    });
    for (const [index, { status, value, chain_family: found, problem }] of items.entries()) {
      counts[status] += 1;
      if (found !== null) families.set(found, (families.get(found) ?? 0) + 1);
      // The heading is row 1.
      if (problem !== null) rejected.push({ row: from + index + 2, address: value, status, reason: problem });
    }
    output.progress(Math.min(from + CHUNK, entries.length), entries.length, 'addresses');
  }
  if (rejected.length > 0 && !output.isJson) output.table(rejected);
  const found = [...families].map(([name, count]) => `${count} ${name}`).join(', ');
  output.print(
    { ...counts, families: Object.fromEntries(families), rejected },
    `${counts.new} new, ${counts.exists} already registered, ${rejected.length} rejected${found === '' ? '' : ` (${found})`}`,
  );
  if (rejected.length > 0) process.exitCode = EXIT.notRight;
}
