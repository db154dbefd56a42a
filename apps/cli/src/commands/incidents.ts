// SPDX-License-Identifier: Apache-2.0
import type { Command } from 'commander';
import type { Chainwatch, components } from '@chainwatch/sdk';
import type { Act, Context } from '../context.ts';
import { parseChainGid, parseId } from '../parse-options.ts';
import { showExamples } from '../show-examples.ts';

const COLUMNS = [
  'created_at',
  'chain_gid',
  'status',
  'kind',
  'subject',
  'expected',
  'got',
  'upgrade',
  'block_number',
  'id',
];

export function addIncidents(program: Command, act: Act): void {
  const incidents = program
    .command('incidents')
    .description('What chains showed that this release does not know');
  incidents
    .command('list')
    .description('Open incidents, of one chain or of all')
    .argument('[chain_gid]', 'as CAIP-2', parseChainGid)
    .option('--all', 'resolved and accepted ones, too')
    .addHelpText(
      'after',
      showExamples({
        notes: `A chain with an open incident is degraded: it goes on, and marks what could not be proved. A release that knows
the kind resolves it.`,
        examples: `chainwatch incidents list
chainwatch incidents list eip155:1 --all --json`,
      }),
    )
    .action(act(list));
  incidents
    .command('accept')
    .description('Stand for what was told of the blocks of an incident')
    .argument('<chain_gid>', 'as CAIP-2', parseChainGid)
    .argument('<incident_id>', 'ID of an incident', parseId)
    .addHelpText('after', showExamples({ examples: `chainwatch incidents accept eip155:1 0199a1b2-…` }))
    .action(act(accept));
}

async function list(
  { client, output }: Context,
  chain: string | undefined,
  { all }: { readonly all?: boolean },
): Promise<void> {
  const { blockchains } = client();
  const rows: Record<string, unknown>[] = [];
  for (const gid of chain === undefined ? await listChains(blockchains) : [chain])
    for await (const incident of blockchains.listIncidents(gid, {
      ...(!all && { statuses: ['open'] }),
      limit: 100,
    }))
      rows.push({ ...incident, subject: describeSubject(incident), upgrade: incident.upgrade?.name ?? '' });
  output.table(rows, COLUMNS);
}

/** What is set aside; empty for what a release does not know. */
function describeSubject({ subject, asset_gid: asset }: components['schemas']['Incident']): string {
  return subject === null ? '' : [subject.type, subject.id, asset].filter((part) => part !== null).join(' ');
}

async function listChains(blockchains: Chainwatch['blockchains']): Promise<string[]> {
  const gids: string[] = [];
  for await (const { gid } of blockchains.list({ limit: 100 })) gids.push(gid);
  return gids;
}

async function accept({ client, output }: Context, chain: string, id: string): Promise<void> {
  const incident = await client().blockchains.acceptIncident(chain, id);
  output.print(incident, `Accepted ${incident.kind} on ${chain}`);
}
