// SPDX-License-Identifier: Apache-2.0
import type { Command } from 'commander';
import type { operations } from '@chainwatch/sdk';
import type { Act, Context } from '../context.ts';
import { showExamples } from '../show-examples.ts';
import { countOf, oneOf, parseExpiry, parseId, parseList, parseText } from '../parse-options.ts';

const TYPES = ['api', 'rpc', 'mgt'] as const;
const GRACE_SECONDS_MAX = 30 * 86_400;

type Body = operations['createKey']['requestBody']['content']['application/json'];

export function addKeys(program: Command, act: Act): void {
  const keys = program.command('keys').description('Keys of the workspace, with a management key');
  keys
    .command('list')
    .description('All keys, revoked ones included')
    .addHelpText('after', showExamples({ examples: `chainwatch keys list` }))
    .action(act(list));
  keys
    .command('create')
    .description('Make a key; its text is shown this once')
    .argument('<name>', 'as you call it', parseText)
    .requiredOption('--type <type>', 'api, rpc or mgt', oneOf(TYPES))
    .requiredOption('--permissions <list>', 'what it may do, with commas between', parseList)
    .option('--project <id>', 'the project of an api key', parseId)
    .option('--expires <time>', 'when it ends, such as 2031-01-31T12:00:00Z', parseExpiry)
    .addHelpText(
      'after',
      showExamples({
        examples: `chainwatch keys create backend --type api --project 6f1d1f4e-… --permissions api:address:read,api:event:read --json > key.json`,
      }),
    )
    .action(act(create));
  keys
    .command('roll')
    .description('Put a new key in the place of one')
    .argument('<key_id>', 'ID of a key', parseId)
    .option('--grace <seconds>', 'how long the old one goes on', countOf(0, GRACE_SECONDS_MAX), 3_600)
    .addHelpText('after', showExamples({ examples: `chainwatch keys roll 0199a1b2-… --grace 600` }))
    .action(act(roll));
  keys
    .command('revoke')
    .description('End a key at once and for good')
    .argument('<key_id>', 'ID of a key', parseId)
    .addHelpText('after', showExamples({ examples: `chainwatch keys revoke 0199a1b2-…` }))
    .action(act(revoke));
}

async function list({ client, output }: Context): Promise<void> {
  const rows: Record<string, unknown>[] = [];
  for await (const key of client('management').management.listKeys({ limit: 100 })) rows.push(key);
  output.table(rows, ['id', 'type', 'name', 'mask', 'last_used_at', 'expires_at', 'revoked_at']);
}

async function create(
  { client, output }: Context,
  name: string,
  options: Pick<Body, 'type' | 'permissions'> & { readonly project?: string; readonly expires?: string },
): Promise<void> {
  const { type, permissions, project, expires } = options;
  const key = await client('management').management.createKey({
    type,
    name,
    permissions,
    project_id: project,
    expires_at: expires,
  } as Body);
  output.print(key, key.key);
}

async function roll(
  { client, output }: Context,
  id: string,
  { grace }: { readonly grace: number },
): Promise<void> {
  const key = await client('management').management.rollKey(id, { grace_seconds: grace });
  output.print(key, key.key);
}

async function revoke({ client, output }: Context, id: string): Promise<void> {
  await client('management').management.revokeKey(id);
  output.print({ id, revoked: true }, `Revoked ${id}`);
}
