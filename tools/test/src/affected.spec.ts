// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { repoDir, runCommand } from '@chainwatch/testing/host';

/** What `nx affected` would run for a change of these files. */
async function listAffected(...files: readonly string[]): Promise<string[]> {
  return show('--affected', `--files=${files.join(',')}`);
}

async function show(...args: readonly string[]): Promise<string[]> {
  const { code, output } = await runCommand(
    process.execPath,
    [join(repoDir, 'node_modules/nx/dist/bin/nx.js'), 'show', 'projects', ...args, '--json'],
    { cwd: repoDir, env: { ...process.env, NODE_OPTIONS: '', NX_DAEMON: 'false' } },
  );
  if (code !== 0) throw new Error(`expected nx to list projects, got exit code ${code}: ${output}`);
  return (JSON.parse(output.slice(output.indexOf('['))) as string[])
    .map((name) => name.replace('@chainwatch/', ''))
    .sort();
}

describe('nx affected', () => {
  it('names a library and what depends on it, however far, and nothing else', async () => {
    const affected = await listAffected('libs/common/src/caip/caip.ts');
    expect(affected).toEqual(
      expect.arrayContaining(['common', 'chain-core', 'chain-evm', 'tx-analyzer', 'tool-acceptance']),
    );
    for (const name of ['watch-set', 'webhook-signature', 'verify']) expect(affected).not.toContain(name);
  });

  it('names an app and the tools that run it, when the app changes', async () => {
    const affected = await listAffected('apps/notifier/src/main.ts');
    expect(affected).toEqual(expect.arrayContaining(['notifier', 'tool-stack', 'tool-acceptance']));
    expect(affected.filter((name) => !name.startsWith('tool-'))).toEqual(['notifier']);
  });

  it('names the specs of documents alone, when a document changes', async () => {
    // Its shell blocks are typed beside the stack; acceptance and benches use the stack's code.
    expect(await listAffected('docs/guides/webhooks.md')).toEqual([
      'tool-acceptance',
      'tool-bench',
      'tool-docs',
      'tool-stack',
      'tool-test',
    ]);
    expect(await listAffected('docs/asyncapi.json')).toEqual([
      'tool-asyncapi',
      'tool-docs',
      'tool-nats',
      'tool-test',
    ]);
  });

  it.each(['package-lock.json', 'tsconfig.base.json', 'tools/test/run.mjs'])(
    'names everything, when %s changes',
    async (file) => {
      expect(await listAffected(file)).toEqual(await show());
    },
  );
});
