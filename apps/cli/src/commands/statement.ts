// SPDX-License-Identifier: Apache-2.0
import { createReadStream } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { Command } from 'commander';
import type { components } from '@chainwatch/sdk';
import {
  verifyStatement,
  type StatementKeys,
  type StatementSignature,
  type VerifiedStatement,
} from '@chainwatch/verify';
import { EXIT, wrongInput } from '../cli-error.ts';
import type { Act, Context } from '../context.ts';
import { paint } from '../output.ts';
import { isUrl, oneOf, parseId, parseList, parseSince, parseText } from '../parse-options.ts';
import { readFile } from '../read-input.ts';
import { saveBody, sendRequest } from '../send-request.ts';
import { showExamples } from '../show-examples.ts';

type Statement = components['schemas']['Statement'];

const FORMATS = ['ndjson', 'csv', 'html'] as const;
const LOOK_MS = 1_000;
const KEYS_TIMEOUT_MS = 10_000;

interface CreateOptions {
  readonly addresses?: string[];
  readonly group?: string;
  readonly publicKey?: string;
  readonly chains?: string[];
  readonly from: string;
  readonly to: string;
  readonly format: (typeof FORMATS)[number];
  readonly wait?: boolean;
}

export function addStatement(program: Command, act: Act): void {
  const statement = program.command('statement').description('Signed documents of balances and movements');
  addCreate(statement, act);
  statement
    .command('get')
    .description('How far a statement is, and its signature')
    .argument('<statement_id>', 'ID of a statement', parseId)
    .addHelpText(
      'after',
      showExamples({ examples: `chainwatch statement get 0199a1b2-… --json > signature.json` }),
    )
    .action(act(get));
  statement
    .command('download')
    .description('The document of a completed statement')
    .argument('<statement_id>', 'ID of a statement', parseId)
    .option('--output <path>', 'a file to write; else stdout', parseText)
    .addHelpText(
      'after',
      showExamples({ examples: `chainwatch statement download 0199a1b2-… --output october.ndjson` }),
    )
    .action(act(download));
  statement
    .command('verify')
    .description('Say whether a statement is signed with one of the keys, and adds up')
    .argument('<file>', 'the document as it was downloaded', parseText)
    .requiredOption(
      '--keys <file or URL>',
      '/.well-known/chainwatch-keys of the service, or a copy of it',
      parseText,
    )
    .option(
      '--signature-file <path>',
      'of csv and html: the signature, as `statement get --json` prints it',
      parseText,
    )
    .addHelpText(
      'after',
      showExamples({
        notes: `With a copy of the keys it asks nobody. It shows who signed which bytes, and that the lines of an ndjson statement add
up; not that the chain says the same. Exit code 4: it does not verify.`,
        examples: `chainwatch statement verify october.ndjson --keys https://watch.example.com/.well-known/chainwatch-keys
chainwatch statement verify october.csv --keys keys.json --signature-file signature.json`,
      }),
    )
    .action(act(verify));
}

function addCreate(statement: Command, act: Act): void {
  statement
    .command('create')
    .description('Have a statement written')
    .option('--addresses <list>', 'these addresses', parseList)
    .option('--group <name>', 'all addresses of a group', parseText)
    .option('--public-key <id>', 'all addresses derived from a public key', parseId)
    .option('--chains <list>', 'only these chains, as CAIP-2', parseList)
    .requiredOption('--from <time>', 'from then on: a time, or 90m, 30d', parseSince)
    .requiredOption('--to <time>', 'and before then', parseSince)
    .option('--format <name>', FORMATS.join(', '), oneOf(FORMATS), 'ndjson')
    .option('--wait', 'until it is finished')
    .addHelpText(
      'after',
      showExamples({
        notes: 'One of --addresses, --group, and --public-key selects the addresses.',
        examples: `chainwatch statement create --group customers --from 2026-10-01 --to 2026-11-01 --wait`,
      }),
    )
    .action(act(create));
}

async function create({ client, output, signal }: Context, options: CreateOptions): Promise<void> {
  const { addresses, group, publicKey, chains, from, to, format } = options;
  if ([addresses, group, publicKey].filter((value) => value !== undefined).length !== 1)
    throw wrongInput('--addresses', 'expected one of --addresses, --group, --public-key');
  if (to <= from) throw wrongInput('--to', 'expected a time after that of --from');
  const { statements } = client();
  let record = await statements.create({
    ...{ addresses, group, public_key_id: publicKey, chain_gids: chains, from, to, format },
  });
  while (options.wait && (record.status === 'queued' || record.status === 'running')) {
    await wait(LOOK_MS, undefined, { signal });
    record = await statements.get(record.id);
    const { addresses_done: done, addresses_total: total } = record.progress;
    output.progress(done, total, 'addresses');
  }
  show(output, record);
  if (record.status === 'failed') process.exitCode = EXIT.failed;
}

