// SPDX-License-Identifier: Apache-2.0
/** Headers that a configuration must not set: the connection itself decides how a request is framed. */
const FRAMING: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * The headers of every request to a server: name, value, name, value. If a name is given twice, the last value counts.
 * @throws Error for a value that would break its line
 */
export function listHeaders(
  host: string,
  headers: readonly (readonly [name: string, value: string])[],
): string[] {
  const listed = new Map([
    ['host', ['Host', host]],
    ['connection', ['Connection', 'keep-alive']],
  ]);
  for (const [name, value] of headers) {
    if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      throw new Error(`expected a header that fits on a line, got ${name}`);
    if (!FRAMING.has(name.toLowerCase())) listed.set(name.toLowerCase(), [name, value]);
  }
  return [...listed.values()].flat();
}

/** @throws Error for a path that would break its line */
export function assertPath(path: string): void {
  if (!/^\/[\x21-\x7e\x80-\xff]*$/.test(path))
    throw new Error('expected a path without spaces and control characters');
}
