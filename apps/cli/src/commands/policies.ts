// SPDX-License-Identifier: Apache-2.0
import type { Command } from 'commander';
import { wrongInput } from '../cli-error.ts';
import type { Act } from '../context.ts';
import { countOf, parseChainGid, parseChainGids } from '../parse-options.ts';
import { givenOf } from '../read-body.ts';
import { addResource, defineCommand, type Input, type Resource } from '../resource.ts';

const DEPTH_MAX = 10_000;
const CHAIN: Input = ['<chain_gid>', 'as CAIP-2', parseChainGid];

interface SetOptions {
  readonly finalized?: boolean;
  readonly depth?: number;
  readonly unsafe?: boolean;
}

const POLICIES: Resource = {
  name: 'policies',
  description: 'Confirmation policies: when transactions of the project are confirmed',
  commands: [
    defineCommand<{ readonly chains?: string[] }>({
      name: 'list',
      description: 'Policies of the project; other chains follow their own rule',
      options: [['--chains <list>', 'only of these chains, as CAIP-2', parseChainGids]],
      columns: ['chain_gid', 'type', 'depth', 'required_confirmations', 'created_at'],
      examples: `chainwatch policies list`,
      call: (api, _, { chains, ...query }) =>
        api().confirmationPolicies.list({ ...query, chain_gids: chains }),
    }),
    defineCommand({
      name: 'get',
      description: 'The policy of a chain',
      args: [CHAIN],
      examples: `chainwatch policies get eip155:1`,
      call: (api, [gid]) => api().confirmationPolicies.get(gid!),
    }),
    defineCommand<SetOptions>({
      name: 'set',
      description: 'Set the policy of a chain, for transactions detected from now on',
      args: [CHAIN],
      options: [
        ['--depth <n>', 'blocks, the block of the transaction included', countOf(1, DEPTH_MAX)],
        ['--finalized', 'as the chain finalizes blocks'],
        ['--unsafe', 'accept a depth below that of the chain'],
      ],
      examples: `chainwatch policies set eip155:1 --depth 20
chainwatch policies set eip155:1 --finalized`,
      call(api, [gid], { finalized, depth, unsafe }) {
        if ((finalized === undefined) === (depth === undefined))
          throw wrongInput('--depth', 'expected either --depth or --finalized');
        if (unsafe !== undefined && depth === undefined)
          throw wrongInput('--unsafe', 'expected it with --depth');
        return api().confirmationPolicies.set(
          gid!,
          depth === undefined ? { type: 'finalized' } : { type: 'depth', depth, ...givenOf({ unsafe }) },
        );
      },
    }),
    defineCommand({
      name: 'delete',
      description: 'Let the chain decide again',
      args: [CHAIN],
      examples: `chainwatch policies delete eip155:1`,
      say: (_, [gid]) => `${gid!} follows its own rule`,
      call: (api, [gid]) => api().confirmationPolicies.delete(gid!),
    }),
  ],
};

export function addPolicies(program: Command, act: Act): void {
  addResource(program, act, POLICIES);
}