async function get({ client, output }: Context, id: string): Promise<void> {
  show(output, await client().statements.get(id));
}

function show(output: Context['output'], record: Statement): void {
  const { addresses_done: done, addresses_total: total, movements, gaps, unexplained } = record.progress;
  const reason = record.reason === null ? '' : `: ${record.reason}`;
  output.print(
    record,
    `${record.id} ${record.status}${reason}\n${done} of ${total} addresses, ${movements} movements, ${gaps} gaps${unexplained > 0 ? `, ${unexplained} balances with an unexplained part` : ''}`,
  );
}

async function download(
  { access, output, signal }: Context,
  id: string,
  { output: path }: { readonly output?: string },
): Promise<void> {
  const answer = await sendRequest(access(), `/statements/${id}/download`, { signal });
  await saveBody(answer, path, signal);
  if (path !== undefined) output.note(`Wrote ${path}`);
}

async function verify(
  { output, signal }: Context,
  file: string,
  options: { readonly keys: string; readonly signatureFile?: string },
): Promise<void> {
  const keys = await readKeys(options.keys, signal);
  const signature = options.signatureFile === undefined ? undefined : readSignature(options.signatureFile);
  const result = await verifyStatement(createReadStream(file), { keys, signature }).catch(
    (error: unknown) => {
      throw wrongInput('file', `expected a readable file: ${(error as Error).message}`);
    },
  );
  output.print({ ok: result.isValid, ...result }, describe(output, result));
  if (!result.isValid) process.exitCode = EXIT.notRight;
}

function describe(
  output: Context['output'],
  { isValid, kid, faults, lines, sha256 }: VerifiedStatement,
): string {
  if (!isValid) return [`${paint(output, 'red', '✗')} ${sha256}`, ...faults].join('\n');
  const counts =
    lines &&
    `${lines.balances} balances add up: ${lines.unexplained} with an unexplained part, ${lines.unknown} without a reading, ${lines.gaps} gaps`;
  return [`${paint(output, 'green', '✓')} ${sha256} signed with ${kid}`, counts].filter(Boolean).join('\n');
}

async function readKeys(source: string, signal: AbortSignal): Promise<StatementKeys> {
  const text = isUrl(source, ['https', 'http'])
    ? await fetchKeys(source, signal)
    : readFile('--keys', source).toString('utf8');
  const { keys } = parseObject('--keys', text) as Partial<StatementKeys>;
  const isKey = (key: unknown): boolean =>
    typeof key === 'object' && key !== null && 'kid' in key && 'x' in key && typeof key.x === 'string';
  if (!Array.isArray(keys) || !keys.every(isKey))
    throw wrongInput('--keys', 'expected {"keys": [{"kid", "x"}]}, as /.well-known/chainwatch-keys answers');
  return { keys };
}

async function fetchKeys(url: string, signal: AbortSignal): Promise<string> {
  try {
    const answer = await fetch(url, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(KEYS_TIMEOUT_MS)]),
    });
    if (!answer.ok) throw new Error(`it answered ${answer.status}`);
    return await answer.text();
  } catch (error) {
    throw wrongInput('--keys', `expected keys at ${url}: ${(error as Error).message}`);
  }
}

/** The record of the statement, or its signature alone. */
function readSignature(path: string): StatementSignature {
  const read = parseObject('--signature-file', readFile('--signature-file', path).toString('utf8'));
  const signature = ((read as { readonly signature?: unknown }).signature ??
    read) as StatementSignature | null;
  if (
    typeof signature?.kid !== 'string' ||
    typeof signature.sha256 !== 'string' ||
    typeof signature.value !== 'string'
  )
    throw wrongInput('--signature-file', 'expected the signature of a completed statement');
  return signature;
}

function parseObject(name: string, text: string): object {
  try {
    const read = JSON.parse(text) as unknown;
    if (typeof read === 'object' && read !== null) return read;
  } catch {
    // As below.
  }
  throw wrongInput(name, 'expected a JSON object');
}
