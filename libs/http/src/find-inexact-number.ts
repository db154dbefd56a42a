import type { BodyFault } from './find-body-fault.ts';

/** Matches strings, which are skipped, and numbers (RFC 8259). */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** Up to fifteen digits without an exponent are always parsed exactly. */
const SUSPICIOUS = /[\d.]{16}|\d[eE]/;

/**
 * Finds the first number of a JSON text that parsing changes: too large, too precise or too long for a 64-bit float.
 * Undefined if all numbers are exact.
 * @param text valid JSON
 */
export function findInexactNumber(text: string): BodyFault | undefined {
  if (!SUSPICIOUS.test(text)) return undefined;
  const mark = `inexact ${Math.random()}`;
  let literal: string | undefined;
  const marked = text.replace(TOKEN, (token) => {
    if (literal !== undefined || token.startsWith('"') || isExact(token)) return token;
    literal = token;
    return JSON.stringify(mark);
  });
  if (literal === undefined) return undefined;
  const got = literal.length > 40 ? `${literal.slice(0, 40)}…` : literal;
  return {
    name: findPath(JSON.parse(marked), mark)?.join('.') || 'body',
    reason: `expected a number that is kept exactly, got ${got}: send it as text`,
  };
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

function findPath(value: unknown, mark: string): string[] | undefined {
  if (value === mark) return [];
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, child] of Object.entries(value)) {
    const path = findPath(child, mark);
    if (path !== undefined) return [key, ...path];
  }
  return undefined;
}
