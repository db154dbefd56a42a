import type { ApiClient } from '../api-client.ts';
import { waitUntil } from '../wait-until.ts';

const TIMEOUT_MS = 30_000;

/** Prints each status the block is seen in until it is confirmed. `new` lasts milliseconds and is often over before the first look. */
export async function watchBlock(api: ApiClient, chainGid: string, number: number, print: (line: string) => void): Promise<void> {
  const seen: string[] = [];
  await waitUntil(
    async () => {
      const { status } = await api.call<{ status: string }>('GET', `/blocks/${chainGid}/${number}`);
      if (seen.at(-1) !== status) {
        seen.push(status);
        print(`GET /blocks/${chainGid}/${number}: ${seen.join(' → ')}`);
      }
      return status === 'confirmed';
    },
    { timeoutMs: TIMEOUT_MS, intervalMs: 100 },
  );
}
