// SPDX-License-Identifier: Apache-2.0
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

// A lone half of a surrogate pair; with the u flag, whole pairs are one character and do not match.
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Why PostgreSQL could not store this text; undefined when it can. */
export function findTextFault(text: string): string | undefined {
  if (text.includes('\u0000')) return 'must not contain a null character';
  if (LONE_SURROGATE.test(text)) return 'must be well-formed Unicode';
  return undefined;
}

/** Matches strings, which are skipped, and numbers (RFC 8259). */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** Up to fifteen digits without an exponent are always parsed exactly. */
const SUSPICIOUS = /[\d.]{16}|\d[eE]/;

/**
 * Finds the numbers of a JSON text that parsing changes: too large, too precise or too long for a 64-bit float.
 * @param text valid JSON
 */
export function findInexactNumbers(text: string): BodyFault[] {
  if (!SUSPICIOUS.test(text)) return [];
  const mark = `inexact ${Math.random()} `;
  let isFound = false;
  const marked = text.replace(TOKEN, (token) => {
    if (token.startsWith('"') || isExact(token)) return token;
    isFound = true;
    return JSON.stringify(mark + token);
  });
  if (!isFound) return [];
  return [...findMarked(JSON.parse(marked), mark)].map(({ name, literal }) => {
    const got = literal.length > 40 ? `${literal.slice(0, 40)}…` : literal;
    return {
      name,
      reason: `expected a number that is kept exactly, got ${got}: send it as text`,
    };
  });
}

function isExact(literal: string): boolean {
  const value = Number(literal);
  return Number.isFinite(value) && normalize(literal) === normalize(String(value));
}

/** `12.50e3` → `125e2`: digits without zeros at the ends, and the power of ten. */
function normalize(literal: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  if (kept === '') return '0';
  return `${sign}${kept}e${BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - kept.length)}`;
}

/** In the order of the text. Iterative, because the depth is the attacker's. */
function* findMarked(
  body: unknown,
  mark: string,
): Generator<{ readonly name: string; readonly literal: string }> {
  const open: Place[] = [{ value: body, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (typeof value === 'string' && value.startsWith(mark))
      yield { name: nameOf(next), literal: value.slice(mark.length) };
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, child] of Object.entries(value).reverse())
      open.push({ value: child, depth: depth + 1, key, parent: next });
  }
}
