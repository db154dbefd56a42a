// SPDX-License-Identifier: Apache-2.0
import type { Command } from 'commander';
import { createClient } from '@chainwatch/sdk';
import { wrongInput } from '../cli-error.ts';
import { checkApiUrl } from '../find-access.ts';
import type { Act, Context } from '../context.ts';
import { urlOf } from '../parse-options.ts';
import { showExamples } from '../show-examples.ts';
import { findLocalStack } from '../local-stack.ts';
import { readProfiles, writeProfile } from '../profiles.ts';
import { ask, checkKey, readSecret } from '../read-input.ts';

interface Options {
  readonly url?: string;
  readonly management?: boolean;
}

const EXAMPLE = 'https://api.example.com/v1';

export function addLogin(program: Command, act: Act): void {
  program
    .command('login')
    .description('Check a key and keep it in a profile, in a file that you alone can read')
    .option(
      '--url <url>',
      'address of the API, such as https://api.example.com/v1',
      urlOf(EXAMPLE, 'http', 'https'),
    )
    .option('--management', 'keep a management key beside the API key')
    .addHelpText(
      'after',
      showExamples({
        notes: `The key comes from a prompt or from stdin, never from the command line, which others on this machine can read.`,
        examples: `chainwatch login
chainwatch login --profile production --url https://api.example.com/v1 < key.txt`,
      }),
    )
    .action(act(login));
}

async function login(context: Context, options: Options): Promise<void> {
  const { config, output } = context;
  const name = context.profile ?? 'default';
  const known = readProfiles(config.configDirectory).get(name);
  const kept = config.apiUrl ?? known?.api_url ?? findLocalStack()?.api_url;
  const url = options.url ?? (process.stdin.isTTY ? await ask('Address of the API', kept ?? EXAMPLE) : kept);
  if (url === undefined)
    throw wrongInput('--url', `expected the address of the API such as ${EXAMPLE}, got none`);
  checkApiUrl(options.url === undefined && config.apiUrl !== undefined ? 'CHAINWATCH_API_URL' : '--url', url);
  const key = checkKey('stdin', await readSecret(options.management ? 'a management key' : 'an API key'));
  const client = createClient({ baseUrl: url, apiKey: key });
  const { version } = options.management
    ? await client.management.getWorkspace().then(() => ({ version: undefined }))
    : await client.version.get();
  const path = writeProfile(config.configDirectory, name, {
    ...known,
    api_url: url,
    ...(options.management ? { management_key: key } : { api_key: key }),
  });
  output.print(
    { profile: name, api_url: url, version, path },
    `Logged in to ${url} as profile ${name}, kept in ${path}`,
  );
}
