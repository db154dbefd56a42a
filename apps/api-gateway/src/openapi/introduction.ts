// SPDX-License-Identifier: Apache-2.0
/** What holds for every operation, in CommonMark. */
export const INTRODUCTION = `Monitors addresses on your own nodes: transactions, balances per asset, signed notifications.

- **Keys**: every request under \`/v1\` carries a key in \`X-Api-Key\`: of a project, or of a workspace under \`/management\`. Each operation lists the permission that it needs.
- **Identifiers**: chains are CAIP-2 (\`eip155:1\`), assets CAIP-19 (\`eip155:1/erc20:0xdac1…\`). Amounts are decimal strings.
- **Lists** take \`limit\` (1 to 100), \`page\` and \`sort_by\` (\`-\` for descending), and return \`items\` and \`meta\` with the exact total. List parameters are repeated, comma-separated, or both. Unknown parameters and members are refused.
- **Errors** are \`application/problem+json\` (RFC 9457). A 400 names each bad value in \`fields\`. A path that does not exist is 404, another method than those of a path 405 with \`Allow\`. Requests with 429, 500, 502, or 503 may be retried later.
- **Limits**: the \`X-RateLimit-*\` headers show the remaining requests of the key; 429 has \`Retry-After\`.
- **Repetition**: GET, PATCH, and DELETE may be repeated. A POST with an \`Idempotency-Key\` is processed once, however often it is sent: its answer is stored for 24 hours, for the API key that sent it.
- **Growth**: within \`v1\`, answers and events only gain members and values. Ignore unknown members, and treat an unknown \`verification\` as unproved.`;
