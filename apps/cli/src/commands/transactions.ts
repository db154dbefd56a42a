// SPDX-License-Identifier: Apache-2.0
import type { Command } from 'commander';
import type { operations } from '@chainwatch/sdk';
import { checkPeriod } from '../check-period.ts';
import { wrongInput } from '../cli-error.ts';
import type { Act } from '../context.ts';
import {
  listOf,
  oneOf,
  parseAmount,
  parseAssetGids,
  parseChainGid,
  parseChainGids,
  parseCount,
  parseId,
  parseList,
  parseSince,
  parseText,
} from '../parse-options.ts';
import { givenOf } from '../read-body.ts';
import { addResource, defineCommand, type Client, type Input, type Resource } from '../resource.ts';

type Query = NonNullable<operations['listTransactions']['parameters']['query']>;

const STATUSES = ['pending', 'detected', 'confirmed', 'reorged', 'failed'] as const;
const DIRECTIONS = ['in', 'out', 'self'] as const;
const SORTS = ['detected_at', '-detected_at', 'block_number', '-block_number'] as const;

const TRANSACTION: Input = ['<transaction>', 'ID of a transaction, or its hash with --chain', parseText];
const CHAIN: Input = ['--chain <gid>', 'chain of the hash, as CAIP-2', parseChainGid];

interface ListOptions {
  readonly chains?: string[];
  readonly addresses?: string[];
  readonly assets?: string[];
  readonly publicKey?: string;
  readonly fromBlock?: number;
  readonly toBlock?: number;
  readonly minAmount?: string;
  readonly memoPrefix?: string;
  readonly sort?: Query['sort_by'];
}

function list(api: Client, _: readonly string[], options: ListOptions & Query) {
  const { chains, assets, publicKey, fromBlock, toBlock, minAmount, memoPrefix, sort, ...same } = options;
  checkPeriod(same);
  if (fromBlock !== undefined && toBlock !== undefined && toBlock < fromBlock)
    throw wrongInput('--to-block', 'expected a block not before that of --from-block');
  const query: Query = {
    ...same,
    chain_gids: chains,
    asset_gids: assets,
    public_key_id: publicKey,
    from_block: fromBlock,
    to_block: toBlock,
    min_amount: minAmount,
    memo_prefix: memoPrefix,
    sort_by: sort,
  };
  return api().transactions.list(givenOf(query));
}

/** By its id, or by its hash where a chain is named. */
async function find(
  api: Client,
  [given]: readonly string[],
  { chain: gid }: { readonly chain?: string },
): Promise<{ readonly chain_gid: string; readonly hash: string }> {
  if (gid !== undefined) return api().transactions.getByHash(gid, given!);
  return api().transactions.get(checkId(given!));
}

function checkId(text: string): string {
  try {
    return parseId(text);
  } catch {
    throw wrongInput('transaction', 'expected an ID; a hash needs --chain');
  }
}

const TRANSACTIONS: Resource = {
  name: 'transactions',
  description: 'Transactions of monitored addresses',
  commands: [
    defineCommand<ListOptions & Query>({
      name: 'list',
      description: 'Transactions of the project, the newest first',
      options: [
        ['--chains <list>', 'only on these chains, as CAIP-2', parseChainGids],
        ['--addresses <list>', 'only of these monitored addresses', parseList],
        ['--assets <list>', 'only with these assets, as CAIP-19', parseAssetGids],
        ['--public-key <id>', 'only of addresses derived from this public key', parseId],
        ['--statuses <list>', `only these: ${STATUSES.join(', ')}`, listOf(STATUSES)],
        ['--direction <direction>', `only ${DIRECTIONS.join(', ')}`, oneOf(DIRECTIONS)],
        ['--hash <hash>', 'only with this hash', parseText],
        ['--from-block <number>', 'in this block or a later one', parseCount],
        ['--to-block <number>', 'in this block or an earlier one', parseCount],
        ['--since <time>', 'detected then or later: a time, or 90m, 2d', parseSince],
        ['--until <time>', 'and before then', parseSince],
        ['--min-amount <amount>', 'only with a transfer of at least this amount', parseAmount],
        ['--memo <text>', 'only with this memo', parseText],
        ['--memo-prefix <text>', 'only with a memo that begins with this', parseText],
        ['--sort <member>', `order: ${SORTS.join(', ')}`, oneOf(SORTS)],
      ],
      columns: ['detected_at', 'status', 'direction', 'chain_gid', 'hash', 'confirmations', 'id'],
      examples: `chainwatch transactions list --statuses confirmed --since 1d
chainwatch transactions list --addresses 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045 --min-amount 100 --json`,
      call: list,
    }),
    defineCommand<{ readonly chain?: string }>({
      name: 'get',
      description: 'One transaction with its transfers',
      args: [TRANSACTION],
      options: [CHAIN],
      examples: `chainwatch transactions get 0199a1b2-…
chainwatch transactions get 0x5c504ed4… --chain eip155:1`,
      call: find,
    }),
    defineCommand<{ readonly chain?: string }>({
      name: 'proof',
      description: 'The proof that a transaction is in its block',
      args: [TRANSACTION],
      options: [CHAIN],
      examples: `chainwatch transactions proof 0x5c504ed4… --chain eip155:1 --json > proof.json`,
      async call(api, args, options) {
        const { chain_gid: gid, hash } =
          options.chain === undefined
            ? await find(api, args, options)
            : { chain_gid: options.chain, hash: args[0]! };
        return api().transactions.getProof(gid, hash);
      },
    }),
  ],
};

export function addTransactions(program: Command, act: Act): void {
  addResource(program, act, TRANSACTIONS);
}
