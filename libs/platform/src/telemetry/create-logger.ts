// SPDX-License-Identifier: Apache-2.0
import { pino, type DestinationStream } from 'pino';
import { hideSecretFields, hideUrlCredentials } from './hide-secrets.ts';
import { currentTraceparent } from './tracing.ts';
import { currentLogFields } from './with-log-fields.ts';

type Log = (fields: object, message: string) => void;

/** The only logger type; an error goes into the field `err`. Code that needs less of it takes a Pick. */
export interface Logger {
  readonly debug: Log;
  readonly info: Log;
  readonly warn: Log;
  readonly error: Log;
}

export interface ServiceLogger extends Logger {
  readonly fatal: Log;
  /** Writes the fields into every line. */
  child(fields: object): Logger;
}

export interface LoggerOptions {
  readonly service: string;
  /** Default info. */
  readonly level?: string;
  /** One readable line instead of JSON. Default: LOG_PRETTY=1. */
  readonly isReadable?: boolean;
  /** Default: standard output. */
  readonly destination?: DestinationStream;
  /** What no line may show, besides user and password of URLs. Regular expressions with the flag `g`. */
  readonly hides?: readonly RegExp[];
}

/** JSON lines with `service`, the time in RFC 3339 and the trace; fields and URLs that hold a secret are hidden. */
export function createLogger({
  service,
  level = 'info',
  isReadable = process.env.LOG_PRETTY === '1',
  destination,
  hides = [],
}: LoggerOptions): ServiceLogger {
  const output = destination ?? pino.destination({ dest: 1, sync: true });
  return pino(
    {
      level,
      base: { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: hideSecretFields },
      serializers: { err: serializeError, cause: serializeError },
      mixin: () => {
        return { ...currentLogFields(), trace_id: currentTraceparent()?.slice(3, 35) };
      },
      hooks: { streamWrite: (line) => hideUrlCredentials(line, hides) },
    },
    isReadable ? { write: (line: string) => void output.write(formatReadably(line)) } : output,
  );
}

function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code } = error as { code?: unknown };
  const cause = error.cause === undefined ? undefined : serializeError(error.cause);
  return { type: error.name, message: error.message, code, stack: error.stack, cause };
}

const COLORS: Readonly<Record<string, number>> = {
  trace: 90,
  debug: 90,
  info: 32,
  warn: 33,
  error: 31,
  fatal: 31,
};

/** `12:00:01.123 INFO  tx-analyzer a block was processed chain_gid=eip155:1 height=7` */
function formatReadably(line: string): string {
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
