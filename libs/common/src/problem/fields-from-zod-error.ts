// SPDX-License-Identifier: Apache-2.0
// cspell:ignore passw
import type { z } from 'zod';
import { describeIssue } from './describe-issue.ts';
import type { ProblemField } from './problem-error.ts';

export interface FieldsOptions {
  /** The value that was parsed: reasons then say what came, not only its type. */
  readonly input?: unknown;
}

/**
 * `fields` of a 400 from what zod found: `{ name: 'config.headers[0].name', reason: 'expected …, got …' }`. An unknown
 * key is named itself. An issue of the whole value is named `prefix`, or `body` without one.
 *
 * @param prefix path of the parsed value in the request, empty for the body
 */
export function fieldsFromZodError(
  error: z.core.$ZodError,
  prefix = '',
  options: FieldsOptions = {},
): ProblemField[] {
  const fields = error.issues.flatMap((issue) => listFields(issue, [], options.input));
  const named = fields.map(({ path, reason }) => ({ name: formatPath(path, prefix) || 'body', reason }));
  return withoutRepetition(named);
}

interface PathReason {
  readonly path: readonly PropertyKey[];
  readonly reason: string;
}

function listFields(issue: z.core.$ZodIssue, parents: readonly PropertyKey[], input: unknown): PathReason[] {
  const path = [...parents, ...issue.path];
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({ path: [...path, key], reason: 'expected no such field' }));
    case 'invalid_union':
      return listUnionFields(issue, path, input);
    case 'invalid_key':
      return issue.issues.map((inner) => ({
        path,
        reason: `in the key: ${describeIssue(inner, path.at(-1))}`,
      }));
    case 'invalid_element':
      return issue.issues.flatMap((inner) => listFields(inner, path, input));
    default:
      return [{ path, reason: describeIssue(issue, findInput(issue, path, input)) }];
  }
}

/** The alternative that the client most likely meant: one that took the value's type and found the least wrong with it. */
function listUnionFields(
  issue: z.core.$ZodIssueInvalidUnion,
  path: readonly PropertyKey[],
  input: unknown,
): PathReason[] {
  const meant = issue.errors
    .filter((issues) => !issues.some(isAboutWholeValue))
    .toSorted((a, b) => a.length - b.length)[0];
  if (meant !== undefined) return meant.flatMap((inner) => listFields(inner, path, input));
  return [{ path, reason: describeIssue(issue, findInput(issue, path, input)) }];
}

function isAboutWholeValue(issue: z.core.$ZodIssue): boolean {
  return issue.path.length === 0 && (issue.code === 'invalid_type' || issue.code === 'invalid_value');
}

/** Reasons end up in logs as well: what stands under such a name, credentials in URLs included, is never repeated. */
const SENSITIVE_NAME = /token|secret|passw|credential|auth|key|url|headers/i;

function findInput(issue: z.core.$ZodIssue, path: readonly PropertyKey[], root: unknown): unknown {
  if (path.some((segment) => SENSITIVE_NAME.test(String(segment)))) return undefined;
  if (issue.input !== undefined || root === undefined) return issue.input;
  let value: unknown = root;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

/** Both sides of an intersection, or several alternatives, may find the same. */
function withoutRepetition(fields: readonly ProblemField[]): ProblemField[] {
  const seen = new Set<string>();
  return fields.filter(({ name, reason }) => {
    const key = `${name}\n${reason}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

const SEGMENT_LENGTH_MAX = 100;

/** `['config', 'headers', 0, 'x y']` → `config.headers[0]["x y"]`. Long keys are shortened: they come from strangers. */
function formatPath(path: readonly PropertyKey[], prefix = ''): string {
  return path.reduce<string>((name, segment) => name + formatSegment(segment, name === ''), prefix);
}

function formatSegment(segment: PropertyKey, isFirst: boolean): string {
  if (typeof segment === 'number') return `[${segment}]`;
  const text = String(segment);
  const shown = text.length > SEGMENT_LENGTH_MAX ? `${text.slice(0, SEGMENT_LENGTH_MAX)}…` : text;
  if (isFirst) return shown === '' ? '""' : shown;
  return /^[A-Za-z_$][\w$-]*…?$/.test(shown) ? `.${shown}` : `[${JSON.stringify(shown)}]`;
}
