// SPDX-License-Identifier: Apache-2.0
import { existsSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { components, Chainwatch } from '@chainwatch/sdk';
import type { ChainFamily, ChainNotation, NetworkDocument, ProbeFinding } from '@chainwatch/chain-core';
import { parse, stringify } from 'yaml';
import { CliError, EXIT, wrongInput } from '../cli-error.ts';
import type { Act, Context } from '../context.ts';
import { paint } from '../output.ts';
import { isUrl, parseChainGid, parseText } from '../parse-options.ts';
import { readFileOrStdin, readSecret } from '../read-input.ts';
import { showExamples } from '../show-examples.ts';

type Network = components['schemas']['Network'];
type PutBody = Parameters<Chainwatch['networks']['put']>[1];

const MARKS = { yes: ['green', '✓'], some: ['yellow', '~'], no: ['yellow', '–'] } as const;

export function addNetworks(program: Command, act: Act): void {
  const networks = program.command('networks').description('Networks that the installation can follow');
  networks
    .command('list')
    .description('Every known network, and who says what it is')
    .addHelpText('after', showExamples({ examples: `chainwatch networks list` }))
    .action(act(list));
  networks
    .command('set')
    .description('Say what a network is, by a document in YAML or JSON')
    .argument('<file>', 'with one network; - for stdin', parseText)
    .addHelpText('after', showExamples({ examples: `chainwatch networks set arc.yaml` }))
    .action(act(set));
  networks
    .command('delete')
    .description('Forget what was said of a network')
    .argument('<chain_gid>', 'as CAIP-2', parseChainGid)
    .addHelpText('after', showExamples({ examples: `chainwatch networks delete eip155:5042` }))
    .action(act(remove));
  networks
    .command('probe [url]')
    .description('Read the last 50 blocks of a node, and say what they prove and what the node can')
    .option('--write <file>', 'write the document of the network, as YAML or as .json', parseText)
    .option(
      '--family <name>',
      'the chain family of the node; default: the first one that can be measured',
      parseText,
    )
    .addHelpText(
      'after',
      showExamples({
        notes: `A URL that holds a key comes from a prompt or stdin: leave it out. Nothing is sent to the installation: look at the file,
then give it to "networks set" or NETWORKS_FILE. Proofs of a known network are kept or made stronger, never weaker.`,
        examples: `chainwatch networks probe http://127.0.0.1:8545
chainwatch networks probe --write network.yaml < node-url.txt`,
      }),
    )
    .action(act(probe));
}

async function list({ client, output }: Context): Promise<void> {
  const { items } = await client().networks.list();
  output.table(
    items.map(({ gid, name, family, aliases, source, is_used: isUsed }: Network) => ({
      gid,
      name,
      family,
      aliases: aliases.join(' '),
      source,
      is_used: isUsed,
    })),
  );
}

async function set({ client, output }: Context, file: string): Promise<void> {
  const document = readDocument(file, await readFileOrStdin('file', file));
  const network = await client().networks.put(document.gid, document as PutBody);
  output.print(network, `${network.gid} is ${network.display_name}, known as ${network.name}`);
}

async function remove({ client, output }: Context, gid: string): Promise<void> {
  await client().networks.delete(gid);
  output.print({ gid, status: 'deleted' }, `${gid} is what the release says, or not known`);
}

/** One network: a document, or a list of one. */
function readDocument(file: string, bytes: Buffer): { readonly gid: string } {
  let content: unknown;
  try {
    content = parse(bytes.toString('utf8'));
  } catch (error) {
    throw wrongInput(
      'file',
      `expected YAML or JSON in ${file}: ${(error as Error).message.split('\n', 1)[0]}`,
    );
  }
  const networks = (content as { networks?: unknown } | null)?.networks ?? content;
  const [document, ...more] = Array.isArray(networks) ? networks : [networks];
  const gid = (document as { gid?: unknown } | null)?.gid;
  if (more.length > 0 || typeof gid !== 'string')
    throw wrongInput('file', `expected one network with its gid in ${file}`);
  return document as { readonly gid: string };
}

type Measurable = ChainFamily & Required<Pick<ChainFamily, 'probe'>>;

const canProbe = (family: ChainNotation): family is Measurable => 'probe' in family;

interface ProbeOptions {
  readonly write?: string;
  readonly family?: string;
}

async function probe(
  { output, signal }: Context,
  given: string | undefined,
  { write, family: familyName }: ProbeOptions,
): Promise<void> {
  const { findNetwork, loadFamilies } = await import('@chainwatch/chain-registry');
  const { toNetworkDocument } = await import('@chainwatch/chain-core');
  const measurable = (await loadFamilies()).filter(canProbe);
  const family = measurable.find(({ name }) => familyName === undefined || name === familyName);
  if (family === undefined)
    throw wrongInput(
      '--family',
      `expected a family whose networks can be measured: ${measurable.map(({ name }) => name).join(', ')}, got ${familyName}`,
    );
  if (write !== undefined && existsSync(write))
    throw wrongInput('--write', `expected a file that is not there yet: ${write} is`);
  const url = given ?? (await readSecret('the URL of the node'));
  // Not repeated: it may hold a key.
  if (!isUrl(url, ['http', 'https']))
    throw wrongInput(
      given === undefined ? 'stdin' : 'url',
      'expected the URL of a node such as http://127.0.0.1:8545',
    );
  const onFinding = (finding: ProbeFinding): void => {
    const [color, mark] = MARKS[finding.answer];
    output.print(finding, `${paint(output, color, mark)} ${finding.what}: ${finding.found}`);
  };
  const findDocument = (gid: string): NetworkDocument | undefined => {
    const network = findNetwork(gid);
    return network && toNetworkDocument(network);
  };
  const { document, guessed } = await family
    .probe({ endpointUrl: url, signal, onFinding, findDocument })
    .catch((error: unknown) => {
      if (signal.aborted) throw new CliError('Stopped.', EXIT.interrupted);
      throw new CliError(`The node was not measured: ${(error as Error).message}`, EXIT.failed);
    });
  if (write === undefined) return;
  const text = write.endsWith('.json')
    ? `${JSON.stringify(document, undefined, 2)}\n`
    : `${guessed.length > 0 ? `# No node tells these, look at them: ${guessed.join(', ')}\n` : ''}${stringify(document)}`;
  writeFileSync(write, text, { flag: 'wx' });
  output.note(
    guessed.length > 0
      ? `Written to ${write}. No node tells these, look at them: ${guessed.join(', ')}`
      : `Written to ${write}`,
  );
}
