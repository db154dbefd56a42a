// SPDX-License-Identifier: Apache-2.0
const SEGMENT_LENGTH_MAX = 100;

/** `['config', 'headers', 0, 'x y']` → `config.headers[0]["x y"]`. Long keys are shortened: they come from strangers. */
export function formatPath(path: readonly PropertyKey[], prefix = ''): string {
  return path.reduce<string>((name, segment) => name + formatSegment(segment, name === ''), prefix);
}

function formatSegment(segment: PropertyKey, isFirst: boolean): string {
  if (typeof segment === 'number') return `[${segment}]`;
  const text = String(segment);
  const shown = text.length > SEGMENT_LENGTH_MAX ? `${text.slice(0, SEGMENT_LENGTH_MAX)}…` : text;
  if (isFirst) return shown === '' ? '""' : shown;
  return /^[A-Za-z_$][\w$-]*…?$/.test(shown) ? `.${shown}` : `[${JSON.stringify(shown)}]`;
}
