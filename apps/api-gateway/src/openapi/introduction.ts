/** What holds for every operation, in CommonMark. */
export const INTRODUCTION = `Monitors addresses on your own nodes: transactions, balances per asset, signed notifications.

- **Keys**: every request under \`/v1\` carries a key in \`X-Api-Key\`: of a project, or of a workspace under \`/management\`. Which permission an operation needs stands beside it.
- **Identifiers**: chains are CAIP-2 (\`eip155:1\`), assets CAIP-19 (\`eip155:1/erc20:0xdac1…\`). Amounts are decimal strings.
- **Lists** take \`limit\` (1 to 100), \`page\` and \`sort_by\` (\`-\` for descending), and answer \`items\` and \`meta\` with the exact total. List parameters are repeated, comma-separated, or both. Unknown parameters and members are refused.
- **Errors** are \`application/problem+json\` (RFC 9457). A 400 names each bad value in \`fields\`. A path that does not exist is 404, another method than those of a path 405 with \`Allow\`. What answers 429, 500, 502 or 503 may be asked again later.
- **Limits**: the \`X-RateLimit-*\` headers tell what is left for the key; 429 carries \`Retry-After\`.
- **Repetition**: GET, PATCH and DELETE may be sent again as they are. A POST with an \`Idempotency-Key\` is carried out once, however often it is sent: the answer is kept for 24 hours, for the API key that asked.
- **Growth**: within \`v1\`, answers and events only gain members; take those that you do not know.`;
