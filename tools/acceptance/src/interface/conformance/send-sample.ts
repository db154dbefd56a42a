// SPDX-License-Identifier: Apache-2.0
import type { Reply } from '../client.ts';
import { UncheckedClaimError } from './check.ts';
import { ENDPOINT_SAMPLES } from './endpoint-samples.ts';
import type { Ground } from './ground.ts';

export interface Endpoint {
  readonly method: string;
  /** With `{names}`. */
  readonly path: string;
}

/** Sends the endpoint's request with what it needs, again on every call. */
export async function sendSample(
  ground: Ground,
  endpoint: Endpoint,
  { body }: { readonly body?: unknown } = {},
): Promise<Reply & { readonly target: string }> {
  const sample = await ENDPOINT_SAMPLES[`${endpoint.method} ${endpoint.path}`]?.(ground);
  const target = fill(endpoint.path, { ...ground.values, ...sample?.values }) + (sample?.query ?? '');
  return { ...(await ground.api(endpoint.method, target, body ?? sample?.body)), target };
}

export function fill(path: string, values: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (values[name] === undefined) throw new UncheckedClaimError(`{${name}}`);
    return values[name];
  });
}
