// SPDX-License-Identifier: Apache-2.0
import { createContext, runInContext } from 'node:vm';
import { join } from 'node:path';
import { build } from 'esbuild';
import { repoDir } from '@chainwatch/testing/host';
import { signPayload } from '@chainwatch/webhook-signature';
import { webcrypto as ofNode } from './webcrypto.node.ts';
import { webcrypto as ofTheWeb } from './webcrypto.ts';

const source = join(repoDir, 'libs/sdk/src');
/** What every entry but `./nats` may count on, in Deno, Bun, browsers and edge workers alike. */
const WEB = {
  AbortController,
  FormData,
  Headers,
  Request,
  Response,
  TextDecoder,
  TextEncoder,
  URL,
  URLSearchParams,
  clearTimeout,
  crypto,
  fetch,
  setTimeout,
};

async function bundle(entry: string, conditions: string[] = []): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(source, entry)],
    bundle: true,
    write: false,
    // It refuses every import of Node.
    platform: 'neutral',
    conditions,
    mainFields: ['module', 'main'],
    format: 'iife',
    globalName: 'sdk',
    logLevel: 'silent',
  });
  return outputFiles[0]!.text;
}

it.each(['index.ts', 'receive/express.ts', 'receive/fastify.ts', 'receive/hono.ts', 'receive/next.ts'])(
  '%s needs nothing of Node',
  async (entry) => {
    const text = await bundle(entry);
    expect(text).not.toMatch(/node:|require\(|\bBuffer\b|process\.env/);
    const context = createContext({ ...WEB });
    runInContext(text, context);
    expect(Object.keys(runInContext('sdk', context) as object)).not.toEqual([]);
  },
);

it('has the same Web Crypto of Node and of everything else', async () => {
  const digest = async ({ subtle }: typeof ofTheWeb): Promise<string> =>
    Buffer.from(await subtle.digest('SHA-256', new TextEncoder().encode('x'))).toString('hex');
  expect(await digest(ofNode)).toBe(await digest(ofTheWeb));
});

it('would be refused with an import of Node in it', async () => {
  await expect(bundle('webcrypto.node.ts')).rejects.toThrow('node:crypto');
});

it('verifies, signs in and asks in a runtime that has web standards alone', async () => {
  const body = '{"event_id":"1","type":"transaction.detected"}';
  const secret = 'svc_whsec_x';
  const timestamp = Math.floor(Date.now() / 1_000);
  const asked: string[] = [];
  const context = createContext({
    ...WEB,
    body,
    secret,
    header: signPayload({ secrets: [secret], timestamp, body }),
    fetch: async (request: Request) => {
      asked.push(`${request.method} ${request.url} ${request.headers.get('idempotency-key')?.length}`);
      return new Response('{"items":[],"meta":{}}', { headers: { 'content-type': 'application/json' } });
    },
  });
  runInContext(await bundle('index.ts'), context);
  const seen = await runInContext(
    `(async () => {
      const event = await sdk.webhooks.unwrap(body, new Headers({ 'x-webhook-signature': header }), secret);
      const client = sdk.createClient({ baseUrl: 'https://api.example.com/v1', apiKey: 'key' });
      await client.addresses.createExternal({ value: '0x1', chain_family: 'evm' });
      for await (const one of client.events.poll({ after: 0 })) throw one;
      return event.type;
    })()`,
    context,
  );
  expect(seen).toBe('transaction.detected');
  expect(asked).toEqual([
    'POST https://api.example.com/v1/addresses/external 36',
    'GET https://api.example.com/v1/events?after=0&limit=100 undefined',
  ]);
});
