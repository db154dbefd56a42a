// SPDX-License-Identifier: Apache-2.0
import type { Command } from 'commander';
import type { operations } from '@chainwatch/sdk';
import { wrongInput } from '../cli-error.ts';
import type { Act } from '../context.ts';
import {
  countOf,
  oneOf,
  parseChainGid,
  parseChainGids,
  parseCounts,
  parseFamilies,
  parseId,
  parseList,
  parseText,
} from '../parse-options.ts';
import { givenOf } from '../read-body.ts';
import { addResource, defineCommand, type Input, type Resource } from '../resource.ts';

type Addresses = NonNullable<operations['listPublicKeyAddresses']['parameters']['query']>;

const INDEX_MAX = 2 ** 31 - 1;
const GAP_MAX = 1_000;
const SORTS = ['created_at', '-created_at', 'label', '-label'] as const;

const ID: Input = ['<public_key_id>', 'ID of a public key', parseId];
const CHANGE: Input = ['--change <n>', 'branch of the key: 0 for deposits, 1 for change', countOf(0, 1)];
const index = countOf(0, INDEX_MAX);

interface DeriveOptions {
  readonly indexes?: number[];
  readonly from?: number;
  readonly to?: number;
  readonly change?: 0 | 1;
}

function checkRange({ indexes, from, to }: DeriveOptions): void {
  if (indexes !== undefined && (from !== undefined || to !== undefined))
    throw wrongInput('--indexes', 'expected a list or a range, got both');
  if ((from === undefined) !== (to === undefined))
    throw wrongInput(from === undefined ? '--from' : '--to', 'a range needs --from and --to');
  if (from !== undefined && to !== undefined && to < from)
    throw wrongInput('--to', 'expected an index not below that of --from');
}

interface ListAddresses {
  readonly families?: Addresses['chain_families'];
  readonly groups?: string[];
  readonly search?: string;
  readonly used?: boolean;
  readonly change?: Addresses['change'];
}

const PUBLIC_KEYS: Resource = {
  name: 'public-keys',
  description: 'Extended public keys, and the addresses derived from them',
  commands: [
    defineCommand<{
      readonly chains?: string[];
      readonly search?: string;
      readonly sort?: (typeof SORTS)[number];
    }>({
      name: 'list',
      description: 'Extended public keys of the project',
      options: [
        ['--chains <list>', 'only of these chains, as CAIP-2', parseChainGids],
        ['--search <text>', 'only with this text in the label', parseText],
        ['--sort <member>', `order: ${SORTS.join(', ')}`, oneOf(SORTS)],
      ],
      columns: ['id', 'label', 'derivation_path', 'chain_gid', 'gap_limit', 'created_at'],
      examples: `chainwatch public-keys list`,
      call: (api, _, { chains, sort, ...query }) =>
        api().publicKeys.list({ ...query, chain_gids: chains, sort_by: sort }),
    }),
    defineCommand({
      name: 'get',
      description: 'One extended public key',
      args: [ID],
      examples: `chainwatch public-keys get 0199a1b2-…`,
      call: (api, [keyId]) => api().publicKeys.get(keyId!),
    }),
    defineCommand<{
      readonly path: string;
      readonly label?: string;
      readonly chain?: string;
      readonly gapLimit?: number;
    }>({
      name: 'create',
      description: 'Add the extended public key of an account',
      args: [['<xpub>', 'as a wallet exports it: xpub…, zpub…', parseText]],
      requiredOptions: [['--path <path>', "derivation path of the account, such as m/84'/0'/0'", parseText]],
      options: [
        ['--label <text>', 'name of the key', parseText],
        ['--chain <gid>', 'chain of its addresses, as CAIP-2', parseChainGid],
        ['--gap-limit <n>', 'unused addresses that are watched ahead', countOf(1, GAP_MAX)],
      ],
      examples: `chainwatch public-keys create zpub6r… --path "m/84'/0'/0'" --label Deposits`,
      call: (api, [key], { path, label, chain, gapLimit }) =>
        api().publicKeys.create({
          extended_public_key: key!,
          derivation_path: path,
          ...givenOf({ label, chain_gid: chain, gap_limit: gapLimit }),
        }),
    }),
    defineCommand<{ readonly label: string }>({
      name: 'update',
      description: 'Change the label of a public key',
      args: [ID],
      requiredOptions: [['--label <text>', 'name of the key', parseText]],
      examples: `chainwatch public-keys update 0199a1b2-… --label Deposits`,
      call: (api, [keyId], body) => api().publicKeys.update(keyId!, body),
    }),
    defineCommand<{ readonly cascade?: boolean }>({
      name: 'delete',
      description: 'Delete a public key for good',
      args: [ID],
      options: [['--cascade', 'its addresses, too']],
      examples: `chainwatch public-keys delete 0199a1b2-… --cascade`,
      say: (_, [keyId]) => `Deleted ${keyId!}`,
      call: (api, [keyId], query) => api().publicKeys.delete(keyId!, query),
    }),
    ...listDerivations(),
  ],
};

function listDerivations(): Resource['commands'] {
  return [
    defineCommand<ListAddresses>({
      name: 'addresses',
      description: 'Addresses derived from a public key, by index',
      args: [ID],
      options: [
        ['--families <list>', 'only of these families', parseFamilies],
        ['--groups <list>', 'only those in one of these groups', parseList],
        ['--search <text>', 'only with this text in label or address', parseText],
        ['--used', 'only those with transactions'],
        CHANGE,
      ],
      columns: ['index', 'change', 'address', 'label', 'groups', 'created_at'],
      examples: `chainwatch public-keys addresses 0199a1b2-… --used`,
      call: (api, [keyId], { families, used, ...query }) =>
        api().publicKeys.listAddresses(keyId!, { ...query, chain_families: families, is_used: used }),
    }),
    defineCommand<DeriveOptions>({
      name: 'derive',
      description: 'Derive addresses by their indexes; without any, the next one',
      args: [ID],
      options: [
        [
          '--indexes <list>',
          'these, with commas between',
          (text) => parseCounts(text).map(String).map(index),
        ],
        ['--from <n>', 'first index of a range', index],
        ['--to <n>', 'last index of a range', index],
        CHANGE,
      ],
      examples: `chainwatch public-keys derive 0199a1b2-… --from 0 --to 99`,
      call(api, [keyId], options) {
        checkRange(options);
        return api().publicKeys.createAddresses(keyId!, options);
      },
    }),
    defineCommand<{ readonly change?: 0 | 1 }>({
      name: 'next',
      description: 'Derive the address after the highest index',
      args: [ID],
      options: [CHANGE],
      examples: `chainwatch public-keys next 0199a1b2-…`,
      call: (api, [keyId], options) => api().publicKeys.createNextAddress(keyId!, options),
    }),
  ];
}

export function addPublicKeys(program: Command, act: Act): void {
  addResource(program, act, PUBLIC_KEYS);
}
