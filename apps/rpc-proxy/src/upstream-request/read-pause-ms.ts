/** `Retry-After` in seconds, within reason; a second where the node does not tell. */
export function readPauseMs(retryAfter: string | undefined): number {
  const seconds = Number(retryAfter ?? 1);
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0.1), 30) * 1_000 : 1_000;
}
