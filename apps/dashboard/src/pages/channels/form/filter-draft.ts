// SPDX-License-Identifier: Apache-2.0
/** Filters of a channel as the form holds them; empty: no filter. */
export interface FilterDraft {
  readonly chain_gids: readonly string[];
  readonly asset_gids: readonly string[];
  readonly address_ids: readonly string[];
  readonly verification: readonly string[];
  readonly reasons: readonly string[];
  /** Separated by commas. */
  readonly groups: string;
  /** `name=value`, one a line. */
  readonly metadata: string;
  readonly direction: string;
  readonly min_amount: string;
  readonly memo: string;
  readonly memo_prefix: string;
  readonly expression: string;
  /** Of a newer API: kept as they are. */
  readonly others: object;
}

export const NO_FILTERS: FilterDraft = {
  chain_gids: [],
  asset_gids: [],
  address_ids: [],
  verification: [],
  reasons: [],
  groups: '',
  metadata: '',
  direction: '',
  min_amount: '',
  memo: '',
  memo_prefix: '',
  expression: '',
  others: {},
};

type Stored = Readonly<Record<string, unknown>>;

export function draftFilters(filters: object): FilterDraft {
  const stored = filters as Stored;
  const known = Object.entries(NO_FILTERS).map(([name, none]) => [name, readFilter(stored[name], none)]);
  const others = Object.entries(stored).filter(([name]) => !Object.hasOwn(NO_FILTERS, name));
  return { ...(Object.fromEntries(known) as FilterDraft), others: Object.fromEntries(others) };
}

function readFilter(value: unknown, none: unknown): unknown {
  if (value === undefined || value === null) return none;
  if (Array.isArray(none)) return value;
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value !== 'object') return String(value);
  return Object.entries(value)
    .map(([name, text]) => `${name}=${text}`)
    .join('\n');
}

/** The member `filters` of a body. */
export function filtersOf({ groups, metadata, others, ...rest }: FilterDraft): object {
  const lists = {
    ...rest,
    groups: groups
      .split(',')
      .map((group) => group.trim())
      .filter((group) => group !== ''),
  };
  const set = Object.entries(lists)
    .map(([name, value]) => [name, typeof value === 'string' ? value.trim() : [...value]] as const)
    .filter(([, value]) => value.length > 0);
  const pairs = readPairs(metadata, '=');
  return {
    ...others,
    ...Object.fromEntries(set),
    ...(Object.keys(pairs).length > 0 && { metadata: pairs }),
  };
}

/** `X-Team: payments`, one a line. A line without the separator is a name without a value: the API says what it expected. */
export function readPairs(text: string, separator: '=' | ':'): Record<string, string> {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const [name, ...value] = line.split(separator);
      return [name!.trim(), value.join(separator).trim()];
    }),
  );
}
