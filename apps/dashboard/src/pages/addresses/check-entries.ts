// SPDX-License-Identifier: Apache-2.0
import { api, bodyOf } from '../../api/client.ts';
import type { Family } from './families.ts';
import type { Fault, ImportEntry } from './parse-csv.ts';

/** An entry whose family is known. */
export type ReadyEntry = ImportEntry & { readonly family: Family };

export interface CheckedEntries {
  /** What an import takes: new addresses, and those that the project has. */
  readonly ready: readonly ReadyEntry[];
  readonly created: number;
  readonly existing: number;
  /** Taken if the reader says that they are on purpose. */
  readonly burns: readonly (ReadyEntry & Fault)[];
  readonly faults: readonly Fault[];
}

interface CheckOptions {
  /** Of lines that name none; undefined: it is detected. */
  readonly usual: Family | undefined;
  readonly signal: AbortSignal;
  /** Called with the number that was checked so far. */
  readonly onChecked: (count: number) => void;
}

/** One request each; the API takes more, and a smaller part shows progress sooner. */
const PART = 2_000;

/** Asks the API what an import would do with each entry. Nothing is sent to be imported. @throws ApiError */
export async function checkEntries(
  entries: readonly ImportEntry[],
  { usual, signal, onChecked }: CheckOptions,
): Promise<CheckedEntries> {
  const ready: ReadyEntry[] = [];
  const burns: (ReadyEntry & Fault)[] = [];
  const faults: Fault[] = [];
  const counts = { new: 0, exists: 0 };
  // A part may repeat what an earlier one has.
  const seen = new Set<string>();
  for (let start = 0; start < entries.length; start += PART) {
    const part = entries.slice(start, start + PART);
    const { items } = await bodyOf(
      api.POST('/addresses/check', {
        body: {
          addresses: part.map(({ value, family = usual, chain_gids }) => ({
            ...{ value, chain_gids },
            chain_family: family,
          })),
        },
        signal,
      }),
    );
    for (const [index, { status, chain_family: family, address, problem }] of items.entries()) {
      const entry = part[index]!;
      const fault = { line: entry.line, reason: problem ?? 'the address was rejected' };
      if (family === null || status === 'invalid' || status === 'ambiguous') faults.push(fault);
      else if (status === 'burn') burns.push({ ...entry, family, ...fault });
      else {
        const key = `${family} ${address}`;
        ready.push({ ...entry, family });
        counts[seen.has(key) ? 'exists' : status] += 1;
        seen.add(key);
      }
    }
    onChecked(start + part.length);
  }
  return { ready, created: counts.new, existing: counts.exists, burns, faults };
}
