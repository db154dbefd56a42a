// SPDX-License-Identifier: Apache-2.0
const COLORS: Readonly<Record<string, number>> = {
  trace: 90,
  debug: 90,
  info: 32,
  warn: 33,
  error: 31,
  fatal: 31,
};

/** `12:00:01.123 INFO  tx-analyzer a block was processed chain_gid=eip155:1 height=7` */
export function formatReadably(line: string): string {
  const { level, time, service, msg, err, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const color = COLORS[String(level)] ?? 0;
  const rest = Object.entries(fields).map(
    ([name, value]) =>
      ` \u001b[90m${name}=\u001b[0m${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const stack = (err as { stack?: string } | undefined)?.stack;
  const head = `${String(time).slice(11, 23)} \u001b[${color}m${String(level).toUpperCase().padEnd(5)}\u001b[0m ${String(service)} ${String(msg ?? '')}`;
  return `${head}${rest.join('')}${stack === undefined ? '' : `\n${stack}`}\n`;
}
