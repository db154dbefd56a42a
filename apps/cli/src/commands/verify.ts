// SPDX-License-Identifier: Apache-2.0
import type { Command } from 'commander';
import { SignatureError, webhooks, type SignatureRefusal } from '@chainwatch/sdk';
import { EXIT, wrongInput } from '../cli-error.ts';
import type { Act, Context } from '../context.ts';
import { showExamples } from '../show-examples.ts';
import { paint } from '../output.ts';
import { parseText } from '../parse-options.ts';
import { readFileOrStdin, readSecret, readSecretFile } from '../read-input.ts';

interface Options {
  readonly signature: string;
  readonly secretFile?: string;
  readonly anyTime?: boolean;
}

const HINTS: Readonly<Record<SignatureRefusal, string>> = {
  missing_header: 'it is not a delivery, or a proxy removes X-Webhook-Signature',
  malformed_header: 'X-Webhook-Signature is not t=…,v1=…',
  no_known_version: 'it has signatures of later versions alone: update chainwatch',
  body_not_raw: 'the body was parsed before',
  signature_mismatch:
    "another channel's secret, or the body was changed on the way: re-serialized JSON is another body",
  timestamp_outside_tolerance:
    'the signature is right but old: a replay, or a clock is wrong; --any-time leaves the time out',
  malformed_event: 'the signature is right, but the body is no JSON',
};

export function addVerify(program: Command, act: Act): void {
  program
    .command('verify [body]')
    .description('Say whether a webhook delivery is signed with the secret, and why not')
    .requiredOption('--signature <value>', 'X-Webhook-Signature of the delivery', parseText)
    .option(
      '--secret-file <path>',
      'a file with the secret; else CHAINWATCH_WEBHOOK_SECRET, else a prompt',
      parseText,
    )
    .option('--any-time', 'leave out how old it is')
    .addHelpText(
      'after',
      showExamples({
        notes: `body is a file with the raw bytes, - (the default) for stdin. Exit code 4: refused.`,
        examples: `chainwatch verify delivery.json --signature 't=1700000000,v1=7e10…' --secret-file secret.txt
CHAINWATCH_WEBHOOK_SECRET=… chainwatch verify --any-time --signature "$SIGNATURE" < delivery.json`,
      }),
    )
    .action(act(verify));
}

async function verify(context: Context, body: string | undefined, options: Options): Promise<void> {
  const { config, output } = context;
  const path = body ?? '-';
  const known = options.secretFile === undefined ? config.webhookSecret : readSecretFile(options.secretFile);
  if (known === undefined && path === '-')
    throw wrongInput('--secret-file', 'expected it, or CHAINWATCH_WEBHOOK_SECRET: stdin holds the body');
  const bytes = await readFileOrStdin('body', path);
  if (bytes.length === 0) throw wrongInput('body', 'expected the body of a delivery, got nothing');
  const secret = known ?? (await readSecret('the secret of the channel'));
  try {
    const event = await webhooks.unwrap(
      bytes,
      { 'x-webhook-signature': options.signature },
      secret.split(','),
      options.anyTime ? { toleranceSeconds: Number.MAX_SAFE_INTEGER } : {},
    );
    output.print(
      { ok: true, type: event.type, event_id: event.event_id },
      `${paint(output, 'green', '✓')} ${event.type} ${event.event_id}`,
    );
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    output.print(
      { ok: false, reason: error.reason },
      `${paint(output, 'red', '✗')} ${error.reason}: ${HINTS[error.reason]}`,
    );
    process.exitCode = EXIT.notRight;
  }
}
