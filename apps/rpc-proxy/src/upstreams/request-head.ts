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
 * The header lines of every request to a server, each with its line end. If a name is given twice, the last value
 * counts.
 * @throws Error for a value that would break its line
 */
export function writeHeaders(
  host: string,
  headers: readonly (readonly [name: string, value: string])[],
): string {
  const lines = new Map([
    ['host', `Host: ${host}\r\n`],
    ['connection', 'Connection: keep-alive\r\n'],
  ]);
  for (const [name, value] of headers) {
    if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      throw new Error(`expected a header that fits on a line, got ${name}`);
    if (!FRAMING.has(name.toLowerCase())) lines.set(name.toLowerCase(), `${name}: ${value}\r\n`);
  }
  return [...lines.values()].join('');
}

/** @throws Error for a path that would break its line */
export function writeRequestLine(verb: 'POST' | 'GET', path: string): string {
  if (!/^\/[\x21-\x7e\x80-\xff]*$/.test(path))
    throw new Error('expected a path without spaces and control characters');
  return `${verb} ${path} HTTP/1.1\r\n`;
}
