// SPDX-License-Identifier: Apache-2.0
/** Something that the specification could say instead: what is replaced, by what, and the complaint that has to come. */
export interface Alteration {
  readonly from: string;
  readonly to: string;
  readonly complaint: RegExp;
}

/** One for every kind of table, so that none of its readers agrees with everything. */
export const ALTERATIONS: readonly Alteration[] = [
  {
    from: '^[a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$',
    to: '^[a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,31}$',
    complaint: /expected 400 for the form/,
  },
  {
    from: 'namespace `[-a-z0-9]{3,8}`',
    to: 'namespace `[-a-z0-9]{2,8}`',
    complaint: /expected no complaint about the form/,
  },
  {
    from: '^[a-z0-9]{3,8}:[-.%a-zA-Z0-9]{1,128}$',
    to: '^[a-z0-9]{3,8}:[-.%a-zA-Z0-9]{1,129}$',
    complaint: /expected no complaint about the form/,
  },
  { from: '| `total_pages` | integer |', to: '| `pages` | integer |', complaint: /pages that is at least 0/ },
  {
    from: '| `short_name` | string |',
    to: '| `short_name` | boolean |',
    complaint: /short_name that is a boolean/,
  },
  {
    from: 'enum `active`, `unknown`, `invalid` |\n| `created_at`',
    to: 'enum `unknown`, `invalid` |\n| `created_at`',
    complaint: /status that is one of unknown, invalid/,
  },
  { from: '^[0-9]{7,12}:', to: '^[0-9]{8,12}:', complaint: /expected 400 that names bot_token/ },
  {
    from: '| `subject` | string | required; 1..255 characters',
    to: '| `subject` | string | required; 1..256 characters',
    complaint: /expected POST .* to succeed/,
  },
  {
    from: '| chain configured | active |',
    to: '| chain configured | inactive |',
    complaint: /expected inactive/,
  },
  {
    from: '| current (new) + previous (old) for 24 hours |',
    to: '| current (new) + previous (old) for 12 hours |',
    complaint: /12 hours apart/,
  },
  {
    from: '`limit` (integer 1..100, default 20)',
    to: '`limit` (integer 1..99, default 20)',
    complaint: /expected 400 that names limit/,
  },
  {
    from: '`kind` (enum `nats`, `telegram`, `webhook`)',
    to: '`kind` (enum `nats`, `telegram`)',
    complaint: /totals that add up/,
  },
  { from: '| GET | `/version` |', to: '| POST | `/version` |', complaint: /405 that allows POST/ },
  {
    from: '| GET | `/blocks/{chain_gid}/{block_number}` | none | Block |',
    to: '| GET | `/blocks/{chain_gid}/{block_number}` | none | Block |\n| GET | `/blocks/{chain_gid}/latest` | none | Block |',
    complaint: /expected/,
  },
  {
    from: '| GET | `/notification_channels/{notification_channel_id}` |',
    to: '| GET | `/notification_channels/{channel_id}` |',
    complaint: /expected 400 that names channel_id/,
  },
  { from: '| GET | `/transactions` |', to: '| GET | `/transfers` |', complaint: /405 that allows GET/ },
  {
    from: '`{name, url, subject}`, all required',
    to: '`{name, url, subject, bot_token}`, all required',
    complaint: /expected POST .* to succeed/,
  },
  {
    from: '| 422 | Unprocessable Entity |',
    to: '| 424 | Unprocessable Entity |',
    complaint: /expected 424 Unprocessable Entity/,
  },
  { from: '| 404 | Not Found |', to: '| 404 | Missing |', complaint: /expected 404 Missing/ },
  {
    from: '| network not found | 404 |',
    to: '| network not found | 400 |',
    complaint: /expected 400 with \{error/,
  },
  {
    from: 'such a transaction is confirmed',
    to: 'such a transaction is old',
    complaint: /known to this test/,
  },
  { from: '| UUIDv5; stable', to: '| UUIDv4; stable', complaint: /UUID of version 4/ },
  { from: '| RPC key | `svc_rpc_` |', to: '| RPC key | `svc_node_` |', complaint: /svc_node_/ },
  {
    from: '| RPC request body | 1 MB maximum',
    to: '| RPC request body | 2 MB maximum',
    complaint: /expected 200/,
  },
  { from: '| 300 seconds either side |', to: '| 301 seconds either side |', complaint: /301 s to be taken/ },
  {
    from: '| channel `name` | 1..255',
    to: '| channel `name` | 1..200',
    complaint: /expected 400 that names name/,
  },
  {
    from: '| Secret rotation overlap | 24 hours',
    to: '| Secret rotation overlap | 25 hours',
    complaint: /25 hours apart/,
  },
  {
    from: '| Server-error retries | at most 5',
    to: '| Server-error retries | at most 6',
    complaint: /known to this test/,
  },
];
