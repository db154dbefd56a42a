// SPDX-License-Identifier: Apache-2.0
/** For statements of a bench itself, which may take longer than the role's time-out lets those of services. */
export function withoutTimeout(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.searchParams.set('options', '-c statement_timeout=0');
  return url.href;
}
