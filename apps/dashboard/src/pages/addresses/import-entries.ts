import { api, bodyOf } from '../../api/client.ts';
import type { ImportEntry } from './parse-csv.ts';

export interface ImportResult {
  readonly created: number;
  readonly existing: number;
  readonly faults: readonly { readonly line: number; readonly reason: string }[];
}

/** One request each; the API takes more, and a smaller part shows progress sooner. */
const PART = 1_000;

/** Sends entries part by part, a family at a time. @param onSent called with the number sent so far @throws ApiError */
export async function importEntries(
  entries: readonly ImportEntry[],
  onSent: (count: number) => void,
): Promise<ImportResult> {
  const faults: { line: number; reason: string }[] = [];
  let [created, existing, sent] = [0, 0, 0];
  onSent(0);
  for (const part of splitByFamily(entries)) {
    const { items } = await bodyOf(
      api.POST('/addresses/external/batch', {
        body: {
          chain_family: part[0]!.family,
          addresses: part.map(({ line: _line, family: _family, ...address }) => address),
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
  return { created, existing, faults: faults.sort((one, other) => one.line - other.line) };
}

interface ItemProblem {
  readonly detail?: string;
  readonly title?: string;
  readonly fields?: readonly { readonly reason: string }[];
}

function reasonOf({ fields, detail, title }: ItemProblem): string {
  return fields?.[0]?.reason ?? detail ?? title ?? 'it was refused';
}

function splitByFamily(entries: readonly ImportEntry[]): ImportEntry[][] {
  const families = Map.groupBy(entries, ({ family }) => family);
  return [...families.values()].flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / PART) }, (_, index) =>
      group.slice(index * PART, (index + 1) * PART),
    ),
  );
}
