// SPDX-License-Identifier: Apache-2.0
import { Argument, type Command } from 'commander';
import type { Chainwatch, components } from '@chainwatch/sdk';
import { wrongInput } from '../cli-error.ts';
import type { Act, Context } from '../context.ts';
import { showExamples } from '../show-examples.ts';
import { isUrl, parseChainGid, parseCount } from '../parse-options.ts';
import { readSecret } from '../read-input.ts';

type Blockchain = components['schemas']['Blockchain'];
/** Each family has its own. */
type SetNode = Exclude<Extract<keyof Chainwatch['blockchains'], `update${string}Endpoint`>, 'updateEndpoint'>;

export function addChains(program: Command, act: Act): void {
  const chains = program.command('chains').description('Blockchains of the installation');
  chains
    .command('status')
    .description('Where each chain stands, and why one waits')
    .addHelpText(
      'after',
      showExamples({
        examples: `chainwatch chains status
chainwatch chains status --json`,
      }),
    )
    .action(act(status));
  chains
    .command('activate')
    .description('Follow a chain, added from the reference data where it is not there')
    .argument('<chain_gid>', 'as CAIP-2', parseChainGid)
    .option('--from-block <number>', 'where it begins, if it was never followed', parseCount)
    .addHelpText('after', showExamples({ examples: `chainwatch chains activate eip155:1` }))
    .action(act(activate));
  chains
    .command('set-node')
    .description('Set the node of a chain; its URL, which may hold a key, comes from a prompt or stdin')
    .argument('<chain_gid>', 'as CAIP-2', parseChainGid)
    .addHelpText('after', showExamples({ examples: `chainwatch chains set-node eip155:1 < node-url.txt` }))
    .action(act(setNode));
  chains
    .command('set-unproved')
    .description('Set what happens to final transactions that cannot be proved')
    .argument('<chain_gid>', 'as CAIP-2', parseChainGid)
    .addArgument(
      new Argument('<choice>', 'hold them, or deliver them as trusted').choices(['hold', 'deliver']),
    )
    .addHelpText('after', showExamples({ examples: `chainwatch chains set-unproved eip155:1 hold` }))
    .action(act(setUnproved));
}

async function status({ client, output }: Context): Promise<void> {
  const rows: Record<string, unknown>[] = [];
  for await (const chain of client().blockchains.list({ limit: 100 })) rows.push(describeChain(chain));
  output.table(rows);
}

export function describeChain({
  gid,
  name,
  is_active: isActive,
  has_endpoint: hasNode,
  unproved,
  sync,
}: Blockchain) {
  return {
    gid,
    name,
    status: isActive ? (sync?.status ?? 'unknown') : 'inactive',
    processed: sync?.processed_number,
    node: sync?.node_head_number,
    lag: sync?.lag_blocks,
    incidents: sync?.incident_count,
    has_node: hasNode,
    unproved,
    reason: sync?.reason,
  };
}

async function activate(
  { client, output }: Context,
  gid: string,
  { fromBlock }: { fromBlock?: number },
): Promise<void> {
  const { blockchains } = client();
  await ensureChain(blockchains, gid);
  const chain = await blockchains.activate(gid, { from_block: fromBlock });
  output.print(chain, `${chain.name} (${gid}) is active`);
}

async function setNode({ client, output }: Context, gid: string): Promise<void> {
  const { blockchains } = client();
  const url = await readSecret('the URL of the node');
  // Not repeated: it may hold a key.
  if (!isUrl(url, ['http', 'https', 'ws', 'wss']))
    throw wrongInput('stdin', 'expected the URL of a node such as https://node.example.com');
  const { family } = await ensureChain(blockchains, gid);
  const chain = await blockchains[operationOf(family)](gid, { endpoint_url: url });
  output.print(chain, `${chain.name} (${gid}) has its node`);
}

async function setUnproved(
  { client, output }: Context,
  gid: string,
  unproved: Blockchain['unproved'],
): Promise<void> {
  const { blockchains } = client();
  const { family } = await blockchains.get(gid);
  const chain = await blockchains[operationOf(family)](gid, { unproved });
  output.print(
    chain,
    unproved === 'hold'
      ? `${chain.name} (${gid}) holds what cannot be proved`
      : `${chain.name} (${gid}) delivers what cannot be proved, as trusted`,
  );
}

function operationOf(family: Blockchain['family']): SetNode {
  return `update${family.charAt(0).toUpperCase()}${family.slice(1)}Endpoint` as SetNode;
}

async function ensureChain(blockchains: Chainwatch['blockchains'], gid: string): Promise<Blockchain> {
  for await (const chain of blockchains.list({ limit: 100 })) if (chain.gid === gid) return chain;
  return blockchains.create({ chain_gid: gid });
}
