// SPDX-License-Identifier: Apache-2.0
import { queryOptions } from '@tanstack/react-query';
import type { paths } from '@chainwatch/sdk';
import { readBeside } from './beside.ts';
import { api, bodyOf } from './client.ts';

type UsageAnswer = paths['/management/usage']['get']['responses'][200]['content']['application/json'];
export type UsageRow = UsageAnswer['items'][number];

/** A line of the list at the address of the gateway. */
export interface Network {
  readonly chain_gid: string;
  readonly name: string;
  readonly display_name: string;
  readonly status: 'healthy' | 'degraded' | 'unavailable' | 'not_configured';
  readonly head_number: number | null;
}

interface Usage {
  readonly rows: readonly UsageRow[];
  /** False where there are more rows than are read: the oldest are missing. */
  readonly isWhole: boolean;
}

const PAGE_ROWS = 100;
/** Of the limit of requests of a management key it takes little. */
const PAGES_MAX = 10;
const HOUR_MS = 3_600_000;
const USAGE_MS = 60_000;
const NETWORKS_MS = 5_000;

/** What the RPC keys called in so many hours, newest first. */
export const usageQuery = (hours: number) =>
  queryOptions({
    queryKey: ['usage', hours],
    queryFn: ({ signal }) => readUsage(new Date(Date.now() - hours * HOUR_MS).toISOString(), signal),
    staleTime: USAGE_MS,
  });

async function readUsage(since: string, signal: AbortSignal): Promise<Usage> {
  const rows: UsageRow[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const query = { since, cursor, limit: PAGE_ROWS };
    const { items, meta } = await bodyOf(api.GET('/management/usage', { params: { query }, signal }));
    rows.push(...items);
    cursor = meta.next_cursor;
    if (cursor === undefined) return { rows, isWhole: true };
  }
  return { rows, isWhole: false };
}

/** The chains of the gateway and whether their nodes serve. */
export const networksQuery = (rpcUrl: string | null) =>
  queryOptions({
    queryKey: ['networks', rpcUrl],
    queryFn: async () => (await readBeside<{ networks: readonly Network[] }>(rpcUrl ?? '')).networks,
    enabled: rpcUrl !== null,
    refetchInterval: NETWORKS_MS,
  });
