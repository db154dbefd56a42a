/** Never taken from a configuration: they say how a request is framed, and that is the connection's own. */
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
 * The lines that every request to a server has, each with its end; a name that is given twice counts as it comes last.
 * @throws Error for a value that would not stay on its line
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

/** @throws Error for a path that would not stay on its line */
export function writeRequestLine(verb: 'POST' | 'GET', path: string): string {
  if (!/^\/[\x21-\x7e\x80-\xff]*$/.test(path))
    throw new Error('expected a path without spaces and control characters');
  return `${verb} ${path} HTTP/1.1\r\n`;
}
