// SPDX-License-Identifier: Apache-2.0
/** Filters of the pages, as they stand in the URL. */
export interface TransactionSearch {
  readonly chains?: readonly string[];
  readonly statuses?: readonly string[];
  readonly direction?: 'in' | 'out' | 'self';
  readonly address?: string;
  /** Part of a label or an address of the project. */
  readonly search?: string;
  readonly groups?: readonly string[];
  readonly assets?: readonly string[];
  readonly hash?: string;
  readonly since?: string;
  readonly until?: string;
  readonly min_amount?: string;
}

export interface EventSearch {
  readonly types?: readonly string[];
  readonly chains?: readonly string[];
  readonly since?: string;
  readonly until?: string;
}

export interface AddressSearch {
  readonly search?: string;
  readonly families?: readonly string[];
  readonly groups?: readonly string[];
  readonly kind?: 'hd' | 'external';
  readonly monitored?: 'true' | 'false';
}

export interface AssetSearch {
  readonly statuses?: readonly string[];
  readonly chains?: readonly string[];
  /** `true`: those that were archived, and no other one. */
  readonly archived?: 'true';
}

export interface AuditSearch {
  readonly actions?: readonly string[];
  readonly since?: string;
  readonly until?: string;
  /** A part of the name or the mask of the key, or of the member's e-mail address. */
  readonly search?: string;
}

export interface KeySearch {
  /** A part of the name or the mask. */
  readonly search?: string;
  readonly types?: readonly string[];
  readonly projects?: readonly string[];
  readonly statuses?: readonly string[];
}

export function toKeySearch(search: Record<string, unknown>): KeySearch {
  return withoutEmpty({
    search: textOf(search.search),
    types: listOf(search.types),
    projects: listOf(search.projects),
    statuses: listOf(search.statuses),
  });
}

export function toTransactionSearch(search: Record<string, unknown>): TransactionSearch {
  return withoutEmpty({
    chains: listOf(search.chains),
    statuses: listOf(search.statuses),
    direction: oneOf(search.direction, ['in', 'out', 'self']),
    address: textOf(search.address),
    search: textOf(search.search),
    groups: listOf(search.groups),
    assets: listOf(search.assets),
    hash: textOf(search.hash),
    since: textOf(search.since),
    until: textOf(search.until),
    min_amount: textOf(search.min_amount),
  });
}

export function toEventSearch(search: Record<string, unknown>): EventSearch {
  return withoutEmpty({
    types: listOf(search.types),
    chains: listOf(search.chains),
    since: textOf(search.since),
    until: textOf(search.until),
  });
}

export function toAddressSearch(search: Record<string, unknown>): AddressSearch {
  return withoutEmpty({
    search: textOf(search.search),
    families: listOf(search.families),
    groups: listOf(search.groups),
    kind: oneOf(search.kind, ['hd', 'external']),
    monitored: oneOf(search.monitored, ['true', 'false']),
  });
}

export function toAssetSearch(search: Record<string, unknown>): AssetSearch {
  return withoutEmpty({
    statuses: listOf(search.statuses),
    chains: listOf(search.chains),
    archived: oneOf(search.archived, ['true']),
  });
}

export function toAuditSearch(search: Record<string, unknown>): AuditSearch {
  return withoutEmpty({
    actions: listOf(search.actions),
    since: textOf(search.since),
    until: textOf(search.until),
    search: textOf(search.search),
  });
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) || undefined : undefined;
}

export function listOf(value: unknown): readonly string[] | undefined {
  const list = (Array.isArray(value) ? value : [value]).map(textOf).filter((one) => one !== undefined);
  return list.length > 0 ? list : undefined;
}

function oneOf<T extends string>(value: unknown, words: readonly T[]): T | undefined {
  return words.find((word) => word === String(value));
}

/** An absent filter stands in no URL. */
export function withoutEmpty<T extends object>(filters: T): T {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)) as T;
}
