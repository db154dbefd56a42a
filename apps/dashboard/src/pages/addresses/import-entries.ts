// SPDX-License-Identifier: Apache-2.0
import { api, bodyOf } from '../../api/client.ts';
import type { ReadyEntry } from './check-entries.ts';
import type { Fault } from './parse-csv.ts';

export interface ImportResult {
  readonly created: number;
  readonly existing: number;
  readonly faults: readonly Fault[];
}

/** One request each; the API takes more, and a smaller part shows progress sooner. */
const PART = 1_000;

interface ImportOptions {
  /** Whether burn addresses are meant. */
  readonly allowBurn: boolean;
  /** Called with the number that was sent so far. */
  readonly onSent: (count: number) => void;
}

/** Sends entries part by part, a family at a time. @throws ApiError */
export async function importEntries(
  entries: readonly ReadyEntry[],
  { allowBurn, onSent }: ImportOptions,
): Promise<ImportResult> {
  const faults: Fault[] = [];
  let [created, existing, sent] = [0, 0, 0];
  onSent(0);
  for (const part of splitByFamily(entries)) {
    const { items } = await bodyOf(
      api.POST('/addresses/external/batch', {
        body: {
          chain_family: part[0]!.family,
          addresses: part.map(({ value, label, groups, metadata, chain_gids }) => ({
            ...{ value, label, groups, metadata, chain_gids },
            allow_burn: allowBurn,
          })),
        },
      }),
    );
    for (const [index, item] of items.entries()) {
      if (item.status === 'created') created += 1;
      else if (item.status === 'exists') existing += 1;
      else faults.push({ line: part[index]!.line, reason: reasonOf(item.problem) });
    }
    onSent((sent += part.length));
  }
  return { created, existing, faults };
}

interface ItemProblem {
  readonly detail?: string;
  readonly title?: string;
  readonly fields?: readonly { readonly reason: string }[];
}

function reasonOf({ fields, detail, title }: ItemProblem): string {
  return fields?.[0]?.reason ?? detail ?? title ?? 'the address was rejected';
}

function splitByFamily(entries: readonly ReadyEntry[]): ReadyEntry[][] {
  const families = Map.groupBy(entries, ({ family }) => family);
  return [...families.values()].flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / PART) }, (_, index) =>
      group.slice(index * PART, (index + 1) * PART),
    ),
  );
}
