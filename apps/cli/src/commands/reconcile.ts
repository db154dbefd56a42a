// SPDX-License-Identifier: Apache-2.0
import { closeSync, createReadStream, openSync, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Chainwatch, components } from '@chainwatch/sdk';
import { CliError, EXIT, wrongInput } from '../cli-error.ts';
import type { Act, Context } from '../context.ts';
import type { Access } from '../find-access.ts';
import { oneOf, parseMoment, parseText } from '../parse-options.ts';
import { saveBody, sendRequest } from '../send-request.ts';
import { showExamples } from '../show-examples.ts';

type Reconciliation = components['schemas']['Reconciliation'];
type Class = keyof Reconciliation['counts'];

interface Options {
  readonly from?: string;
  readonly to?: string;
  readonly format?: 'csv' | 'ndjson';
  readonly scope?: 'project' | 'ledger';
  readonly includeFees?: boolean;
  readonly name?: string;
  readonly out?: string;
}

const MEDIA_TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const;
/** Every class but `matched`. */
const DIFFERENCES: readonly Class[] = [
  'missing_in_books',
  'missing_on_chain',
  'amount_differs',
  'duplicate',
  'unconfirmed',
  'invalid',
];
const POLL_MS = 1_000;

export function addReconcile(program: Command, act: Act): void {
  program
    .command('reconcile')
    .description('Compare a ledger with the transactions of the project')
    .argument('<file>', 'CSV or JSON lines, - for stdin', parseText)
    .option('--from <time>', 'where the books begin; else the earliest time of the ledger', parseMoment)
    .option('--to <time>', 'where they end, exclusive; else the latest time of the ledger', parseMoment)
    .option(
      '--format <name>',
      'csv or ndjson; else by the name of the file, else csv',
      oneOf(['csv', 'ndjson']),
    )
    .option(
      '--scope <name>',
      'whose movements may be missing: project or ledger',
      oneOf(['project', 'ledger']),
    )
    .option('--include-fees', 'tell fees that are missing in the books')
    .option('--name <text>', 'as you call it; else the name of the file', parseText)
    .option(
      '--out <file>',
      'write the differences there, as JSON lines where the name ends in .ndjson, else CSV',
      parseText,
    )
    .addHelpText(
      'after',
      showExamples({
        notes:
          'Columns: hash or event_id, address, asset_gid, amount or amount_raw; reference, direction, time, chain_gid.\nExit code 4: there are differences.',
        examples: `chainwatch reconcile october.csv --from 2026-10-01 --to 2026-11-01 --out differences.csv
chainwatch reconcile ledger.ndjson --include-fees --json`,
      }),
    )
    .action(act(reconcile));
}

async function reconcile(context: Context, path: string, options: Options): Promise<void> {
  const { client, output, signal } = context;
  const ledger = openLedger(path);
  if (options.out !== undefined) checkWritable(options.out);
  const access = context.access();
  const api = client();
  const uploaded = await upload(access, { ledger, path, options, signal });
  const done = await wait(api, uploaded, context);
  if (done.status === 'failed')
    throw new CliError(done.error ?? 'The ledger could not be matched.', EXIT.failed);
  if (options.out !== undefined) await writeDifferences(access, done.id, { out: options.out, signal });
  const { matched } = done.counts;
  const different = DIFFERENCES.filter((name) => done.counts[name] > 0);
  output.print(
    done,
    [
      `${matched} of ${done.row_count} rows matched`,
      ...different.map((name) => `  ${name}: ${done.counts[name]}`),
      ...(done.is_truncated
        ? ['More movements are missing in the books than are listed: choose a shorter time.']
        : []),
      ...(options.out !== undefined ? [`Differences written to ${options.out}`] : []),
    ].join('\n'),
  );
  if (different.length > 0) process.exitCode = EXIT.notRight;
}

function openLedger(path: string): Readable {
  if (path === '-') return process.stdin;
  try {
    if (!statSync(path).isFile()) throw new Error(`${path} is not a file`);
    closeSync(openSync(path, 'r'));
    return createReadStream(path);
  } catch (error) {
    throw wrongInput('file', `expected a readable file: ${(error as Error).message}`);
  }
}

/** Before an hour of work. */
function checkWritable(out: string): void {
  try {
    closeSync(openSync(out, 'a'));
  } catch (error) {
    throw wrongInput('--out', `expected a file that can be written: ${(error as Error).message}`);
  }
}

async function upload(
  access: Access,
  {
    ledger,
    path,
    options,
    signal,
  }: {
    readonly ledger: Readable;
    readonly path: string;
    readonly options: Options;
    readonly signal: AbortSignal;
  },
): Promise<Reconciliation> {
  const {
    from,
    to,
    scope,
    includeFees,
    name = path === '-' ? undefined : path.split(/[/\\]/).at(-1),
  } = options;
  const query = new URLSearchParams();
  for (const [member, value] of Object.entries({
    from,
    to,
    scope,
    name,
    include_fees: includeFees ? 'true' : undefined,
  }))
    if (value !== undefined) query.set(member, value);
  const format = options.format ?? (/\.(ndjson|jsonl)$/i.test(path) ? 'ndjson' : 'csv');
  const response = await sendRequest(access, `/reconciliations?${query}`, {
    method: 'POST',
    headers: { 'Content-Type': MEDIA_TYPES[format] },
    body: Readable.toWeb(ledger),
    duplex: 'half',
    signal,
  } as unknown as RequestInit & { readonly headers: Readonly<Record<string, string>> });
  return (await response.json()) as Reconciliation;
}

async function wait(
  api: Chainwatch,
  { id }: Reconciliation,
  { output, signal }: Context,
): Promise<Reconciliation> {
  for (;;) {
    const now = await api.reconciliations.get(id);
    output.progress(now.progress.rows_done, now.row_count, 'rows');
    if (now.status === 'completed' || now.status === 'failed') return now;
    await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted)
      throw new CliError(`Stopped. The service goes on with reconciliation ${id}.`, EXIT.interrupted);
  }
}

async function writeDifferences(
  access: Access,
  id: string,
  { out, signal }: { readonly out: string; readonly signal: AbortSignal },
): Promise<void> {
  const mediaType = /\.(ndjson|jsonl)$/i.test(out) ? MEDIA_TYPES.ndjson : MEDIA_TYPES.csv;
  const path = `/reconciliations/${id}/rows?class=${DIFFERENCES.join(',')}`;
  await saveBody(await sendRequest(access, path, { headers: { Accept: mediaType }, signal }), out, signal);
}
