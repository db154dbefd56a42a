import type { UnknownPart } from '@chainwatch/chain-core';

/** A node may name anything: an incident is opened for each kind, so a block has no more of them. */
const kindsMax = 8;
const nameLengthMax = 64;
const gotLengthMax = 300;

/** What is not known in a block, each kind once, with the first place it was met. */
export class UnknownParts {
  readonly #parts = new Map<string, UnknownPart>();

  constructor(parts: readonly UnknownPart[] = []) {
    for (const part of parts) this.#parts.set(part.kind, part);
  }

  get list(): readonly UnknownPart[] {
    return [...this.#parts.values()];
  }

  /** @param name as a node wrote it; letters, digits and `_` of it are kept */
  add(what: string, name: string, part: Omit<UnknownPart, 'kind'>): void {
    const kind = `${what}:${name.replace(/\W/g, '').slice(0, nameLengthMax)}`;
    if (this.#parts.has(kind) || this.#parts.size === kindsMax) return;
    this.#parts.set(kind, { ...part, kind, got: part.got.slice(0, gotLengthMax) });
  }
}

/** For `UnknownPart.got`. */
export function describeMember(json: object, name: string): string {
  return `${name}: ${JSON.stringify((json as Record<string, unknown>)[name])}`;
}

/** Members that have a value and whose name is not known. */
export function listUnknownMembers(json: object, known: ReadonlySet<string>): string[] {
  const names: string[] = [];
  for (const [name, value] of Object.entries(json)) if (value !== null && value !== undefined && !known.has(name)) names.push(name);
  return names;
}
