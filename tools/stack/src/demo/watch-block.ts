// SPDX-License-Identifier: Apache-2.0
import type { ApiClient } from '../api-client.ts';
import { waitUntil } from '../wait-until.ts';

const TIMEOUT_MS = 30_000;
/** `new` lasts milliseconds. */
const LOOK_EVERY_MS = 10;
const LOOK_LATER_MS = 250;

/** Prints each status that the block is seen in until it is confirmed. It may not exist yet. */
export async function watchBlock(
  api: ApiClient,
  {
    chainGid,
    number,
    print,
  }: { readonly chainGid: string; readonly number: number; readonly print: (line: string) => void },
): Promise<void> {
  const seen: string[] = [];
  const look = async (): Promise<string | number | undefined> => {
    const { status } = await api.call<{ status?: string | number }>(
      'GET',
      `/blocks/${chainGid}/${number}`,
      undefined,
      [404],
    );
    // A problem's status is the number 404.
    if (typeof status === 'string' && seen.at(-1) !== status) {
      seen.push(status);
      print(`GET /blocks/${chainGid}/${number}: ${seen.join(' → ')}`);
    }
    return status;
  };
  await waitUntil(async () => ['processed', 'confirmed'].includes(String(await look())), {
    timeoutMs: TIMEOUT_MS,
    intervalMs: LOOK_EVERY_MS,
  });
  await waitUntil(async () => (await look()) === 'confirmed', {
    timeoutMs: TIMEOUT_MS,
    intervalMs: LOOK_LATER_MS,
  });
}
