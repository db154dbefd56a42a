import { findTextFault } from './find-text-fault.ts';

export interface BodyFault {
  /** Dotted path of the value, `metadata.tags.0`; `body` for the whole. */
  readonly name: string;
  readonly reason: string;
}

const MAX_DEPTH = 32;

/**
 * Finds the first value of a parsed JSON body that later code must not see: nested too deep for recursive code, text that
 * the database cannot store, or a member that schemas leave out without a word. Iterative, because the depth is the attacker's.
 */
export function findBodyFault(body: unknown): BodyFault | undefined {
  const open: Place[] = [{ value: body, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (depth > MAX_DEPTH)
      return {
        name: pathOf(next)[0] ?? 'body',
        reason: `expected at most ${MAX_DEPTH} levels of nesting`,
      };
    if (typeof value === 'string') {
      const reason = findTextFault(value);
      if (reason !== undefined) return { name: nameOf(next), reason };
    }
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, child] of Object.entries(value)) {
      const reason = key === '__proto__' ? 'must not be __proto__' : findTextFault(key);
      if (reason !== undefined) return { name: nameOf(next), reason: `a member's name ${reason}` };
      open.push({ value: child, depth: depth + 1, key, parent: next });
    }
  }
  return undefined;
}

/** The path is put together only where there is a fault: a body may have a hundred thousand places. */
interface Place {
  readonly value: unknown;
  readonly depth: number;
  readonly key?: string;
  readonly parent?: Place;
}

function pathOf(place: Place): string[] {
  const path: string[] = [];
  for (let at: Place | undefined = place; at?.key !== undefined; at = at.parent) path.push(at.key);
  return path.reverse();
}

function nameOf(place: Place): string {
  return pathOf(place).join('.') || 'body';
}
