// SPDX-License-Identifier: Apache-2.0
/** pino's numbers; a line below `info` goes to the log file alone. */
const LEVELS: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
};
const LEVEL_BY_NAME: Readonly<Record<string, number>> = Object.fromEntries(
  Object.entries(LEVELS).map(([number, name]) => [name, Number(number)]),
);
/** Fields of every pino line that say nothing in a local stack. */
const NOISE = new Set([
  'level',
  'time',
  'pid',
  'hostname',
  'msg',
  'service',
  'name',
  'instance_id',
  'trace_id',
  'span_id',
  'trace_flags',
  'traceparent',
]);

export interface LogLine {
  /** pino's number, 30 for a line that is not JSON. */
  readonly level: number;
  readonly text: string;
}

/** Makes a service's JSON log line readable: `warn deliveries are late channel_id=… due=3`. Other lines stay as they are. */
export function formatLogLine(line: string): LogLine {
  const fields = parseFields(line);
  if (!fields) return { level: 30, text: line };
  const level =
    typeof fields.level === 'string' ? (LEVEL_BY_NAME[fields.level] ?? 30) : Number(fields.level ?? 30);
  const rest = Object.entries(fields).filter(
    ([name, value]) => !NOISE.has(name) && value !== null && value !== undefined,
  );
  const words = [
    ...(level > 30 ? [LEVELS[level] ?? 'error'] : []),
    String(fields.msg ?? ''),
    ...rest.map(([name, value]) => `${name}=${formatValue(value)}`),
  ];
  return { level, text: words.join(' ') };
}

function parseFields(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function formatValue(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  // pino's serialized errors: the message is enough here, the stack is in the log file.
  const { message, code } = value as { message?: unknown; code?: unknown };
  if (typeof message === 'string')
    return JSON.stringify(typeof code === 'string' ? `${code}: ${message}` : message);
  return JSON.stringify(value);
}
