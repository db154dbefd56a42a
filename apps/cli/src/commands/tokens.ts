// SPDX-License-Identifier: Apache-2.0
import type { Command } from 'commander';
import type { operations } from '@chainwatch/sdk';
import type { Act } from '../context.ts';
import { listOf, oneOf, parseAssetGid, parseChainGids, parseList, parseText } from '../parse-options.ts';
import { addResource, defineCommand, type Input, type Resource } from '../resource.ts';

type Tokens = NonNullable<operations['listTokens']['parameters']['query']>;
type Assets = NonNullable<operations['listAssets']['parameters']['query']>;

const TYPES = ['native', 'fungible', 'nft'] as const;
const TOKEN_SORTS = [
  'created_at',
  '-created_at',
  'gid',
  '-gid',
  'name',
  '-name',
  'symbol',
  '-symbol',
] as const;
const STATUSES = ['active', 'unknown', 'invalid'] as const;

const ASSET: Input = ['<asset_gid>', 'as CAIP-19, such as eip155:1/erc20:0x…', parseAssetGid];
const CHAINS: Input = ['--chains <list>', 'only on these chains, as CAIP-2', parseChainGids];
const NAMESPACES: Input = ['--namespaces <list>', 'only of these CAIP-19 namespaces', parseList];

/** Chain and path, as routes take them. */
function split(gid: string): [chainGid: string, assetPath: string] {
  const slash = gid.indexOf('/');
  return [gid.slice(0, slash), gid.slice(slash + 1)];
}

const TOKENS: Resource = {
  name: 'tokens',
  description: 'Tokens on the list of the project',
  commands: [
    defineCommand<
      Pick<Tokens, 'type' | 'search' | 'namespaces'> & {
        readonly chains?: string[];
        readonly sort?: Tokens['sort_by'];
      }
    >({
      name: 'list',
      description: 'Native coins and tokens of the project',
      options: [
        CHAINS,
        NAMESPACES,
        ['--type <type>', `only ${TYPES.join(', ')}`, oneOf(TYPES)],
        ['--search <text>', 'only with this text in name, symbol, or contract', parseText],
        ['--sort <member>', `order: ${TOKEN_SORTS.join(', ')}`, oneOf(TOKEN_SORTS)],
      ],
      columns: ['gid', 'symbol', 'name', 'decimals', 'type', 'status'],
      examples: `chainwatch tokens list --chains eip155:1 --type fungible`,
      call: (api, _, { chains: gids, sort, ...query }) =>
        api().tokens.list({ ...query, chain_gids: gids, sort_by: sort }),
    }),
    defineCommand({
      name: 'get',
      description: 'One token of the list',
      args: [ASSET],
      examples: `chainwatch tokens get eip155:1/erc20:0xdac17f958d2ee523a2206206994597c13d831ec7`,
      call: (api, [gid]) => api().tokens.get(...split(gid!)),
    }),
    defineCommand({
      name: 'create',
      description: 'Add a token to the list; its name, symbol, and decimals are read from the chain',
      args: [ASSET],
      examples: `chainwatch tokens create eip155:1/erc20:0xdac17f958d2ee523a2206206994597c13d831ec7`,
      call: (api, [gid]) => api().tokens.create(...split(gid!)),
    }),
    defineCommand({
      name: 'refresh',
      description: 'Read a token again from its chain; corrects decimals and balances',
      args: [ASSET],
      examples: `chainwatch tokens refresh eip155:1/erc20:0xdac17f958d2ee523a2206206994597c13d831ec7`,
      call: (api, [gid]) => api().tokens.refresh(...split(gid!)),
    }),
  ],
};

const ASSETS: Resource = {
  name: 'assets',
  description: 'Assets in listings and balances of the project',
  commands: [
    defineCommand<
      Pick<Assets, 'namespaces' | 'statuses'> & { readonly chains?: string[]; readonly archived?: boolean }
    >({
      name: 'list',
      description: 'Assets that the project created or discovered, and native coins',
      options: [
        CHAINS,
        NAMESPACES,
        ['--statuses <list>', `only these: ${STATUSES.join(', ')}`, listOf(STATUSES)],
        ['--archived', 'archived assets'],
      ],
      columns: ['gid', 'namespace', 'status', 'created_at'],
      examples: `chainwatch assets list --archived`,
      call: (api, _, { chains: gids, archived, ...query }) =>
        api().assets.list({ ...query, chain_gids: gids, is_archived: archived }),
    }),
    defineCommand({
      name: 'archive',
      description: 'Leave an asset out of listings and balances',
      args: [ASSET],
      examples: `chainwatch assets archive eip155:1/erc20:0xdac17f958d2ee523a2206206994597c13d831ec7`,
      say: (_, [gid]) => `Archived ${gid!}`,
      call: (api, [gid]) => api().assets.archive(...split(gid!)),
    }),
    defineCommand({
      name: 'restore',
      description: 'List an archived asset again',
      args: [ASSET],
      examples: `chainwatch assets restore eip155:1/erc20:0xdac17f958d2ee523a2206206994597c13d831ec7`,
      say: (_, [gid]) => `Restored ${gid!}`,
      call: (api, [gid]) => api().assets.restore(...split(gid!)),
    }),
  ],
};

export function addTokens(program: Command, act: Act): void {
  addResource(program, act, TOKENS);
  addResource(program, act, ASSETS);
}
