// SPDX-License-Identifier: Apache-2.0
import { permissionsOf } from '@chainwatch/common/api-key';
import { BITCOIN, ETHEREUM, SOLANA } from './chains.ts';
import { ago, make, NOW_MS, uuid, type Schemas } from './make-record.ts';

/** Where the pages believe the RPC gateway to be; who takes the pictures answers there. */
export const RPC_URL = 'https://rpc.example.com';

const example = make('Session', {});

const permissions = [...permissionsOf('mgt')];
const workspace = { ...example.workspace, name: 'Acme', is_operator: true };

/** Of the operator's own workspace: all that can be done is offered. */
export const session: Schemas['Session'] = {
  ...example,
  key: { ...example.key!, type: 'mgt', name: 'Operations', permissions },
  member: null,
  permissions,
  workspace,
  workspaces: [workspace],
  chain_families: ['evm', 'bitcoin', 'solana', 'tron'],
  projects: [
    { id: uuid('shop'), name: 'Shop' },
    { id: uuid('exchange'), name: 'Exchange' },
  ],
  project_permissions: [...permissionsOf('api')],
  rpc_url: RPC_URL,
  playground_url: null,
};

function key(name: string, type: Schemas['Key']['type'], own: Partial<Schemas['Key']> = {}): Schemas['Key'] {
  return make('Key', {
    id: uuid(name),
    name,
    type,
    mask: `svc_${type}_****${uuid(name).slice(-4)}`,
    project_id: type === 'mgt' ? null : uuid('shop'),
    created_at: ago(120, 'd'),
    last_used_at: ago(4, 's'),
    ...own,
  });
}

export const keys: readonly Schemas['Key'][] = [
  key('Operations', 'mgt'),
  key('Backend', 'api', { permissions: ['api:address:read', 'api:address:write', 'api:transaction:read'] }),
  key('Wallet nodes', 'rpc', { permissions: ['rpc:evm:read', 'rpc:evm:send', 'rpc:bitcoin:read'] }),
  key('Reports', 'api', {
    last_used_at: ago(6, 'd'),
    expires_at: new Date(NOW_MS + 86_400_000).toISOString(),
  }),
  key('Former backend', 'api', { status: 'revoked', revoked_at: ago(30, 'd'), last_used_at: ago(31, 'd') }),
  key('Laptop of Ada', 'api', { last_used_at: null }),
];

export const members: readonly Schemas['Member'][] = (
  [
    ['ada@example.com', 'owner', 400],
    ['grace@example.com', 'admin', 210],
    ['linus@example.com', 'developer', 35],
    ['support@example.com', 'viewer', 3],
  ] as const
).map(([email, role, days]) => make('Member', { id: uuid(email), email, role, created_at: ago(days, 'd') }));

/** Chain, name, most calls in an hour, share of the cache, milliseconds of most of the others. */
const METHODS = [
  [ETHEREUM, 'eth_getLogs', 410, 0.05, 200],
  [ETHEREUM, 'eth_call', 1_900, 0.62, 50],
  [ETHEREUM, 'eth_getBalance', 1_240, 0.48, 20],
  [BITCOIN, 'getblock', 96, 0.9, 100],
  [SOLANA, 'getTransaction', 520, 0.71, 50],
] as const;

const HOUR_MS = 3_600_000;

/** A day of calls, newest first. */
export const usage = Array.from({ length: 24 }, (_, hoursAgo) =>
  METHODS.map(([chain_gid, method, most, share, nodeMs]) => {
    const requests = Math.round((most * (8 + ((hoursAgo * 5 + 3) % 17))) / 25);
    return {
      hour: new Date(Math.floor(NOW_MS / HOUR_MS) * HOUR_MS - hoursAgo * HOUR_MS).toISOString(),
      key_id: uuid(chain_gid === ETHEREUM ? 'Wallet nodes' : 'Backend'),
      chain_gid,
      method,
      requests,
      failures: method === 'eth_getLogs' ? Math.round(requests / 90) : 0,
      cached: Math.round(requests * share),
      bytes_in: requests * 120,
      bytes_out: requests * 2_048,
      latency: latencyOf(requests, Math.round(requests * share), nodeMs),
    };
  }),
).flat();

/** Answers of the cache take no time, those of the node their own; one in fifty takes ten times as long. */
function latencyOf(calls: number, cached: number, nodeMs: number) {
  const slow = Math.round((calls - cached) / 50);
  const buckets = [
    { up_to_ms: 1, calls: cached },
    { up_to_ms: nodeMs, calls: calls - cached - slow },
    { up_to_ms: nodeMs * 10, calls: slow },
  ].filter((bucket) => bucket.calls > 0);
  const totalMs = cached * 0.4 + (calls - cached - slow) * nodeMs * 0.7 + slow * nodeMs * 8;
  return { calls, mean_ms: Math.round((100 * totalMs) / calls) / 100, p95_ms: nodeMs, buckets };
}
