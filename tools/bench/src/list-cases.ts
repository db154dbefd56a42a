// SPDX-License-Identifier: Apache-2.0
import type { Database } from '@chainwatch/data/db';

export interface ListCase {
  /** `largest transactions statuses=confirmed`. */
  readonly name: string;
  /** The list, for the table of results. */
  readonly list: string;
  readonly path: string;
  readonly key: 'largest' | 'middle' | 'management';
}

interface ListRoute {
  readonly path: string;
  readonly sorts: readonly string[];
  readonly filters: readonly string[];
}

/** Every list with each single filter in the default order, and each order without a filter; the first page and page 100. */
export async function buildListCases(
  db: Database,
  projects: { readonly largest: string; readonly middle: string },
): Promise<ListCase[]> {
  const cases: ListCase[] = [];
  const add = (key: ListCase['key'], routes: readonly ListRoute[]): void => {
    for (const { path, sorts, filters } of routes) {
      const queries = ['', ...sorts.flatMap((sort) => [`sort_by=${sort}`, `sort_by=-${sort}`]), ...filters];
      for (const query of queries) {
        for (const page of ['', 'page=100', ...(query === '' ? ['limit=100&page=100'] : [])]) {
          const search = [query, page].filter((part) => part !== '').join('&');
          cases.push({
            key,
            list: path.replace(/[0-9a-f-]{36}|(?<=addresses\/)[^/]{30,}/, '{id}'),
            path: `${path}?${search}`,
            name: `${key} ${path}?${decodeURIComponent(search)}`,
          });
        }
      }
    }
  };
  for (const key of ['largest', 'middle'] as const) add(key, await projectRoutes(db, projects[key]));
  add('largest', sharedRoutes);
  add('management', await managementRoutes(db));
  return cases;
}

async function projectRoutes(db: Database, project: string): Promise<ListRoute[]> {
  const one = async (sql: string): Promise<string> =>
    encodeURIComponent(
      String(
        Object.values(
          (await db.query<Record<string, unknown>>(sql, [project])).rows[0] ?? { none: 'none' },
        )[0],
      ),
    );
  const busiest = await one(
    `SELECT a.display FROM list_counts c JOIN addresses a ON a.id = c.scope WHERE c.list = 'address' AND a.project_id = $1 ORDER BY c.count DESC LIMIT 1`,
  );
  const quiet = await one(
    `SELECT a.display FROM list_counts c JOIN addresses a ON a.id = c.scope WHERE c.list = 'address' AND a.project_id = $1 ORDER BY c.count LIMIT 1`,
  );
  const second = await one(
    `SELECT a.display FROM list_counts c JOIN addresses a ON a.id = c.scope WHERE c.list = 'address' AND a.project_id = $1 ORDER BY c.count DESC OFFSET 1 LIMIT 1`,
  );
  // Of the busiest one's family: only those may have transactions together.
  const related = await one(
    `SELECT a.display FROM list_counts c JOIN addresses a ON a.id = c.scope WHERE c.list = 'address' AND a.project_id = $1
       AND a.chain_family = (SELECT b.chain_family FROM list_counts d JOIN addresses b ON b.id = d.scope WHERE d.list = 'address' AND b.project_id = $1 ORDER BY d.count DESC LIMIT 1)
     ORDER BY c.count DESC OFFSET 1 LIMIT 1`,
  );
  const asset = await one(
    `SELECT key[1] FROM list_counts WHERE list = 'asset' AND scope = $1 ORDER BY count DESC LIMIT 1`,
  );
  const rareAsset = await one(
    `SELECT key[1] FROM list_counts WHERE list = 'asset' AND scope = $1 ORDER BY count LIMIT 1`,
  );
  const secondAsset = await one(
    `SELECT key[1] FROM list_counts WHERE list = 'asset' AND scope = $1 ORDER BY count DESC OFFSET 1 LIMIT 1`,
  );
  const publicKey = await one(
    `SELECT k.id FROM public_keys k, LATERAL (SELECT count(*) AS count FROM transaction_addresses WHERE public_key_id = k.id) c WHERE k.project_id = $1 ORDER BY c.count DESC LIMIT 1`,
  );
  const hash = await one(
    'SELECT hash FROM transactions WHERE project_id = $1 ORDER BY detected_at DESC OFFSET 100 LIMIT 1',
  );
  const channel = await one('SELECT channel_id FROM deliveries WHERE project_id = $1 LIMIT 1');
  const event = await one('SELECT event_id FROM deliveries WHERE project_id = $1 LIMIT 1');
  const eventTransaction = await one(
    "SELECT transaction_id FROM event_log WHERE project_id = $1 AND created_at > now() - interval '20 days' LIMIT 1",
  );
  const hd = await one(
    `SELECT display FROM addresses WHERE project_id = $1 AND chain_family = 'bitcoin' LIMIT 1`,
  );
  const addressFilters = [
    'chain_families=evm',
    'chain_families=solana',
    'formats=p2wpkh',
    'is_monitored=true',
    'is_monitored=false',
    'search=Customer%2012',
    'search=abc',
    'search=4fd1',
  ];
  const hdFilters = ['is_used=true', 'is_used=false', 'change=0', 'change=1'];
  const addressSorts = ['created_at', 'address', 'label', 'index'];
  return [
    {
      path: '/transactions',
      sorts: ['detected_at', 'block_number'],
      filters: [
        ...[
          'pending',
          'detected',
          'confirmed',
          'reorged',
          'failed',
          'reorged,failed',
          'detected,confirmed',
        ].map((status) => `statuses=${status}`),
        ...['in', 'out', 'self'].map((direction) => `direction=${direction}`),
        ...['eip155:1', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', 'eip155:1,eip155:56'].map(
          (gid) => `chain_gids=${gid}`,
        ),
        ...[busiest, quiet, `${busiest},${quiet}`, `${busiest},${second}`, `${busiest},${related}`].map(
          (address) => `addresses=${address}`,
        ),
        ...[asset, rareAsset, `${asset},${rareAsset}`, `${asset},${secondAsset}`].map(
          (gid) => `asset_gids=${gid}`,
        ),
        ...[
          `hash=${hash}`,
          `public_key_id=${publicKey}`,
          'from_block=69000000',
          'to_block=24000000',
          'to_block=890000',
          'to_block=22900000',
          'from_block=379000000',
          'since=2026-05-01T00:00:00Z',
          'until=2026-05-01T12:30:00Z',
        ],
        ...['0', '0.015', '3.333', '250', '1000', '9000'].map((amount) => `min_amount=${amount}`),
      ],
    },
    {
      path: '/addresses',
      sorts: addressSorts,
      filters: [...addressFilters, 'kind=hd', 'kind=external', `public_key_id=${publicKey}`],
    },
    {
      path: '/addresses/hd',
      sorts: addressSorts,
      filters: [...addressFilters, ...hdFilters, `public_key_id=${publicKey}`],
    },
    {
      path: `/public_keys/${publicKey}/addresses`,
      sorts: addressSorts,
      filters: [...addressFilters, ...hdFilters],
    },
    {
      path: '/public_keys',
      sorts: ['created_at', 'label'],
      filters: ['chain_gids=bip122:000000000019d6689c085ae165831e93', 'search=allet', 'search=abc'],
    },
    {
      path: '/notification_channels',
      sorts: ['name', 'kind', 'created_at', 'updated_at'],
      filters: ['kind=webhook', 'is_archived=true', 'is_archived=false', 'search=annel%201', 'search=abc'],
    },
    {
      path: `/notification_channels/${channel}/deliveries`,
      sorts: ['created_at'],
      filters: [
        'statuses=delivered',
        'statuses=failed',
        'statuses=held,failed',
        'statuses=pending',
        `event_id=${event}`,
        'event_types=transaction.detected',
        'event_types=transaction.failed',
        `since=${daysAgo(7)}`,
        `until=${daysAgo(7)}`,
      ],
    },
    {
      path: '/events',
      sorts: ['created_at'],
      filters: [
        'types=transaction.confirmed',
        'types=transaction.failed',
        'types=channel.failed',
        'chain_gids=eip155:1',
        'chain_gids=solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
        `transaction_id=${eventTransaction}`,
        `since=${daysAgo(7)}`,
        `until=${daysAgo(7)}`,
      ],
    },
    {
      path: `/addresses/${hd}/utxos`,
      sorts: ['block_number', 'amount'],
      filters: ['chain_gids=bip122:000000000019d6689c085ae165831e93'],
    },
  ];
}

