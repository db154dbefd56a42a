// SPDX-License-Identifier: Apache-2.0
import type { z } from 'zod';

/**
 * A person's words for what zod found: `expected at least 3 characters, got 1`. A message that the schema gives itself
 * is kept.
 *
 * @param input the value, undefined where it is not known
 */
export function describeIssue(issue: z.core.$ZodIssue, input?: unknown): string {
  if (!DEFAULT_MESSAGE.test(issue.message)) return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      return describeType(issue, input);
    case 'too_small':
      return describeLimit(issue, {
        limit: issue.minimum,
        relation: issue.inclusive === false ? 'more than' : 'at least',
        input,
      });
    case 'too_big':
      return describeLimit(issue, {
        limit: issue.maximum,
        relation: issue.inclusive === false ? 'less than' : 'at most',
        input,
      });
    case 'invalid_format':
      return withGot(describeFormat(issue), showValue(input));
    case 'not_multiple_of':
      return withGot(`a multiple of ${issue.divisor}`, showValue(input));
    case 'invalid_value':
      return withGot(listOptions(issue.values), showValue(input));
    case 'invalid_union':
      return describeUnion(issue, input);
    case 'unrecognized_keys':
      return `expected no field ${issue.keys.map((key) => showValue(key)).join(', ')}`;
    case 'invalid_key':
    case 'invalid_element':
      return issue.issues.map((inner) => describeIssue(inner)).join('; ');
    case 'custom':
      return withGot('a valid value', showValue(input));
  }
}

/** How zod's own English messages begin; a schema's own begins otherwise, by rule with "expected". */
const DEFAULT_MESSAGE = /^(Invalid |Too (small|big): |Unrecognized key|Required$)/;

const TYPE_NAMES: Readonly<Record<string, string>> = {
  int: 'an integer',
  number: 'a number',
  string: 'a string',
  boolean: 'a boolean',
  array: 'an array',
  tuple: 'an array',
  object: 'an object',
  record: 'an object',
  map: 'a map',
  set: 'a set',
  date: 'a date',
  bigint: 'a bigint',
  never: 'no value',
  undefined: 'no value',
  nonoptional: 'a value',
};

function nameType(expected: string): string {
  return TYPE_NAMES[expected] ?? expected;
}

function describeType(issue: z.core.$ZodIssueInvalidType, input: unknown): string {
  const received = /received (.+)$/.exec(issue.message)?.[1];
  if (input === undefined && received === 'undefined')
    return `expected ${nameType(issue.expected)}, got nothing`;
  // For integers the type alone explains nothing: "expected an integer, got number".
  if (issue.expected === 'int' && typeof input === 'number') return `expected an integer, got ${input}`;
  return withGot(nameType(issue.expected), input === undefined ? received : showType(input));
}

/** Singular and plural of what a limit counts. */
const UNITS: Readonly<Record<string, readonly [string, string]>> = {
  string: ['character', 'characters'],
  array: ['item', 'items'],
  set: ['item', 'items'],
  map: ['entry', 'entries'],
  file: ['byte', 'bytes'],
};

type LimitIssue = z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig;

function describeLimit(
  issue: LimitIssue,
  {
    limit,
    relation,
    input,
  }: { readonly limit: number | bigint; readonly relation: string; readonly input: unknown },
): string {
  const units = UNITS[issue.origin];
  const quantity = issue.exact === true ? 'exactly' : relation;
  if (units !== undefined)
    return withGot(`${quantity} ${limit} ${units[limit === 1 ? 0 : 1]}`, showLength(input));
  if (issue.origin !== 'date') return withGot(`${quantity} ${limit}`, showValue(input));
  return withGot(`a date ${quantity} ${new Date(Number(limit)).toISOString()}`, showValue(input));
}

function listOptions(options: readonly z.core.util.Primitive[]): string {
  const shown = options.map((option) => showValue(option) ?? 'nothing');
  return shown.length === 1 ? shown.join() : `one of ${shown.join(', ')}`;
}

function describeUnion(issue: z.core.$ZodIssueInvalidUnion, input: unknown): string {
  if (issue.inclusive === false) return 'expected a value of one kind only, got one that fits several';
  if (issue.options !== undefined) return withGot(listOptions(issue.options), showValue(input) ?? 'nothing');
  const expected = issue.errors
    .flatMap((issues) => issues.slice(0, 1))
    .map((inner) => expectedOf(describeIssue(inner)));
  return withGot(
    [...new Set(expected)].join(', or ') || 'a valid value',
    showType(input) ?? receivedOf(issue),
  );
}

function expectedOf(reason: string): string {
  return reason.replace(/^expected /, '').replace(/, got .*$/s, '');
}

function receivedOf(issue: z.core.$ZodIssueInvalidUnion): string | undefined {
  return issue.errors.flat().flatMap(({ message }) => /received (.+)$/.exec(message)?.[1] ?? [])[0];
}

function withGot(expected: string, got: string | undefined): string {
  return got === undefined ? `expected ${expected}` : `expected ${expected}, got ${got}`;
}

const SHOWN_CHARACTERS_MAX = 80;

/** A value for an error text, shortened; undefined when there is none. Objects show as their type only. */
function showValue(value: unknown): string | undefined {
  if (typeof value === 'string') return showString(value);
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint')
    return String(value);
  return showType(value);
}

function showType(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}

/** Characters, items or bytes of what has a length. */
function showLength(value: unknown): string | undefined {
  if (typeof value === 'string' || Array.isArray(value)) return String(value.length);
  if (value instanceof Set || value instanceof Map) return String(value.size);
  return showType(value);
}

function showString(text: string): string {
  if (text.length <= SHOWN_CHARACTERS_MAX) return JSON.stringify(text);
  return `${JSON.stringify(text.slice(0, SHOWN_CHARACTERS_MAX))}… (${text.length} characters)`;
}

const FORMAT_NAMES: Readonly<Record<string, string>> = {
  email: 'an e-mail address',
  url: 'a URL',
  uuid: 'a UUID',
  guid: 'a UUID',
  datetime: 'a date and time such as "2026-01-31T12:00:00Z"',
  date: 'a date such as "2026-01-31"',
  time: 'a time such as "12:00:00"',
  duration: 'an ISO 8601 duration such as "PT5M"',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  cidrv4: 'an IPv4 range',
  cidrv6: 'an IPv6 range',
  base64: 'base64 text',
  base64url: 'base64url text',
  json_string: 'JSON text',
  e164: 'a phone number in E.164 form',
  jwt: 'a JSON web token',
  lowercase: 'lower-case text',
  uppercase: 'upper-case text',
};

/** What a string format expects, as a noun: `a UUID`, `text that starts with "https://"`. */
function describeFormat(issue: z.core.$ZodIssueInvalidStringFormat): string {
  const format = issue as z.core.$ZodStringFormatIssues;
  switch (format.format) {
    case 'starts_with':
      return `text that starts with ${JSON.stringify(format.prefix)}`;
    case 'ends_with':
      return `text that ends with ${JSON.stringify(format.suffix)}`;
    case 'includes':
      return `text that contains ${JSON.stringify(format.includes)}`;
    case 'regex':
      return `text that matches ${format.pattern}`;
    default:
      return FORMAT_NAMES[format.format] ?? `text of format ${format.format}`;
  }
}
