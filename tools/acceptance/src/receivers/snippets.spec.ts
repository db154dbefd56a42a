// SPDX-License-Identifier: Apache-2.0
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';
import { findFreePort, waitFor } from '@chainwatch/testing';
import { signPayload } from '@chainwatch/webhook-signature';
import { SNIPPETS } from '../../../../apps/dashboard/src/pages/first-steps/snippets.ts';

const secret = 'svc_whsec_0123456789ABCDEFGHIJKLMNOPQRST';
const libraries = join(repoDir, 'libs/webhook-signature/receivers');
const body =
  '{"event_id": "6f1d1f4e-0000-5000-8000-000000000001", "type": "transaction.detected", "data": {"label": "ü"}}';
const has = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0;

type Command = readonly [string, ...string[]];

/** What the snippet's own comment says, in its folder; undefined where the machine lacks the runtime. */
const RUNS: Readonly<Record<string, (folder: string, port: string) => Command | undefined>> = {
  // Packages are found from the repository.
  TypeScript: (folder) => [process.execPath, '--import', 'tsx', join(folder, 'receiver.ts')],
  Python(folder) {
    copyFileSync(join(libraries, 'python/chainwatch_webhook.py'), join(folder, 'chainwatch_webhook.py'));
    return has('python3', '--version') ? ['python3', 'receiver.py'] : undefined;
  },
  Go(folder) {
    if (!has('go', 'version')) return undefined;
    mkdirSync(join(folder, 'chainwatch'));
    copyFileSync(join(libraries, 'go/chainwatch.go'), join(folder, 'chainwatch/chainwatch.go'));
    const env = { ...process.env, GOCACHE: join(folder, 'cache'), GOPROXY: 'off', GOTOOLCHAIN: 'local' };
    spawnSync('go', ['mod', 'init', 'example.com/receiver'], { cwd: folder, env });
    const built = spawnSync('go', ['build', '-o', 'receiver', '.'], { cwd: folder, env, encoding: 'utf8' });
    expect([built.status, built.stderr]).toEqual([0, '']);
    return [join(folder, 'receiver')];
  },
  PHP(folder, port) {
    copyFileSync(join(libraries, 'php/ChainwatchWebhook.php'), join(folder, 'ChainwatchWebhook.php'));
    return has('php', '--version') ? ['php', '-S', `127.0.0.1:${port}`, 'receiver.php'] : undefined;
  },
};

describe.each(SNIPPETS)('the first receiver in $language', ({ language, file, text }) => {
  let folder: string;
  let child: ChildProcess | undefined;
  beforeEach(() => {
    // Node.js finds packages by the folders above.
    const root = language === 'TypeScript' ? join(repoDir, '.nx') : tmpdir();
    mkdirSync(root, { recursive: true });
    folder = mkdtempSync(join(root, 'snippet-'));
    writeFileSync(join(folder, file), text);
  });
  afterEach(async () => {
    if (child?.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    rmSync(folder, { recursive: true, force: true });
  });

  it('says that it verified an event, and refuses one with another signature', async () => {
    const port = String(await findFreePort());
    const command = RUNS[language]!(folder, port);
    if (command === undefined) return console.warn(`skipped: there is no ${language} here`);
    const [program, ...args] = command;
    let output = '';
    const env = { ...process.env, PORT: port, CHAINWATCH_WEBHOOK_SECRET: secret };
    const started = spawn(program, args, { cwd: folder, env });
    child = started;
    for (const stream of [started.stdout, started.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
    const url = `http://127.0.0.1:${port}/webhooks/chainwatch`;
    const isListening = (): Promise<boolean> => fetch(url).then(Boolean, () => false);
    await waitFor(async () => started.exitCode !== null || (await isListening()), { message: () => output });
    const send = async (key: string): Promise<number> => {
      const timestamp = Math.floor(Date.now() / 1_000);
      const headers = {
        'content-type': 'application/json',
        'x-webhook-signature': signPayload({ secrets: [key], timestamp, body }),
      };
      return (await fetch(url, { method: 'POST', body, headers })).status;
    };
    expect(await send(secret.replace('0', '1'))).toBe(400);
    expect(output).not.toContain('verified transaction');
    const status = await send(secret);
    expect([Math.floor(status / 100), output]).toEqual([2, output]);
    await waitFor(
      async () => output.includes('verified transaction.detected 6f1d1f4e-0000-5000-8000-000000000001'),
      {
        message: () => output,
      },
    );
  });
});
