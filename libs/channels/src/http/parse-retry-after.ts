/** `Retry-After` (RFC 9110 §10.2.3), seconds or an HTTP date, as milliseconds from now. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value.trim())) return Number(value.trim()) * 1_000;
  // Date.parse also accepts texts that are no HTTP dates, such as `-5`.
  const at = /^[A-Za-z]{3}/.test(value.trim()) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
