/** `Retry-After` in seconds, within limits; one second if the node does not say. */
export function readPauseMs(retryAfter: string | undefined): number {
  const seconds = Number(retryAfter ?? 1);
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0.1), 30) * 1_000 : 1_000;
}
