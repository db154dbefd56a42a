// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { InvalidArgumentError, type Command } from 'commander';
import { EVENTS } from '@chainwatch/events';
import { Book } from '../certify/book.ts';
import { Receiver } from '../certify/receiver.ts';
import { SCENARIOS } from '../certify/scenarios.ts';
import { CliError, EXIT, wrongInput } from '../cli-error.ts';
import type { Act, Context } from '../context.ts';
import { paint } from '../output.ts';
import { countOf, listOf, parseText, urlOf } from '../parse-options.ts';
import { readSecretFile } from '../read-input.ts';
import { showExamples } from '../show-examples.ts';

interface Options {
  readonly secretFile?: string;
  readonly balanceCmd?: string;
  readonly address: string;
  readonly asset: string;
  readonly only?: string[];
  readonly burst: number;
  readonly remote?: boolean;
}

/** Of the made-up payment that test messages tell of. */
const EXAMPLE = EVENTS['transaction.confirmed'].example({ at: new Date(0).toISOString(), id: randomUUID })
  .balance_changes[0]!;
const NAMES = SCENARIOS.map(({ name }) => name);
/** This machine, without a look at the name service. */
const LOCAL_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\]|.+\.localhost)$/;

export function addCertify(program: Command, act: Act): void {
  program
    .command('certify')
    .description(
      'Try whether a receiver of webhooks is right: deliveries that are forged, late, doubled, undone, many',
    )
    .argument('<url>', 'of the receiver', urlOf('http://localhost:3000/hook', 'http', 'https'))
    .option(
      '--secret-file <path>',
      'a file with the secret that the receiver knows; else CHAINWATCH_WEBHOOK_SECRET',
      parseText,
    )
    .option(
      '--balance-cmd <command>',
      'a command of the shell that prints what the receiver has credited; $1 is the address, $2 the asset',
      parseText,
    )
    .option('--address <address>', 'of a customer of the receiver', parseText, EXAMPLE.address)
    .option('--asset <gid>', 'what is paid, as CAIP-19', parseAsset, EXAMPLE.asset_gid)
    .option('--only <list>', `these of ${NAMES.join(', ')}`, listOf(NAMES))
    .option('--burst <count>', 'deliveries of the burst', countOf(1, 100_000), 1_000)
    .option('--remote', 'the URL is of a test installation on another machine')
    .addHelpText(
      'after',
      showExamples({
        notes: `It sends payments that look real, signed with the secret of the receiver: never to one in production. Without
--balance-cmd it looks at answers alone. Exit code 4: the receiver is not right.`,
        examples: `chainwatch certify http://localhost:3000/hook --secret-file secret.txt
chainwatch certify http://localhost:3000/hook --address 0x4477…C440 --balance-cmd 'psql -Atc "SELECT sum(amount) FROM entries"'`,
      }),
    )
    .action(act(certify));
}

async function certify({ config, output, signal }: Context, url: string, options: Options): Promise<void> {
  const { address, asset: assetGid, burst, only = NAMES, balanceCmd } = options;
  if (options.remote !== true && !LOCAL_HOST.test(new URL(url).hostname))
    throw wrongInput('url', 'expected a receiver on this machine; --remote says that it is no production');
  const secret = options.secretFile === undefined ? config.webhookSecret : readSecretFile(options.secretFile);
  if (secret === undefined) throw wrongInput('--secret-file', 'expected it, or CHAINWATCH_WEBHOOK_SECRET');
  const account = { address, assetGid };
  const book = balanceCmd === undefined ? undefined : new Book(balanceCmd, account, signal);
  await book?.read().catch((error: unknown) => {
    throw wrongInput('--balance-cmd', `expected it to print a balance: ${(error as Error).message}`);
  });
  const scene = { receiver: new Receiver(url, secret, signal), account, burst, book };
  const broken: string[] = [];
  for (const { name, rule, run } of SCENARIOS.filter((one) => only.includes(one.name))) {
    const faults = await run(scene).catch((error: unknown) => {
      if (signal.aborted) throw new CliError('Stopped.', EXIT.interrupted);
      return [(error as Error).message];
    });
    if (faults.length > 0) broken.push(name);
    const isRight = faults.length === 0;
    const mark = isRight ? paint(output, 'green', '✓') : paint(output, 'red', '✗');
    output.print(
      { name, ok: isRight, rule, is_book_read: book !== undefined, faults },
      [`${mark} ${name}: ${rule}`, ...faults.map((fault) => `    ${fault}`)].join('\n'),
    );
  }
  if (book === undefined)
    output.note('Nobody looked at what was credited: --balance-cmd names a command that prints it.');
  if (broken.length > 0) process.exitCode = EXIT.notRight;
}

function parseAsset(text: string): string {
  if (!/^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}\/[-a-z0-9]{3,8}:[-.%a-zA-Z0-9]{1,128}$/.test(text))
    throw new InvalidArgumentError(`expected an asset as CAIP-19, such as ${EXAMPLE.asset_gid}.`);
  return text;
}
