// SPDX-License-Identifier: Apache-2.0
import type { Command } from 'commander';
import { benchNode, findBenchFamily, type Ability } from '../bench-node.ts';
import { EXIT, wrongInput } from '../cli-error.ts';
import type { Act, Context } from '../context.ts';
import { paint } from '../output.ts';
import { countOf, isUrl, parseCount, parseText } from '../parse-options.ts';
import { readSecret } from '../read-input.ts';
import { showExamples } from '../show-examples.ts';

interface Options {
  readonly chain: string;
  readonly calls: number;
  readonly block?: number;
}

const MARKS = {
  yes: ['green', '✓'],
  no: ['yellow', '–'],
  fault: ['red', '✗'],
} as const;

export function addBenchNode(program: Command, act: Act): void {
  program
    .command('bench-node [url]')
    .description(
      'Ask a node of a chain what it can, how fast it is, and for one block that is proved complete',
    )
    .requiredOption('--chain <gid>', 'which chain it serves, as CAIP-2 or by its name', parseText)
    .option('--calls <n>', 'how often it is asked for its head', countOf(1, 10_000), 20)
    .option('--block <number>', 'which block is read; default: the newest final one', parseCount)
    .addHelpText(
      'after',
      showExamples({
        notes: `A URL that holds a key comes from a prompt or stdin: leave it out. The node is asked as the services ask it, by the same
code. Exit code 4: it serves another chain, does not answer, or its block is not complete.`,
        examples: `chainwatch bench-node http://127.0.0.1:8545 --chain eip155:1
chainwatch bench-node --chain bitcoin --json < node-url.txt`,
      }),
    )
    .action(act(bench));
}

async function bench(
  { output, signal }: Context,
  given: string | undefined,
  { chain, calls, block }: Options,
): Promise<void> {
  const { network, family } = await findBenchFamily(chain);
  const url = given ?? (await readSecret('the URL of the node'));
  // Not repeated: it may hold a key.
  if (!isUrl(url, ['http', 'https', 'ws', 'wss']))
    throw wrongInput(
      given === undefined ? 'stdin' : 'url',
      'expected the URL of a node such as http://127.0.0.1:8545',
    );
  let isRight = true;
  const show = (ability: Ability): void => {
    isRight &&= ability.answer !== 'fault';
    const [color, mark] = MARKS[ability.answer];
    output.print(ability, `${paint(output, color, mark)} ${ability.what}: ${ability.found}`);
  };
  await benchNode({ url, network, family, calls, block, signal, show });
  if (!isRight) process.exitCode = EXIT.notRight;
}