const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();

const sharedRoutes: readonly ListRoute[] = [
  {
    path: '/blockchains',
    sorts: ['name', 'short_name', 'gid', 'is_active'],
    filters: ['families=evm', 'is_active=true', 'search=eip'],
  },
  {
    path: '/blocks',
    sorts: ['number', 'chain_gid', 'status'],
    filters: [
      'chain_gids=eip155:1',
      'chain_gids=eip155:1,eip155:56',
      'statuses=confirmed',
      'statuses=reorged',
      'statuses=new,processed',
      'from_block=70000000',
      'to_block=24000000',
    ],
  },
  {
    path: '/assets',
    sorts: ['gid', 'namespace', 'reference', 'status', 'created_at'],
    filters: [
      'chain_gids=eip155:1',
      'namespaces=erc20',
      'namespaces=slip44',
      'statuses=active',
      'statuses=invalid',
      'is_archived=true',
    ],
  },
  {
    path: '/tokens',
    sorts: ['created_at', 'gid', 'name', 'symbol'],
    filters: [
      'chain_gids=eip155:1',
      'namespaces=erc20',
      'type=native',
      'type=fungible',
      'search=Token%2012',
      'search=abc',
      'search=f00',
    ],
  },
];

async function managementRoutes(db: Database): Promise<ListRoute[]> {
  const { rows } = await db.query<{ target: string; actor: string; project: string }>(
    'SELECT target_id AS target, actor_key_id AS actor, (SELECT id FROM projects LIMIT 1) AS project FROM audit_logs LIMIT 1',
  );
  const { target, actor, project } = rows[0]!;
  const usageKey = (await db.query<{ key: string }>('SELECT key_id AS key FROM rpc_usage LIMIT 1')).rows[0]!
    .key;
  return [
    {
      path: '/management/projects',
      sorts: ['created_at', 'updated_at', 'name'],
      filters: ['search=ject%201'],
    },
    {
      path: '/management/members',
      sorts: ['created_at', 'email', 'role'],
      filters: ['roles=owner', 'search=member12'],
    },
    {
      path: '/management/keys',
      sorts: ['created_at', 'name', 'type'],
      filters: [
        'types=api',
        `project_ids=${project}`,
        'statuses=revoked',
        'statuses=active',
        'search=key%201',
      ],
    },
    {
      path: '/management/usage',
      sorts: ['hour'],
      filters: [
        `key_ids=${usageKey}`,
        'chain_gids=eip155:1',
        'methods=eth_call',
        `since=${daysAgo(7)}`,
        `until=${daysAgo(7)}`,
      ],
    },
    {
      path: '/management/audit_logs',
      sorts: ['created_at'],
      filters: [
        'actions=key.created',
        'target_types=key',
        `target_ids=${target}`,
        `actor_key_ids=${actor}`,
        'request_id=request-7',
        'since=2026-01-01T00:00:00Z',
        'until=2026-01-01T00:00:00Z',
        'search=key%207',
      ],
    },
  ];
}
