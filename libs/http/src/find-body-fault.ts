import { findTextFault } from './find-text-fault.ts';

export interface BodyFault {
  /** Dotted path of the value, `metadata.tags.0`; `body` for the whole. */
  readonly name: string;
  readonly reason: string;
}

const MAX_DEPTH = 32;

/**
 * Finds the first value of a parsed JSON body that later code must not see: nested too deep for recursive code, or text
 * that the database cannot store. Iterative, because the depth is the attacker's.
 */
export function findBodyFault(body: unknown): BodyFault | undefined {
  const open: { value: unknown; path: readonly string[] }[] = [{ value: body, path: [] }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path } = next;
    if (path.length > MAX_DEPTH)
      return { name: path[0] ?? 'body', reason: `expected at most ${MAX_DEPTH} levels of nesting` };
    if (typeof value === 'string') {
      const reason = findTextFault(value);
      if (reason !== undefined) return { name: path.join('.') || 'body', reason };
    }
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, child] of Object.entries(value)) {
      const reason = findTextFault(key);
      if (reason !== undefined)
        return { name: path.join('.') || 'body', reason: `a member's name ${reason}` };
      open.push({ value: child, path: [...path, key] });
    }
  }
  return undefined;
}
