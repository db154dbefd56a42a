// SPDX-License-Identifier: Apache-2.0
import { accessSync, constants, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { z } from 'zod';
import { parseRedisUrl } from './redis-url.ts';

/** Each of these parses one variable's text. */
export const port = (): z.ZodType<number, string> =>
  z
    .string()
    .regex(/^\d{1,5}$/, 'expected a port, 0 … 65535')
    .transform(Number)
    .refine((value) => value <= 65_535, 'expected a port, 0 … 65535');

export const integer = (min: number, max = Number.MAX_SAFE_INTEGER): z.ZodType<number, string> =>
  z
    .string()
    .regex(/^-?\d+$/, 'expected a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `expected a whole number, ${min} … ${max}`);

export const url = (...protocols: readonly string[]): z.ZodType<string, string> =>
  z
    .string()
    .refine(
      (text) => isUrl(text, protocols),
      `expected a URL that starts with ${protocols.map((protocol) => `${protocol}://`).join(' or ')}`,
    );

/** Several URLs with commas between, such as the servers of a cluster. */
export const urls = (...protocols: readonly string[]): z.ZodType<string, string> =>
  z
    .string()
    .refine(
      (text) => text.split(',').every((part) => isUrl(part.trim(), protocols)),
      `expected URLs that start with ${protocols.map((protocol) => `${protocol}://`).join(' or ')}`,
    );

export const redisUrl = (): z.ZodType<string, string> =>
  z
    .string()
    .refine(
      (text) => parseRedisUrl(text) !== undefined,
      'expected redis://host:6379, redis+cluster://host:6379,host:6379, or redis+sentinel://host:26379,host:26379/master; rediss for TLS',
    );

/** The path of a file that this process can read. */
export const file = (): z.ZodType<string, string> =>
  z.string().refine(isReadable, 'expected the path of a file that this process can read');

export const boolean = (): z.ZodType<boolean, string> =>
  z
    .string()
    .regex(/^(1|0|true|false|yes|no|on|off)$/i, 'expected true or false')
    .transform((text) => /^(1|true|yes|on)$/i.test(text));

/** `250ms`, `10s`, `5m`, `2h`, `1d`, or a bare number of milliseconds. In milliseconds. */
export const durationMs = (): z.ZodType<number, string> =>
  z
    .string()
    .regex(/^\d+(\.\d+)?(ms|s|m|h|d)?$/, 'expected a duration such as 250ms, 10s, 5m, 2h or 1d')
    .transform((text) =>
      Math.round(Number.parseFloat(text) * UNIT_MS[text.replace(/^[\d.]+/, '') as keyof typeof UNIT_MS]),
    );

const UNIT_MS = { '': 1, ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

export const commaList = (): z.ZodType<string[], string> =>
  z.string().transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  );

/** A comma list of address ranges in CIDR notation; a bare address is a range of one. */
export const cidrList = (): z.ZodType<string[], string> =>
  commaList().refine(
    (ranges: string[]) => ranges.every(isCidr),
    'expected address ranges such as 10.0.0.0/8,::1/128',
  ) as z.ZodType<string[], string>;

/** Origins of web pages with commas between, such as `https://app.example.com`; `*` for any. */
export const originList = (): z.ZodType<string[], string> =>
  commaList().refine(
    (origins: string[]) => origins.every(isOrigin),
    'expected origins such as https://app.example.com, without a path, or *',
  ) as z.ZodType<string[], string>;

export const json = <T>(schema: z.ZodType<T>): z.ZodType<T, string> =>
  z
    .string()
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        context.addIssue({ code: 'custom', message: 'expected JSON' });
        return z.NEVER;
      }
    })
    .pipe(schema as z.ZodType<T, unknown>);

/** The path of a JSON file, which is read once: at the start. */
export const jsonFile = <T>(schema: z.ZodType<T, unknown>): z.ZodType<T, string> =>
  file()
    .transform((path) => readFileSync(path, 'utf8'))
    .pipe(json(schema as z.ZodType<T>));

function isUrl(text: string, protocols: readonly string[]): boolean {
  return URL.canParse(text) && protocols.includes(new URL(text).protocol.slice(0, -1));
}

function isOrigin(text: string): boolean {
  return text === '*' || (isUrl(text, ['http', 'https']) && new URL(text).origin === text);
}

function isCidr(range: string): boolean {
  const [address = '', bits, ...rest] = range.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
