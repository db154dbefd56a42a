// SPDX-License-Identifier: Apache-2.0
import type { UnknownPart } from '@chainwatch/chain-core';

/**
 * A node may invent any number of names, so no more kinds of a block are kept (as in `settleUnknowns`, which
 * also shortens names and texts).
 */
const KINDS_MAX = 8;

/** The unknown parts of a block: each kind once, with the first place where it was met. */
export class UnknownParts {
  readonly #parts = new Map<string, UnknownPart>();

  constructor(parts: readonly UnknownPart[] = []) {
    for (const part of parts) this.#parts.set(part.kind, part);
  }

  get list(): readonly UnknownPart[] {
    return [...this.#parts.values()];
  }

  add(what: string, name: string, part: Omit<UnknownPart, 'kind'>): void {
    const kind = `${what}:${name}`;
    if (!this.#parts.has(kind) && this.#parts.size < KINDS_MAX) this.#parts.set(kind, { ...part, kind });
  }
}

/** For `UnknownPart.got`. */
export function describeMember(json: object, name: string): string {
  return `${name}: ${JSON.stringify((json as Record<string, unknown>)[name])}`;
}

/** Members that have a value and whose name is not known. */
export function listUnknownMembers(json: object, known: ReadonlySet<string>): string[] {
  const names: string[] = [];
  for (const [name, value] of Object.entries(json))
    if (value !== null && value !== undefined && !known.has(name)) names.push(name);
  return names;
}

/** The unknown parts of a block, and what is not proved because of them. */
export interface UnknownContent {
  readonly parts: readonly UnknownPart[];
  /** Hashes of the transactions that are not known. */
  readonly transactions: ReadonlySet<string>;
  /** True when nothing proves any transaction: the header, the list of transactions or the receipts are not proved. */
  readonly isEverything: boolean;
  /** Transactions whose raw encoding was not given; the root cannot be computed without it. */
  readonly missingEncodings: readonly string[];
}
