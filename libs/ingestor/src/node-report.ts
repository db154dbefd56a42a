import type { EndpointHealth } from '@chainwatch/chain-core';

const ERROR_LENGTH_MAX = 500;

/** As `ingestor_states.nodes` has it; the API shows it to the operator. */
export function toNodeReport(health: EndpointHealth) {
  const { answeredAtMs, failedAtMs } = health;
  return {
    url: health.label,
    is_in_use: health.isPrimary,
    head_number: health.headNumber ?? null,
    latency_ms: health.headMs ?? null,
    last_success_at: toTime(answeredAtMs),
    last_error_at: toTime(failedAtMs),
    last_error: health.lastError?.slice(0, ERROR_LENGTH_MAX) ?? null,
  };
}

function toTime(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}
