// SPDX-License-Identifier: Apache-2.0
const ID = '6f1d1f4e-0000-4000-8000-000000000001';

interface SharedParameter {
  readonly description: string;
  readonly example?: unknown;
}

/**
 * Parameters of several routes: the same name has the same meaning. A parameter of a single route is described in that
 * route.
 */
export const SHARED_PARAMETERS: Readonly<Record<string, SharedParameter>> = {
  address: {
    description: 'An address of the project, in any supported format of its family.',
    example: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
  },
  asset_path: {
    description: 'The asset in its chain: `<namespace>:<reference>` of CAIP-19.',
    example: 'erc20:0xdac17f958d2ee523a2206206994597c13d831ec7',
  },
  cascade: { description: 'Also delete dependent records. Without it, dependent records cause a 409.' },
  chain_families: { description: 'Only addresses of these families.' },
  chain_gid: { description: 'The chain as CAIP-2.', example: 'eip155:1' },
  chain_gids: { description: 'Only what belongs to these chains (CAIP-2).', example: ['eip155:1'] },
  change: { description: 'Only receive (0) or change (1) addresses.' },
  channel_id: { description: 'The notification channel, by its `id`.', example: ID },
  cursor: {
    description:
      'Goes on where a page ended: its `meta.next_cursor`, with the same filters and order. Rows that are added or removed meanwhile move no other. Not together with `page`.',
    example: 'v1.main.3q2-7wAA',
  },
  delivery_id: { description: 'The delivery, by its `id`.', example: ID },
  event_id: { description: 'The event, by its `event_id`.', example: ID },
  formats: { description: 'Only addresses written in one of these formats.', example: ['evm'] },
  from_block: { description: 'Only from that block on, inclusive.', example: 21_000_000 },
  groups: {
    description: 'Only addresses that are in one of these groups.',
    example: ['customers'],
  },
  is_archived: { description: 'Only archived ones, or only those that are not.' },
  is_monitored: { description: 'Only addresses that are monitored, or only those that are not.' },
  is_used: { description: 'Only addresses that a transaction touched, or only others.' },
  key_id: { description: 'The key, by its `id`.', example: ID },
  kind: { description: 'Only those of that kind.' },
  limit: { description: 'Items a page.' },
  member_id: { description: 'The member, by its `id`.', example: ID },
  namespaces: { description: 'Only assets of these CAIP-19 namespaces.' },
  notification_channel_id: { description: 'The notification channel, by its `id`.', example: ID },
  page: { description: 'Which page, from 1.' },
  portal_session_id: { description: 'The portal session, by its `id`.', example: ID },
  project_id: { description: 'The project, by its `id`.', example: ID },
  public_key_id: { description: 'The public key, by its `id`.', example: ID },
  search: {
    description: 'Only those whose name or label holds this text, upper or lower case.',
    example: 'shop',
  },
  since: {
    description: 'Only from that time on, inclusive, by the time that the record shows.',
    example: '2026-01-01T00:00:00Z',
  },
  sort_by: { description: 'The order; `-` before the name: descending.' },
  statement_id: { description: 'The statement, by its `id`.', example: ID },
  statuses: { description: 'Only those with one of these statuses.' },
  to_block: { description: 'Only up to that block, inclusive.', example: 21_000_100 },
  types: { description: 'Only those of these types.' },
  workspace_id: { description: 'The workspace, by its `id`.', example: ID },
  until: {
    description: 'Only before that time, exclusive, by the time that the record shows.',
    example: '2026-01-02T00:00:00Z',
  },
};
