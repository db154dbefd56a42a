// SPDX-License-Identifier: Apache-2.0
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { signPayload } from './index.ts';

const folder = fileURLToPath(new URL('..', import.meta.url));
const secret = 'svc_whsec_0123456789ABCDEFGHIJKLMNOPQRST';

/** What a receiver gets from the registry, in a folder that knows nothing of this repository. */
describe('the published package', () => {
  let installed: string;
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'receiver-'));
    installed = join(directory, 'node_modules', '@chainwatch', 'webhook-signature');
    mkdirSync(dirname(installed), { recursive: true });
    execFileSync(process.execPath, [join(folder, 'build.mjs'), installed], {
      stdio: 'pipe',
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    // express, for the example, comes from here.
    symlinkSync(
      dirname(createRequire(import.meta.url).resolve('express/package.json')),
      join(directory, 'node_modules', 'express'),
    );
  }, 60_000);
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it('is an ES module with types, vectors and no dependency', () => {
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Record<
      string,
      unknown
    >;
    expect(manifest).toMatchObject({
      name: '@chainwatch/webhook-signature',
      type: 'module',
      exports: { '.': { types: './index.d.ts', default: './index.js' } },
    });
    for (const key of ['dependencies', 'devDependencies', 'peerDependencies', 'private', 'scripts'])
      expect(manifest[key]).toBeUndefined();
    expect(readFileSync(join(installed, 'index.d.ts'), 'utf8')).toContain('verifySignature');
    expect(JSON.parse(readFileSync(join(installed, 'vectors', 'v1.json'), 'utf8'))).toHaveProperty('verify');
  });

  it('works in the Express example: takes what is signed, once, and refuses the rest', async () => {
    const example = join(directory, 'receiver.mjs');
    cpSync(join(installed, 'examples', 'express.mjs'), example);
    const child = spawn(process.execPath, [example], {
      env: { ...process.env, NODE_OPTIONS: '', PORT: '0', CHAINWATCH_WEBHOOK_SECRET: secret },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines: string[] = [];
    child.stdout.on('data', (chunk: Buffer) => lines.push(...chunk.toString().trim().split('\n')));
    try {
      while (lines.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
      const url = `http://127.0.0.1:${lines[0]!.split(' ').at(-1)}/webhooks/chainwatch`;
      const body = JSON.stringify({
        event_id: '6f1d1f4e-0000-5000-8000-000000000001',
        type: 'transaction.detected',
        is_test_message: false,
      });
      const post = (signature: string): Promise<Response> =>
        fetch(url, {
          method: 'POST',
          body,
          headers: { 'content-type': 'application/json', 'x-webhook-signature': signature },
        });
      const sign = (key: string): string =>
        signPayload({ secrets: [key], timestamp: Math.floor(Date.now() / 1_000), body });
      expect([(await post(sign(secret))).status, (await post(sign(secret))).status]).toEqual([204, 204]);
      const refused = await post(sign('svc_whsec_other'));
      expect([refused.status, await refused.text()]).toEqual([400, 'signature_mismatch']);
      expect(lines.slice(1)).toEqual(['transaction.detected 6f1d1f4e-0000-5000-8000-000000000001']);
    } finally {
      child.kill();
    }
  });
});
