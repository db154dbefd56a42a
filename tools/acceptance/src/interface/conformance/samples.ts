// SPDX-License-Identifier: Apache-2.0
import { demand } from './demand.ts';
import type { Ground } from './ground.ts';
import type { Table } from './read-tables.ts';

export type Sample = Readonly<Record<string, unknown>>;

const LISTS: Readonly<Record<string, string>> = {
  Blockchain: '/blockchains',
  Block: '/blocks',
  Asset: '/assets',
  'Notification channel': '/notification_channels',
};

/** Everything of a kind that the running stack shows: of the resource whose table it is. */
export async function findSamples(
  ground: Ground,
  table: Pick<Table, 'headings' | 'lead'>,
): Promise<readonly Sample[]> {
  const samples = await collect(ground, table);
  demand(samples.length > 0, `something under "${table.headings.at(-1)}" to look at`, samples);
  return samples;
}

async function collect(
  ground: Ground,
  { headings, lead }: Pick<Table, 'headings' | 'lead'>,
): Promise<readonly Sample[]> {
  const [, kind] = /^Config for kind `(\w+)`:$/.exec(lead) ?? [];
  const resource = headings.at(-1)!.split(' (')[0]!;
  if (kind !== undefined)
    return (await listAll(ground, `/notification_channels?kind=${kind}&search=${kind[0]}`)).map(
      ({ config }) => config as Sample,
    );
  if (resource === 'Pagination envelope')
    return (await Promise.all(Object.values(LISTS).map((path) => ground.api('GET', path)))).map(
      ({ body }) => (body as { meta: Sample }).meta,
    );
  if (resource === 'Problem details object') return collectProblems(ground);
  return LISTS[resource] === undefined ? [] : listAll(ground, LISTS[resource]);
}

/** All pages. */
export async function listAll({ api }: Pick<Ground, 'api'>, path: string): Promise<Sample[]> {
  const items: Sample[] = [];
  for (let page = 1; ; page += 1) {
    const { status, body } = await api(
      'GET',
      `${path}${path.includes('?') ? '&' : '?'}limit=100&page=${page}`,
    );
    demand(status === 200, `GET ${path} to succeed`, { status, body });
    const { items: more, meta } = body as { items: Sample[]; meta: { total_pages: number } };
    items.push(...more);
    if (page >= meta.total_pages) return items;
  }
}

async function collectProblems({ api }: Ground): Promise<Sample[]> {
  const replies = await Promise.all([
    api('GET', '/blocks?limit=0'),
    api('POST', '/notification_channels/nats', {}),
    api('GET', '/addresses/0x0'),
    api('GET', '/nothing'),
    api('PUT', '/blocks'),
    api('POST', '/blockchains', '{'),
  ]);
  return replies.map(({ body }) => body as Sample);
}
