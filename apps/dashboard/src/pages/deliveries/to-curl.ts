// SPDX-License-Identifier: Apache-2.0
/** What an attempt sent; channels that are no HTTP have other members. */
export interface SentRequest {
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The request as a command line. Its signature is as old as the attempt, and its secrets are masked. */
export function toCurl({ url = '', headers = {}, body }: SentRequest): string {
  const text = typeof body === 'string' ? body : body === undefined ? undefined : JSON.stringify(body);
  return [
    `curl -X POST ${quote(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(text === undefined ? [] : [`--data-raw ${quote(text)}`]),
  ].join(' \\\n  ');
}

/** For any POSIX shell: nothing within single quotes has a meaning but the quote itself. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
