// SPDX-License-Identifier: Apache-2.0
import type { z } from 'zod';

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
export function describeFormat(issue: z.core.$ZodIssueInvalidStringFormat): string {
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
