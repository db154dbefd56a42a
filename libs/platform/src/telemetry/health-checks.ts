// SPDX-License-Identifier: Apache-2.0
export type CheckResult = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** By dependency: `postgres`, `nats`, `lease eip155:1`; what is undefined does not count. */
export type Checks = Readonly<Record<string, CheckResult | undefined>>;

export const ok: CheckResult = { ok: true };

export function notOk(reason: string): CheckResult {
  return { ok: false, reason };
}

/** Something is missing that the process can do without: reported, but the process stays ready. */
export function degraded(reason: string): CheckResult {
  return { ...ok, ...{ status: 'degraded', reason } };
}

/**
 * A chain is no dependency of the process. One that stands still is reported with its reason, but the replica
 * stays in service: the other chains go on, and another replica would do no better.
 */
export function describeChain(details: {
  readonly status: string;
  readonly reason?: string | undefined;
  readonly head_number?: number | undefined;
  /** Time between two blocks: as measured; as the release expects it. */
  readonly block_time_ms?: number | undefined;
  readonly configured_block_time_ms?: number | undefined;
  /** Upgrades that a node tells and the calendar of the release does not. */
  readonly unknown_upgrades?: readonly string[] | undefined;
}): CheckResult {
  return { ...ok, ...details };
}

/** Runs a probe with a time-out. A rejection becomes a reason; it is never thrown. */
export async function probe(work: () => Promise<unknown>, timeoutMs = 2_000): Promise<CheckResult> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<CheckResult>((resolve) => {
    timer = setTimeout(() => resolve(notOk(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  const answer = work().then(
    () => ok,
    (error: unknown) => notOk(error instanceof Error ? error.message : String(error)),
  );
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
