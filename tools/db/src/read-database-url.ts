// SPDX-License-Identifier: Apache-2.0
/** @throws Error with one sentence that says what to do when DATABASE_URL is missing */
export function readDatabaseUrl(): string {
  const url = process.env.DATABASE_URL;
  if (!url)
    throw new Error(
      'Set DATABASE_URL to the PostgreSQL database, such as postgres://user:password@host:5432/chainwatch.',
    );
  return url;
}
