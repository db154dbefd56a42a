// SPDX-License-Identifier: Apache-2.0
/** One thing that was looked at, and what to do where it is not right. */
export interface Finding {
  readonly what: string;
  readonly ok: boolean;
  readonly found: string;
  readonly advice?: string;
}

/** Of a chain, as a service or the API shows it. */
interface Pace {
  /** Time between a chain's blocks, where the service has measured it. */
  readonly block_time_ms?: number | null;
  /** What its release expects. */
  readonly configured_block_time_ms?: number | null;
}

interface Check extends Pace {
  readonly ok: boolean;
  readonly status?: string;
  readonly reason?: string;
  /** Upgrades that its nodes tell and the calendar does not. */
  readonly unknown_upgrades?: readonly string[];
}

export const ANSWER_MS_MAX = 10_000;
/** As the alert `BlockTimeDiffers`. */
const PACE_FACTOR = 2;

/** What a service says at its health port. @throws Error where it does not answer */
export async function examineHealth(url: string): Promise<Finding[]> {
  const response = await fetch(new URL('/readyz', url), { signal: AbortSignal.timeout(ANSWER_MS_MAX) });
  const { checks } = (await response.json()) as { checks: Record<string, Check> };
  return Object.entries(checks).flatMap(([name, check]) => {
    const { ok, status, reason } = check;
    const finding = {
      what: `${url} ${name}`,
      ok: ok && status !== 'degraded',
      found: [status ?? (ok ? 'ok' : 'away'), reason].filter(Boolean).join(', '),
    };
    const pace = findOddPace(check);
    return [
      finding,
      ...(pace === undefined ? [] : [{ ...pace, what: `${finding.what} block time` }]),
      ...(check.unknown_upgrades ?? []).map((upgrade) => ({
        what: `${finding.what} upgrade`,
        ok: false,
        found: `${upgrade}: not in the calendar`,
        advice: 'look for a newer release',
      })),
    ];
  });
}

/** A chain that is not as fast as the release expects; undefined where it is, or is not measured yet. */
export function findOddPace({
  block_time_ms: measuredMs,
  configured_block_time_ms: configuredMs,
}: Pace): Omit<Finding, 'what'> | undefined {
  if (typeof measuredMs !== 'number' || typeof configuredMs !== 'number') return undefined;
  const factor = measuredMs / configuredMs;
  if (factor < PACE_FACTOR && factor > 1 / PACE_FACTOR) return undefined;
  return {
    ok: false,
    found: `expected a block every ${configuredMs} ms, measured ${measuredMs} ms`,
    advice: 'the measured time is used; a fork may have changed the chain: look for a newer release',
  };
}
